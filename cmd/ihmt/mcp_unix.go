//go:build unix

package main

import (
	"os"
	"syscall"

	"github.com/ihmt/ihmt/pkg/cli"
)

// become replaces this process by another program.
func become(path string, args []string) error {
	return syscall.Exec(path, append([]string{path}, args...), append(os.Environ(), cli.VersionEnv+"="+cli.Version))
}
