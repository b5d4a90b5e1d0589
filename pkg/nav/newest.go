package nav

import (
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
)

// Newest returns the leaf that holds today in place of another, which it
// replaced as a whole or by way of others; nil where nothing replaced it.
func Newest(s *store.Store, id string) (*store.Leaf, error) {
	r, err := NewSearcher(s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if _, err := r.read(id); err != nil {
		return nil, err
	}
	ref, found := r.byID(id)
	if !found {
		return nil, nil
	}
	newest, ok := r.newest(ref, terms.Day(r.today().String()))
	if !ok {
		return nil, nil
	}
	return r.read(newest.ID)
}
