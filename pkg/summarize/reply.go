package summarize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxReply is how long a reply may be, in bytes.
const MaxReply = 64 << 10

// Limits of what is taken from a reply, in characters.
const (
	maxTitle    = 80
	maxSummary  = 1200
	maxKeyword  = 40
	maxKeywords = 12
)

// ParseReply reads what a program or a model answered: one JSON object with
// title, summary and keywords, perhaps in a fence or among words. Control
// codes are dropped, long values cut. Without a summary the reply is an error,
// a *[Failure] of kind Unusable.
func ParseReply(reply []byte) (Summary, error) {
	var s Summary
	if len(reply) > MaxReply {
		return s, unusable(fmt.Errorf("the reply is longer than %d KiB", MaxReply>>10))
	}
	if err := json.Unmarshal(object(reply), &s); err != nil {
		return Summary{}, unusable(fmt.Errorf("the reply is no JSON object with title, summary and keywords (%w): %s", err, start(reply)))
	}
	s.Title = cut(oneLine(s.Title), maxTitle)
	s.Summary = cut(oneLine(s.Summary), maxSummary)
	s.Keywords = distinct(s.Keywords)
	if s.Summary == "" {
		return Summary{}, unusable(errors.New("the reply has no summary: " + start(reply)))
	}
	if s.Title == "" {
		s.Title = strings.Join(s.Keywords[:min(titleKeywords, len(s.Keywords))], ", ")
	}
	return s, nil
}

func unusable(err error) error { return &Failure{Unusable, err} }

// object is the JSON object in a reply: models like to think aloud before it
// and to fence it.
func object(reply []byte) []byte {
	if _, after, ok := bytes.Cut(reply, []byte("</think>")); ok {
		reply = after
	}
	from, to := bytes.IndexByte(reply, '{'), bytes.LastIndexByte(reply, '}')
	if from < 0 || to < from {
		return bytes.TrimSpace(reply)
	}
	return reply[from : to+1]
}

// start is the beginning of a reply, to show in an error.
func start(reply []byte) string {
	s := cut(oneLine(clipBytes(string(reply), 1<<10)), 120)
	if s == "" {
		return "it is empty"
	}
	return fmt.Sprintf("it starts %q", s)
}

func distinct(keywords []string) []string {
	seen := map[string]bool{}
	kept := make([]string, 0, maxKeywords)
	for _, k := range keywords {
		k = cut(oneLine(k), maxKeyword)
		folded := strings.ToLower(k)
		if k == "" || seen[folded] {
			continue
		}
		seen[folded] = true
		if kept = append(kept, k); len(kept) == maxKeywords {
			break
		}
	}
	return kept
}

// cut is s or, where it has more than n characters, its start and an ellipsis.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
