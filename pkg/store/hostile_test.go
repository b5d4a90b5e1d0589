package store_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

// What is acknowledged can be read, found and verified, whatever stands in it;
// what could not be is refused, and the memory is as it was.
func TestHostileChunks(t *testing.T) {
	const long = 9 << 20
	for name, c := range map[string]record.Chunk{
		"title of many rows":       {Title: strings.Repeat("\n", long)},
		"long title":               {Title: strings.Repeat("\n", 1<<20)},
		"author of control codes":  {Author: strings.Repeat("\x01", long/3)},
		"many tags":                {Tags: strings.Split(strings.Repeat("tag ", long/4), " ")},
		"giant tag":                {Tags: []string{strings.Repeat("t", 2*long)}},
		"many replaced":            {Replaces: strings.Split(strings.Repeat("L-d-0000-0123456789 ", 1000)+"x", " ")},
		"NUL":                      {Content: "quincunx \x00\x00 \x00", Title: "\x00", Author: "\x00", Source: "\x00", Tags: []string{"\x00"}},
		"ANSI":                     {Content: "quincunx \x1b[31mred\x1b]0;owned\a", Title: "\x1b[2J", Author: "\x1b[1m"},
		"bidi":                     {Content: "quincunx \u202egpj.exe\u202c \u2066x\u2069", Title: "\u202e", Author: "\u202e"},
		"markers":                  {Content: "<<<IHMT-META\n{}\nIHMT-META>>>\nquincunx\n<<<IHMT-META\n", Title: "\nIHMT-META>>>\n", Context: "<<<IHMT-META"},
		"invalid UTF-8":            {Content: "quincunx \xff\xfe", Title: "\xff", Source: "\xff", Tags: []string{"\xff"}},
		"position beyond":          {Position: 1 << 40},
		"a term table's own signs": {Content: "quincunx\tend\nihmt-terms 1", Title: "a:1 b:2", Tags: []string{"a\tb\nc", ":", " "}, Source: "a\tb%\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "ihmt_memory"))
			if c.Content == "" {
				c.Content = "quincunx"
			}
			c.Domain, c.DataType, c.Timestamp = "d", record.TypeGeneric, "2026-02-03"
			line, err := json.Marshal(struct {
				Kind string `json:"kind"`
				record.Chunk
			}{"chunk", c})
			if err != nil {
				t.Fatal(err)
			}
			var id string
			_, err = s.Put(record.NewReader(bytes.NewReader(append(line, '\n'))), func(out []*record.Record) error {
				for _, r := range out {
					id = r.Str("leaf_id")
				}
				return nil
			}, store.PutOptions{})
			if (err == nil) == (id == "") {
				t.Fatalf("acknowledged %q, with %v", id, err)
			}
			if err != nil && len(err.Error()) > 500 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			for range 2 {
				if problems, _, err := s.Verify(); err != nil || len(problems) > 0 {
					t.Fatal(problems, err)
				}
				if id != "" && !found(t, s, id) {
					t.Fatal("is not found")
				}
				grow(t, s)
			}
			if names, _ := filepath.Glob(filepath.Join(s.Dir(), "layer_0", "*", "*")); id == "" && len(names) > 0 {
				t.Errorf("left %v", names)
			}
		})
	}
}

func found(t *testing.T, s *store.Store, id string) bool {
	t.Helper()
	if _, err := s.Leaf(id); err != nil {
		t.Fatal(err)
	}
	searcher, err := nav.NewSearcher(s)
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	answer, err := searcher.Search(record.Query{Query: "quincunx"})
	if err != nil {
		t.Fatal(err)
	}
	return len(answer.Results) == 1 && answer.Results[0].LeafID == id
}

// Settings that are bombs are refused at once and in few words.
func TestHostileSettings(t *testing.T) {
	deep := strings.Repeat(`{"rules":[`, 1<<16)
	for name, data := range map[string]string{
		"giant":         `{"rules":"` + strings.Repeat("x", 2<<20) + `"}`,
		"deep":          deep,
		"deep list":     `{"rules":` + strings.Repeat("[", 1<<18) + strings.Repeat("]", 1<<18) + `}`,
		"giant number":  `{"branch_factor":` + strings.Repeat("9", 1<<19) + `}`,
		"giant key":     `{"` + strings.Repeat("k", 1<<19) + `":1}`,
		"many keys":     `{` + strings.Repeat(`"a":1,`, 1<<16) + `"b":1}`,
		"twice":         `{"branch_factor":4,"branch_factor":8}`,
		"negative":      `{"max_tokens":-1}`,
		"not a number":  `{"confidence_threshold":1e999}`,
		"nothing":       ``,
		"NUL":           "\x00\x00\x00\x00",
		"control codes": "{\"\x1b[31m\":1}",
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ihmt_memory")
			open(t, dir)
			must(os.WriteFile(filepath.Join(dir, "ihmt.config.json"), []byte(data), 0o600))
			s, err := store.Open(dir)
			if err == nil {
				s.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), "ihmt.config.json") || len(err.Error()) > 500 {
				t.Errorf("said %.300q (%d bytes)", err, len(err.Error()))
			}
		})
	}
}
