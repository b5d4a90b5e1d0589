package pipeline

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Find returns the path of a tool: the one beside this executable, else the
// one on PATH. That its version fits is checked by the tool itself, which
// finds the version wanted in its environment (see [cli.VersionEnv]): a check
// that costs no further process.
func Find(tool string) (string, error) {
	name := tool
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	self, err := os.Executable()
	if err == nil {
		if path, ok := beside(self, name); ok {
			return path, nil
		}
		if real, err := filepath.EvalSymlinks(self); err == nil {
			if path, ok := beside(real, name); ok {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(tool)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside %s nor on PATH: the tools are installed together, with make install", tool, self)
	}
	return path, nil
}

func beside(self, name string) (string, bool) {
	path := filepath.Join(filepath.Dir(self), name)
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular()
}
