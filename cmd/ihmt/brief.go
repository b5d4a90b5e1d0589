package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

type briefCmd struct {
	MaxTokens int `help:"At most so many tokens, about four characters each." default:"300" placeholder:"N"`
}

const kindBrief = "brief"

// Run prints the brief as text, in a pipe too: it is meant for the model that
// reads what a session-start hook prints. --json wraps it in a record.
func (c *briefCmd) Run(ctx *cli.Context, g *grammar) error {
	if c.MaxTokens < 1 {
		return errors.New("--max-tokens: want 1 or more")
	}
	r := newRunner(ctx, g)
	memory, err := r.Memory()
	if err != nil {
		return err
	}
	brief := "The memory is empty: nothing has been saved yet.\n"
	if _, err := os.Stat(memory); err == nil {
		parts, err := r.briefing()
		if err != nil {
			return err
		}
		brief = fit(parts, c.MaxTokens)
	}
	if ctx.JSON {
		return ctx.Out.Write(record.New(kindBrief, map[string]any{"text": brief, "tokens": text.Tokens(brief)}))
	}
	fmt.Print(brief)
	return nil
}

// A part of a brief is a title with lines, the most useful first.
type part struct {
	title string
	lines []string
	share float64 // of the tokens, at least, where it has so much to say
}

// briefing gathers what a brief can say.
func (r *runner) briefing() ([]part, error) {
	facts, err := r.gather(pipeline.New(r.stage("ihmt-facts", "now", "--json")), factLine)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(facts, func(a, b string) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	decisions, err := r.decisions()
	if err != nil {
		return nil, err
	}
	domains, err := r.gather(pipeline.New(r.stage("ihmt-store", "stats", "--json")), domainLine)
	return []part{{"What holds now:", facts, 0.4}, {"Decided recently:", decisions, 0.4}, {"In memory:", domains, 0.1}}, err
}

// gather turns the records of a pipeline into lines; "" stands for none.
// Finding nothing is no failure.
func (r *runner) gather(p *pipeline.Pipeline, line func(*record.Record) string) ([]string, error) {
	var lines []string
	err := r.each(p, func(rec *record.Record) error {
		if l := line(rec); l != "" {
			lines = append(lines, l)
		}
		return nil
	})
	if errors.Is(err, cli.ErrSkipped) || errors.Is(err, cli.ErrAmbiguous) {
		err = nil
	}
	return lines, err
}

func factLine(rec *record.Record) string {
	if rec.Kind() != record.KindFact {
		return ""
	}
	return fmt.Sprintf("%s %s: %s (since %s)", cli.CleanLine(rec.Str("subject"), 40), cli.CleanLine(rec.Str("attribute"), 40),
		cli.CleanLine(rec.Str("value"), 80), cli.Day(rec.Str("valid_from")))
}

// rankOf puts what is known of the user before what is known of others.
func rankOf(fact string) int {
	if strings.HasPrefix(fact, "user ") {
		return 0
	}
	return 1
}

// domainLine lists the domains with the most memories first.
func domainLine(rec *record.Record) string {
	domains := rec.Get("totals").Get("domains").Map()
	if len(domains) == 0 {
		return ""
	}
	const most = 12
	names := slices.SortedFunc(maps.Keys(domains), func(a, b string) int {
		if n := domains[b].Int() - domains[a].Int(); n != 0 {
			return int(n)
		}
		return strings.Compare(a, b)
	})
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more domains", len(names)-most)
		names = names[:most]
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", cli.CleanLine(name, 64), domains[name].Int())
	}
	return strings.Join(names, ", ") + more
}

// recent is how many days back decisions are looked for first.
const recent = 90

// decisions are the newest memories that say that something was decided.
func (r *runner) decisions() ([]string, error) {
	since := time.Now().AddDate(0, 0, -recent).Format(time.DateOnly)
	lines, err := r.decisionsSince(since)
	if err == nil && len(lines) < 5 {
		return r.decisionsSince("")
	}
	return lines, err
}

