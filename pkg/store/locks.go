package store

import (
	"io/fs"
	"strings"

	"github.com/gofrs/flock"
)

// Held returns which locks are held at this moment, and by whom: the name of
// a lock and what its holder is called.
func (s *Store) Held() (map[string]string, error) {
	entries, err := fs.ReadDir(s.root.FS(), "state")
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".lock")
		if !ok || !e.Type().IsRegular() {
			continue
		}
		l := flock.New(s.file("state/" + e.Name()))
		free, err := l.TryLock()
		if err != nil {
			return nil, err
		}
		if !free {
			held[name] = s.holder(name)
			continue
		}
		if err := l.Unlock(); err != nil {
			return nil, err
		}
	}
	return held, nil
}
