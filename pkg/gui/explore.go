package gui

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/record"
)

// maxShown is how much of a text the page is sent, in bytes. A leaf may hold
// more; its file has all.
const maxShown = 256 << 10

// maxLoose is how many leaves without a branch are listed for a domain.
const maxLoose = 200

// state says which memory is looked at and what it holds.
func (w *Window) state(r *http.Request) (any, error) {
	home := w.memory()
	s := struct {
		Version string         `json:"version"`
		Home    string         `json:"home"`
		Memory  string         `json:"memory"`
		Exists  bool           `json:"exists"`
		Project string         `json:"project,omitempty"`
		Stats   *record.Record `json:"stats,omitempty"`
		Shell   string         `json:"shell"`
	}{Version: cli.Version, Home: home, Memory: memoryIn(home), Exists: exists(memoryIn(home)), Project: w.project}
	if !s.Exists {
		return s, nil
	}
	a, err := w.run(r.Context(), "ihmt-store", "stats")
	if err == nil && len(a.Records) > 0 {
		s.Stats, s.Shell = a.Records[0], a.Shell
	}
	return s, err
}

func (w *Window) domains(r *http.Request) (any, error) {
	return w.run(r.Context(), "ihmt-nav", "tree", "--depth=0")
}

// domain returns the topmost branches of a domain and the leaves that no
// branch holds.
func (w *Window) domain(r *http.Request) (any, error) {
	name, err := parameter(r, "domain", slug())
	if err != nil {
		return nil, err
	}
	var branches, loose answer
	err = together(
		func() (err error) {
			branches, err = w.run(r.Context(), "ihmt-nav", "tree", "--depth=1", "--domain="+name)
			return err
		},
		func() (err error) {
			loose, err = w.run(r.Context(), "ihmt-nav", "saved", "--loose", "--domain="+name, "-k", strconv.Itoa(maxLoose))
			return err
		})
	kept := []*record.Record{}
	for _, b := range branches.Records {
		if b.Str("domain") == name && b.Str("node_id") != "" {
			kept = append(kept, b)
		}
	}
	branches.Records = append(kept, loose.Records...)
	return branches, err
}

func (w *Window) branch(r *http.Request) (any, error) {
	id, err := parameter(r, "id", branchID())
	if err != nil {
		return nil, err
	}
	return w.run(r.Context(), "ihmt-nav", "get", id)
}

// path returns the branches over a leaf or branch, from the trunk down.
func (w *Window) path(r *http.Request) (any, error) {
	id, err := parameter(r, "id", leafID(), branchID())
	if err != nil {
		return nil, err
	}
	return w.run(r.Context(), "ihmt-nav", "path", id)
}

// chart returns every domain and branch with its size and its dates.
func (w *Window) chart(r *http.Request) (any, error) {
	return w.run(r.Context(), "ihmt-nav", "map")
}

// A leafAnswer is all that is known of one leaf.
type leafAnswer struct {
	answer
	Path    []*record.Record `json:"path"`
	Facts   []*record.Record `json:"facts"`   // what it states
	Notices []*record.Record `json:"notices"` // what replaced what it states, and what it replaced
	Newer   []*record.Record `json:"newer"`   // the leaf that replaced it as a whole
	Cut     bool             `json:"cut"`     // the text is longer than what is sent
	Code    []span           `json:"tokens,omitempty"`
}

func (w *Window) leaf(r *http.Request) (any, error) {
	id, err := parameter(r, "id", leafID())
	if err != nil {
		return nil, err
	}
	var a leafAnswer
	var path, newer, facts, changes answer
	ctx := r.Context()
	err = together(
		func() (err error) { a.answer, err = w.run(ctx, "ihmt-nav", "get", id); return },
		func() error { path, _ = w.run(ctx, "ihmt-nav", "path", id); return nil }, // a retired leaf has none
		func() (err error) { newer, err = w.run(ctx, "ihmt-nav", "newest", id); return },
		func() (err error) { facts, err = w.run(ctx, "ihmt-facts", "timeline"); return },
		func() (err error) { changes, err = w.run(ctx, "ihmt-facts", "conflicts"); return },
	)
	if err != nil {
		return nil, err
	}
	a.Path, a.Newer = path.Records, newer.Records
	a.Facts = only(facts.Records, func(f *record.Record) bool { return f.Str("source_leaf") == id })
	a.Notices = only(changes.Records, func(n *record.Record) bool {
		return n.Str("leaf_id") == id || n.Get("new.source_leaf").String() == id
	})
	for _, l := range a.Records {
		content := l.Str("content")
		if len(content) > maxShown {
			content, a.Cut = strings.ToValidUTF8(content[:maxShown], ""), true
			l.Set("content", content)
		}
		if l.Str("data_type") == record.TypeCode {
			a.Code = highlight(content, l.Str("language"))
		}
	}
	return a, nil
}

func only(records []*record.Record, keep func(*record.Record) bool) []*record.Record {
	kept := []*record.Record{}
	for _, r := range records {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

func (w *Window) timeline(r *http.Request) (any, error) {
	var facts, changes answer
	err := together(
		func() (err error) { facts, err = w.run(r.Context(), "ihmt-facts", "timeline"); return },
		func() (err error) { changes, err = w.run(r.Context(), "ihmt-facts", "conflicts"); return },
	)
	facts.Records = append(facts.Records, changes.Records...)
	return facts, err
}
