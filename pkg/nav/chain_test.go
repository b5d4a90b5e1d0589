package nav_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// versions is a memory of texts about one thing that replace each other.
type versions struct {
	*store.Store
	t  *testing.T
	id map[string]string
}

func newVersions(t *testing.T) *versions {
	s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &versions{s, t, map[string]string{}}
}

func (v *versions) save(name, day string, replaces ...string) error {
	chunk := record.Chunk{Source: "text:" + name, Domain: "d", Timestamp: day, Content: "The quota is version " + name + "."}
	for _, r := range replaces {
		chunk.Replaces = append(chunk.Replaces, v.id[r])
	}
	_, err := v.Put(record.NewReader(strings.NewReader(record.New(record.KindChunk, chunk).String()+"\n")), func(leaves []*record.Record) error {
		for _, l := range leaves {
			v.id[name] = l.Str("leaf_id")
		}
		return nil
	}, store.PutOptions{})
	return err
}

func (v *versions) must(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

func (v *versions) remove(name string) {
	v.t.Helper()
	v.must(summarize.Remove(context.Background(), v.Store, v.id[name]))
}

// current are the names of the leaves that come without a notice. What was
// replaced names what holds in its place.
func (v *versions) current() string {
	v.t.Helper()
	r, err := nav.NewSearcher(v.Store)
	v.must(err)
	defer r.Close()
	answer, err := r.Search(record.Query{Query: "quota version", K: 20, Full: true})
	v.must(err)
	var names []string
	for _, res := range answer.Results {
		if len(res.Notices) == 0 {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(res.Content, "The quota is version "), "."))
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (v *versions) want(want string) {
	v.t.Helper()
	for _, state := range []string{"saved", "grown", "rebuilt"} {
		if got := v.current(); got != want {
			v.t.Errorf("%s: %q holds, want %q", state, got, want)
		}
		var err error
		if state == "saved" {
			_, err = summarize.Grow(context.Background(), v.Store, summarize.Options{Force: true})
		} else {
			_, _, err = summarize.Rebuild(context.Background(), v.Store, nil)
		}
		v.must(err)
	}
}

func TestAChainSurvivesTheRemovalOfItsMiddle(t *testing.T) {
	v := newVersions(t)
	v.must(v.save("a", "2026-01-01"))
	v.must(v.save("b", "2026-02-01", "a"))
	v.must(v.save("c", "2026-03-01", "b"))
	v.remove("b")
	v.want("c")
	var told []string
	v.Notify = func(word string) { told = append(told, word) }
	v.remove("c")
	v.want("a")
	if len(told) != 1 || !strings.HasPrefix(told[0], v.id["a"]) {
		t.Errorf("told %q", told)
	}
}

func TestAFreedLeafIsToldOf(t *testing.T) {
	v := newVersions(t)
	v.must(v.save("a", "2026-01-01"))
	v.must(v.save("b", "2026-02-01", "a"))
	v.must(summarize.Remove(context.Background(), v.Store, v.id["b"]))
	v.want("a")
}

func TestOneTextMayReplaceSeveral(t *testing.T) {
	v := newVersions(t)
	v.must(v.save("x", "2026-01-01"))
	v.must(v.save("y", "2026-01-02"))
	v.must(v.save("c", "2026-02-01", "x"))
	v.want("c y")
	v.must(v.save("c", "2026-02-01", "y"))
	v.want("c")
	v.must(v.save("c", "2026-02-01"))
	v.want("c")
}

func TestOfACircleTheLastSavedHolds(t *testing.T) {
	v := newVersions(t)
	v.must(v.save("a", "2026-01-01"))
	v.must(v.save("b", "2026-01-01", "a"))
	v.must(v.save("c", "2026-01-01", "b"))
	v.must(v.save("a", "2026-01-01", "c"))
	v.want("a")
	v.must(v.save("c", "2026-01-01"))
	v.want("c")
	v.must(v.save("b", "2026-01-01"))
	v.want("b")
}

func TestWhatIsOlderReplacesNothing(t *testing.T) {
	v := newVersions(t)
	v.must(v.save("a", "2026-01-01"))
	if err := v.save("b", "2020-01-01", "a"); err == nil || !strings.Contains(err.Error(), "2020-01-01") {
		t.Errorf("got %v", err)
	}
	v.want("a")
	v.must(v.save("f", "2999-01-01"))
	v.must(v.save("g", time.Now().UTC().Format(time.DateOnly), "f"))
	v.want("a g")
}

// A removal must reach what another memory had saved about it.
func TestAChainSurvivesAnImport(t *testing.T) {
	mine, theirs := newVersions(t), newVersions(t)
	for _, v := range []*versions{mine, theirs} {
		v.must(v.save("a", "2026-01-01"))
		v.must(v.save("b", "2026-02-01", "a"))
	}
	theirs.must(theirs.save("c", "2026-03-01", "b"))
	mine.remove("b")
	mine.want("a")
	_, err := summarize.Import(context.Background(), mine.Store, theirs.Store, nil)
	mine.must(err)
	mine.want("c")
	_, err = summarize.Import(context.Background(), theirs.Store, mine.Store, nil)
	mine.must(err)
	theirs.want("c")
}
