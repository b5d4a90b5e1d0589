package ihmt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

func created(t *testing.T) (*Memory, string) {
	t.Helper()
	dir := t.TempDir()
	m, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m, filepath.Join(dir, "ihmt_memory")
}

func TestAFolderWithoutAMemory(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); !errors.Is(err, ErrNoMemory) {
		t.Errorf("Open: %v", err)
	}
	if _, err := Create(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err != nil {
		t.Errorf("Open after Create: %v", err)
	}
	other := t.TempDir()
	if err := os.MkdirAll(filepath.Join(other, "ihmt_memory", "photos"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(other); err == nil {
		t.Error("a folder with something else was taken")
	}
}

// What Save says is on the disk is there: the contents of a long text's leaves
// joined are the text.
func TestWhatIsSavedIsThere(t *testing.T) {
	m, dir := created(t)
	var long strings.Builder
	for i := range 400 {
		fmt.Fprintf(&long, "Paragraph %d is about nothing that any other of them is about, or hardly.\n\n", i)
	}
	saved, err := m.Save(long.String(), "我住在上海。")
	if err != nil {
		t.Fatal(err)
	}
	var contents strings.Builder
	for _, s := range saved {
		file, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(s.Path)))
		if err != nil {
			t.Fatal(err)
		}
		_, content, _ := strings.Cut(string(file), "\nIHMT-META>>>\n")
		contents.WriteString(content)
	}
	if len(saved) < 3 || contents.String() != long.String()+"我住在上海。" {
		t.Errorf("%d leaves hold %d bytes, want %d", len(saved), contents.Len(), long.Len()+len("我住在上海。"))
	}
	again, err := m.Save("我住在上海。")
	if err != nil || len(again) != 1 || again[0].Status != store.StatusUnchanged || again[0].LeafID != saved[len(saved)-1].LeafID {
		t.Errorf("saved again: %+v, %v", again, err)
	}
	if none, err := m.Save(); err != nil || len(none) != 0 {
		t.Errorf("saving nothing: %v, %v", none, err)
	}
}

// Where one of several cannot be stored none is.
func TestAllAreSavedOrNone(t *testing.T) {
	m, dir := created(t)
	good := record.Chunk{Content: "good"}
	for name, save := range map[string]func() error{
		"document 2: the text is empty":           func() error { _, err := m.Save("good", " \n"); return err },
		"document 2: the text is not valid UTF-8": func() error { _, err := m.Save("good", "\xff"); return err },
		`document 1: domain "../etc"`:             func() error { _, err := m.SaveDocuments(record.Document{Domain: "../etc", Text: "x"}); return err },
		"chunk 2: the chunk has no content":       func() error { _, err := m.SaveChunks(good, record.Chunk{}); return err },
		"chunk 2: the content is not valid UTF-8": func() error { _, err := m.SaveChunks(good, record.Chunk{Content: "\xff"}); return err },
		"nothing to replace: no leaf L-a-0000-01": func() error {
			_, err := m.SaveChunks(good, record.Chunk{Content: "x", Replaces: record.IDs{"L-a-0000-0123456789"}})
			return err
		},
		`chunk 1: timestamp "soon"`: func() error { _, err := m.SaveDocuments(record.Document{Text: "x", Timestamp: "soon"}); return err },
		`attribute "two words"`:     func() error { _, err := m.RecordFact("user", "two words", "x", ""); return err },
		`"soon" is no date`:         func() error { _, err := m.StateAt("soon"); return err },
		"the query is empty":        func() error { _, err := m.Search(" ", Options{}); return err },
	} {
		if err := save(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: got %v", name, err)
		}
	}
	filepath.WalkDir(filepath.Join(dir, "layer_0"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			t.Errorf("%s is left, %v", path, err)
		}
		return nil
	})
}

func TestANewVersionRetiresTheOld(t *testing.T) {
	m, _ := created(t)
	for _, body := range []string{"The gate opens at nine.", "The gate opens at ten."} {
		if _, err := m.SaveDocuments(record.Document{Source: "/notes/gate.md", Text: body}); err != nil {
			t.Fatal(err)
		}
	}
	for history, want := range map[bool]int{false: 1, true: 2} {
		a, err := m.Search("gate opens", Options{Filters: record.Filters{History: history}})
		if err != nil || len(a.Results) != want || !strings.Contains(a.Results[0].Excerpt, "ten") {
			t.Errorf("history %v: %+v, %v", history, a, err)
		}
	}
	if _, err := m.SaveDocuments(record.Document{Source: "/notes/gate.md"}); err != nil {
		t.Fatal(err)
	}
	if a, err := m.Search("gate opens", Options{}); err != nil || len(a.Results) != 0 {
		t.Errorf("after the source was emptied: %+v, %v", a, err)
	}
}

// Doubt that no clue ends stays doubt.
func TestDoubtRemains(t *testing.T) {
	m, dir := created(t)
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	settings := s.Settings
	settings.MaxClueRounds = 2
	if err := s.WriteSettings(settings); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := m.Save("2024-02-03: Climbed the north wall with Luis Ortega.", "2025-03-28: A carpenter called Luis Ferrer hung the doors."); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says   []string
		asked  int
		doubts bool
	}{{[]string{"zeppelin", "zeppelin"}, 2, true}, {[]string{"zeppelin", "airship", "balloon"}, 2, true}, {[]string{""}, 1, true}, {[]string{"carpenter"}, 1, false}} {
		asked := 0
		a, err := m.Ask("Luis", Options{}, func(clue *record.Clue) (string, error) {
			if len(clue.Options) != 2 {
				t.Errorf("options %+v", clue.Options)
			}
			asked++
			return c.says[asked-1], nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if asked != c.asked || a.Search.Ambiguous != c.doubts || (a.Clue != nil) != c.doubts {
			t.Errorf("%q: asked %d times, ambiguous %v", c.says, asked, a.Search.Ambiguous)
		}
	}
}

// Calls may run beside each other and see what the others did.
func TestManyAtOnce(t *testing.T) {
	m, _ := created(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			word := fmt.Sprintf("word%c", 'a'+i)
			if _, err := m.Save("The secret is " + word + "."); err != nil {
				t.Error(err)
			}
			if err := m.Grow(context.Background(), i%2 == 0); err != nil && !strings.Contains(err.Error(), "grew meanwhile") {
				t.Error(err)
			}
			a, err := m.Search(word, Options{Full: true})
			if err != nil || len(a.Results) == 0 || a.Results[0].Content != "The secret is "+word+"." {
				t.Errorf("%s: %+v, %v", word, a, err)
			}
		})
	}
	wg.Wait()
}

func TestAFailingModelIsTold(t *testing.T) {
	m, dir := created(t)
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	settings := s.Settings
	settings.SummarizerBackend, settings.SummarizerCommand = summarize.Command, "exit 3"
	if err := s.WriteSettings(settings); err != nil {
		t.Fatal(err)
	}
	s.Close()
	var told []string
	m.Notify = func(word string) { told = append(told, word) }
	if _, err := m.Save("One.", "Two."); err != nil {
		t.Fatal(err)
	}
	if err := m.Grow(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	if len(told) == 0 || !strings.Contains(told[0], "exit status 3") {
		t.Errorf("told %q", told)
	}
}
