package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Leaf is what its file says.
type Leaf struct {
	ID, Domain, Timestamp, SavedAt string
	Source, Title, Author, Content string
	Tags                           []string
	Position                       int
	Parent, Grandparent            string // permanent branches of layers 1 and 2, "" where it has none yet
	Retired                        bool   // no file says so: set by who knows
}

// header is the metadata of a leaf file.
type header struct {
	LeafID    string   `json:"leaf_id"`
	Timestamp string   `json:"timestamp"`
	SavedAt   string   `json:"saved_at"`
	Domain    string   `json:"domain"`
	Tags      []string `json:"tags"`
	ParentID  string   `json:"parent_id"`
	Extra     struct {
		Source        string `json:"source"`
		Title         string `json:"title"`
		Author        string `json:"author"`
		Position      int    `json:"position"`
		GrandparentID string `json:"grandparent_id"`
	} `json:"extra"`
}

// Read reads every leaf file of a memory (the folder ihmt_memory).
func Read(memory string) ([]Leaf, error) {
	var leaves []Leaf
	err := filepath.WalkDir(filepath.Join(memory, "layer_0"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".txt") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		leaf, err := parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		leaves = append(leaves, leaf)
		return nil
	})
	return leaves, err
}

func parse(data []byte) (Leaf, error) {
	rest, ok := bytes.CutPrefix(data, []byte("<<<IHMT-META\n"))
	if !ok {
		return Leaf{}, fmt.Errorf("does not begin with its metadata")
	}
	meta, content, ok := bytes.Cut(rest, []byte("\nIHMT-META>>>\n"))
	if !ok {
		return Leaf{}, fmt.Errorf("its metadata does not end")
	}
	var h header
	if err := json.Unmarshal(meta, &h); err != nil {
		return Leaf{}, err
	}
	return Leaf{
		ID: h.LeafID, Domain: h.Domain, Timestamp: h.Timestamp, SavedAt: h.SavedAt, Tags: h.Tags,
		Source: h.Extra.Source, Title: h.Extra.Title, Author: h.Extra.Author, Position: h.Extra.Position,
		Parent: h.ParentID, Grandparent: h.Extra.GrandparentID, Content: string(content),
	}, nil
}