func (r *runner) decisionsSince(day string) ([]string, error) {
	type decision struct{ day, saved, id, said string }
	var all []decision
	query := record.Query{Query: strings.Join(deciding, " "), K: 200, Full: true, Filters: record.Filters{Since: day}}
	p := pipeline.New(r.stage("ihmt-nav", "search", "-", "--json"))
	p.Input = record.New(record.KindQuery, query).String() + "\n"
	_, err := r.gather(p, func(rec *record.Record) string {
		if rec.Kind() == record.KindResult && rec.Str("status") == "" {
			if said := decisionIn(rec.Str("content")); said != "" && !outdated(said, rec) {
				all = append(all, decision{cli.Day(rec.Str("timestamp")), rec.Str("saved_at"), rec.Str("leaf_id"), said})
			}
		}
		return ""
	})
	slices.SortFunc(all, func(a, b decision) int {
		return cmp.Or(strings.Compare(b.day, a.day), strings.Compare(b.saved, a.saved), strings.Compare(a.id, b.id))
	})
	lines := make([]string, len(all))
	for i, d := range all {
		lines[i] = d.day + ": " + d.said
	}
	return lines, err
}

// outdated tells whether a sentence holds a value of which a notice of its
// leaf says that it no longer does.
func outdated(sentence string, leaf *record.Record) bool {
	for _, notice := range leaf.Get("notices").Array() {
		_, rest, _ := strings.Cut(notice.String(), " = '")
		value, _, found := strings.Cut(rest, "', but on ")
		if !found || strings.Contains(sentence, value) {
			return true
		}
	}
	return false
}

// deciding are the words by which a text says that something was decided, in
// the languages of the fact rules.
var deciding = []string{"decided", "decision", "chose", "agreed", "decidido", "decidimos", "decidí", "decisión", "acordamos", "acordado", "elegimos", "决定", "決定"}

// undecided are words that, shortly before one of those, say the contrary.
var undecided = []string{"not", "never", "no", "nunca", "sin", "without", "before", "until", "if"}

// decisionIn returns the first sentence that states a decision, and the next
// where it is no more than a heading; "" where there is none. Its date is left
// out: it is shown anyway.
func decisionIn(content string) string {
	sentences := sentencesOf(content)
	for i, said := range sentences {
		if !states(said) {
			continue
		}
		if date, ok := text.LeadingDate(said, text.DMY); ok {
			said = said[date.Length:]
		}
		if text.Tokens(said) < 8 && i+1 < len(sentences) {
			said += " " + sentences[i+1]
		}
		return cli.CleanLine(strings.TrimLeft(said, "#>*-:.,– \t\r\n"), 160)
	}
	return ""
}

func sentencesOf(content string) []string {
	var all []string
	start := 0
	for _, end := range append(text.Sentences(content), len(content)) {
		if end > start {
			all = append(all, content[start:end])
			start = end
		}
	}
	return all
}

func states(sentence string) bool {
	if strings.ContainsAny(sentence, "?？") {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(sentence), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	for i, word := range words {
		if !slices.ContainsFunc(deciding, func(d string) bool { return word == d || d[0] >= 0x80 && strings.Contains(word, d) }) {
			continue
		}
		return !slices.ContainsFunc(words[max(0, i-3):i], func(w string) bool {
			return slices.Contains(undecided, w) || strings.HasSuffix(strings.ReplaceAll(w, "’", "'"), "n't")
		})
	}
	return false
}

// fit writes as much of the parts as their tokens allow. A part that has less
// to say than its share leaves the rest to the others.
func fit(parts []part, tokens int) string {
	shown := make([]int, len(parts))
	left := tokens
	take := func(i, limit int) {
		used := 0
		for shown[i] < len(parts[i].lines) {
			cost := text.Tokens("- " + parts[i].lines[shown[i]] + "\n")
			if shown[i] == 0 {
				cost += text.Tokens(parts[i].title + "\n")
			}
			if used+cost > limit || cost > left {
				return
			}
			used, left = used+cost, left-cost
			shown[i]++
		}
	}
	for i, p := range parts {
		take(i, int(p.share*float64(tokens)))
	}
	for i := range parts {
		take(i, left)
	}
	var b strings.Builder
	for i, p := range parts {
		if shown[i] > 0 {
			b.WriteString(p.title + "\n")
		}
		for _, line := range p.lines[:shown[i]] {
			b.WriteString("- " + line + "\n")
		}
	}
	return b.String()
}
