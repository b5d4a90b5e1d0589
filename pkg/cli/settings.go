package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/record"
)

// settings gives flags with a tag such as setting:"target_tokens" the value
// that the memory's ihmt.config.json has under that key, where they are not on
// the command line and it has one.
func settings() kong.Resolver {
	var values gjson.Result
	loaded := false
	return kong.ResolverFunc(func(c *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		key := flag.Tag.Get("setting")
		if key == "" {
			return nil, nil
		}
		if !loaded {
			var err error
			if values, err = loadSettings(pathFlag(c)); err != nil {
				return nil, err
			}
			loaded = true
		}
		if v := values.Get(key); v.Exists() {
			return v.String(), nil
		}
		return nil, nil
	})
}

func pathFlag(c *kong.Context) string {
	for _, f := range c.Flags() {
		if f.Name == "path" {
			path, _ := c.FlagValue(f).(string)
			return path
		}
	}
	return ""
}

func loadSettings(path string) (gjson.Result, error) {
	memory, err := (&Common{Path: path}).Memory()
	if err != nil {
		return gjson.Result{}, nil // no memory, no settings: who needs one complains
	}
	file := filepath.Join(memory, "ihmt.config.json")
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return gjson.Result{}, fmt.Errorf("%s is not a plain file; move it away", file)
	}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return gjson.Result{}, nil
	case err != nil:
		return gjson.Result{}, err
	case record.TooDeep(data) || !gjson.ValidBytes(data):
		return gjson.Result{}, fmt.Errorf("%s is not valid JSON", file)
	}
	return gjson.ParseBytes(data), nil
}
