package record

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestOneIDIsATextAndSeveralAreAList(t *testing.T) {
	for text, want := range map[string]IDs{
		`{"source":"","position":0,"content":""}`:                      nil,
		`{"source":"","position":0,"replaces":"a","content":""}`:       {"a"},
		`{"source":"","position":0,"replaces":["a","b"],"content":""}`: {"a", "b"},
	} {
		var c Chunk
		if err := json.Unmarshal([]byte(text), &c); err != nil || !slices.Equal(c.Replaces, want) {
			t.Errorf("%s: got %v, %v", text, c.Replaces, err)
		}
		if got, err := json.Marshal(c); err != nil || string(got) != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
	for _, text := range []string{`{"replaces":""}`, `{"replaces":null}`} {
		var c Chunk
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.Replaces != nil {
			t.Errorf("%s: got %v, %v", text, c.Replaces, err)
		}
	}
	if json.Unmarshal([]byte(`{"replaces":7}`), &Chunk{}) == nil {
		t.Error("a number passed")
	}
}
