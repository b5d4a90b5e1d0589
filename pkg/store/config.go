package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// configName is the settings file of a memory.
const configName = "ihmt.config.json"

// Settings are what a user may choose for a memory, in ihmt.config.json. What
// the file does not name has its default; a key that is none is an error.
type Settings struct {
	BranchFactor        int             `json:"branch_factor"`        // children of a full branch, 2..64
	TargetTokens        int             `json:"target_tokens"`        // size to which blocks are packed
	MaxTokens           int             `json:"max_tokens"`           // size above which a block is oversized
	ConfidenceThreshold float64         `json:"confidence_threshold"` // below it a search asks back, 0..1
	AmbiguityMargin     float64         `json:"ambiguity_margin"`     // within it a result is a rival, 0..1
	MaxClueRounds       int             `json:"max_clue_rounds"`
	SummarizerBackend   string          `json:"summarizer_backend"` // heuristic, anthropic, openai, command
	SummarizerModel     string          `json:"summarizer_model,omitempty"`
	SummarizerURL       string          `json:"summarizer_url,omitempty"`     // of an OpenAI-compatible endpoint
	SummarizerCommand   string          `json:"summarizer_command,omitempty"` // for the back end "command"
	CodeChunkMode       string          `json:"code_chunk_mode"`              // pack, symbol
	Languages           []string        `json:"languages"`                    // ISO 639-1, for stems and stop words
	DateOrder           string          `json:"date_order"`                   // dmy, mdy
	Rules               json.RawMessage `json:"rules,omitempty"`              // fact rules of the user's own
	BeamWidth           int             `json:"beam_width,omitempty"`         // of the original program; has no effect
}

// DefaultSettings are the settings of a memory that chooses none.
func DefaultSettings() Settings {
	return Settings{BranchFactor: 8, TargetTokens: 2000, MaxTokens: 3000, ConfidenceThreshold: 0.45, AmbiguityMargin: 0.18,
		MaxClueRounds: 3, SummarizerBackend: "heuristic", CodeChunkMode: "pack", Languages: []string{"en", "es"}, DateOrder: "dmy"}
}

// maxConfig is how large a settings file may be.
const maxConfig = 1 << 20

// parseSettings reads a settings file; every error names the key.
func parseSettings(data []byte) (Settings, error) {
	s := DefaultSettings()
	keys, err := record.Parse(data)
	if err != nil {
		return s, err
	}
	known, unknown := jsonNames(reflect.TypeFor[Settings]()), ""
	keys.Each(func(key string, _ gjson.Result) {
		if !slices.Contains(known, key) {
			unknown = key
		}
	})
	if unknown != "" {
		return s, fmt.Errorf("unknown key %q%s", clip(unknown), didYouMean(unknown, known))
	}
	if err := json.Unmarshal(data, &s); err != nil {
		var t *json.UnmarshalTypeError
		if errors.As(err, &t) {
			return s, fmt.Errorf("%s is a %s, want %s", t.Field, clip(t.Value), wanted(t.Type.Kind()))
		}
		return s, err
	}
	return s, s.Validate()
}

// clip cuts what an error quotes.
func clip(s string) string { return s[:min(len(s), 60)] }

// wanted says in words what a setting of a type takes.
func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list of strings"
	}
	return "a string"
}

// Validate says which setting is out of range.
func (s *Settings) Validate() error {
	switch {
	case s.BranchFactor < 2 || s.BranchFactor > 64:
		return fmt.Errorf("branch_factor is %d, want 2 to 64", s.BranchFactor)
	case s.TargetTokens < 1 || s.TargetTokens > 1_000_000:
		return fmt.Errorf("target_tokens is %d, want 1 to 1000000", s.TargetTokens)
	case s.MaxTokens < s.TargetTokens:
		return fmt.Errorf("max_tokens is %d, want at least target_tokens (%d)", s.MaxTokens, s.TargetTokens)
	case s.ConfidenceThreshold < 0 || s.ConfidenceThreshold > 1:
		return fmt.Errorf("confidence_threshold is %v, want 0 to 1", s.ConfidenceThreshold)
	case s.AmbiguityMargin < 0 || s.AmbiguityMargin > 1:
		return fmt.Errorf("ambiguity_margin is %v, want 0 to 1", s.AmbiguityMargin)
	case s.MaxClueRounds < 0 || s.MaxClueRounds > 100:
		return fmt.Errorf("max_clue_rounds is %d, want 0 to 100", s.MaxClueRounds)
	case !slices.Contains([]string{"heuristic", "anthropic", "openai", "command"}, s.SummarizerBackend):
		return fmt.Errorf("summarizer_backend is %q, want heuristic, anthropic, openai or command", s.SummarizerBackend)
	case s.CodeChunkMode != "pack" && s.CodeChunkMode != "symbol":
		return fmt.Errorf("code_chunk_mode is %q, want pack or symbol", s.CodeChunkMode)
	}
	if _, err := text.ParseDateOrder(s.DateOrder); err != nil {
		return fmt.Errorf("date_order: %w", err)
	}
	if _, err := text.NewAnalyzer(s.Languages); err != nil {
		return fmt.Errorf("languages: %w", err)
	}
	return nil
}

// jsonNames are the names that the fields of a struct have in JSON.
func jsonNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func (s *Store) loadSettings() error {
	data, err := s.readFile(configName, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		s.Settings = DefaultSettings()
		return nil
	}
	if err != nil {
		return err
	}
	if s.Settings, err = parseSettings(data); err != nil {
		return fmt.Errorf("%s: %w", s.file(configName), err)
	}
	return nil
}

// WriteSettings replaces the settings file.
func (s *Store) WriteSettings(settings Settings) error {
	if err := settings.Validate(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return err
	}
	if err := s.writeFile(configName, append(b, '\n')); err != nil {
		return err
	}
	s.Settings = settings
	return nil
}

// didYouMean names the entry of a list that is nearest to a word, if one is
// near.
func didYouMean(word string, list []string) string {
	best, at := 4, ""
	if len(word) > 64 {
		return ""
	}
	for _, x := range list {
		if d := levenshtein.Distance(word, x, nil); d < best {
			best, at = d, x
		}
	}
	if at == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", at)
}
