package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

type searchArgs struct {
	Query     string `json:"query" jsonschema:"Words to look for; \"phrases\" in quotes"`
	Clue      string `json:"clue,omitempty" jsonschema:"Words that tell which one is meant, after AMBIGUOUS"`
	Detail    string `json:"detail,omitempty" jsonschema:"full: whole texts of all matches"`
	At        string `json:"at,omitempty" jsonschema:"YYYY-MM-DD: what was true then"`
	Domain    string `json:"domain,omitempty" jsonschema:"Only this domain, e.g. personal"`
	Project   string `json:"project,omitempty" jsonschema:"Only this repository"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"Of the answer"`
}

const (
	defaultSearchTokens = 900
	searchResults       = 5
	maxNotices          = 3
	optionTokens        = 60 // of an option's excerpt, or of one line for a match
)

func describeSearch(property func(string) *jsonschema.Schema) {
	oneOf(property("detail"), "compact", "full")
	tokens(property("max_tokens"), defaultSearchTokens)
}

var errEmptyQuery = errors.New("query is empty: give words that the memory would hold")

func searchMemory(c *call, in searchArgs) (answer, error) {
	if strings.TrimSpace(in.Query) == "" {
		return answer{}, errEmptyQuery
	}
	if err := checkDay(in.At); err != nil {
		return answer{}, err
	}
	if c.server.empty() {
		return answer{"Nothing found: the memory is empty. save_memory puts the first entry in.", found{Nothing: true}}, nil
	}
	q := record.Query{Query: in.Query, Clue: in.Clue, K: searchResults, Filters: record.Filters{Domain: in.Domain, Project: in.Project, At: in.At}}
	return c.search(c.server.opt.Path, q, in.Detail == "full", in.MaxTokens)
}

// found is an answer to a search, for programs.
type found struct {
	Nothing    bool     `json:"nothing,omitempty"`
	Ambiguous  bool     `json:"ambiguous,omitempty"`
	Reason     string   `json:"reason,omitempty"` // why it is ambiguous
	Confidence float64  `json:"confidence"`
	Searched   int64    `json:"searched"` // memories there are
	Matches    []match  `json:"matches,omitempty"`
	Missing    []string `json:"missing,omitempty"` // words that no memory has
	Unknown    string   `json:"unknown,omitempty"` // what is not known of the time asked about
}

type match struct {
	ID      string   `json:"id"`
	Date    string   `json:"date"`
	Domain  string   `json:"domain"`
	Status  string   `json:"status,omitempty"` // superseded, retired; "" where current
	AsOf    string   `json:"as_of,omitempty"`  // the day asked about, on which it was true
	Notices []string `json:"notices,omitempty"`
	Text    string   `json:"text,omitempty"`
	part    bool     // Text is not all of it
	title   string
	excerpt string
}

// search answers a query to the memory in a folder.
func (c *call) search(path string, q record.Query, full bool, tokens int) (answer, error) {
	q.Full = full
	var head *record.Record
	var clue *record.Record
	var results []*record.Record
	err := c.each(feed(record.KindQuery, q, pipeline.Tool("ihmt-nav", "ask", "-", "--json", "--path="+path)), func(r *record.Record) {
		switch r.Kind() {
		case record.KindSearch:
			head = r
		case record.KindClue:
			clue = r
		case record.KindResult:
			results = append(results, r)
		}
	})
	if err != nil {
		return answer{}, err
	}
	if head == nil {
		return answer{}, errors.New("the search gave no answer; try it again")
	}
	f := found{Confidence: head.Get("confidence").Float(), Searched: head.Get("leaves_total").Int(), Unknown: line(head.Str("unknown"), 300)}
	var text string
	switch {
	case len(results) == 0 && clue == nil:
		f.Nothing = true
		f.Missing = strs(head.Get("missing"))
		text = nothingFound(head, q)
	case clue != nil:
		f.Ambiguous, f.Reason, f.Matches = true, line(clue.Str("reason"), 200), options(clue, results)
		text = ambiguous(&f, tokens)
	case full:
		f.Matches = matches(results)
		text = wholeTexts(&f, tokens)
	default:
		f.Matches = matches(results)
		if err := c.complete(path, &f.Matches[0], tokens*2/3); err != nil {
			return answer{}, err
		}
		text = compact(&f, tokens)
	}
	if f.Unknown != "" {
		text = f.Unknown + ".\n" + text
	}
	return answer{text, f}, nil
}

func matches(results []*record.Record) []match {
	var list []match
	for _, r := range results {
		m := match{ID: line(r.Str("leaf_id"), 120), Date: cli.Day(r.Str("timestamp")), Domain: line(r.Str("domain"), 64), Status: line(r.Str("status"), 20),
			AsOf: cli.Day(r.Str("as_of")), title: line(r.Str("title"), 80), excerpt: cli.Clean(r.Str("excerpt")), Text: cli.Clean(r.Str("content"))}
		for _, n := range r.Get("notices").Array() {
			m.Notices = append(m.Notices, strings.TrimPrefix(line(n.String(), 400), "OUTDATED: "))
		}
		list = append(list, m)
	}
	return list
}

// options are the memories that compete, with the notices of those that were
// also results.
func options(clue *record.Record, results []*record.Record) []match {
	notices := map[string][]string{}
	status, asOf := map[string]string{}, map[string]string{}
	for _, m := range matches(results) {
		notices[m.ID], status[m.ID], asOf[m.ID] = m.Notices, m.Status, m.AsOf
	}
	var list []match
	for _, o := range clue.Get("options").Array() {
		id := line(o.Get("leaf_id").String(), 120)
		list = append(list, match{ID: id, Date: cli.Day(o.Get("timestamp").String()), Domain: line(o.Get("domain").String(), 64),
			Status: status[id], AsOf: asOf[id], Notices: notices[id], Text: lead(line(o.Get("excerpt").String(), 4*optionTokens), cli.Day(o.Get("timestamp").String()))})
	}
	return list
}

// complete gives the best match its text: all of it where the excerpt is not
// and it fits, else what stands about the excerpt.
func (c *call) complete(path string, m *match, tokens int) error {
	m.Text = m.excerpt
	if !strings.HasPrefix(m.excerpt, "…") && !strings.HasSuffix(m.excerpt, "…") {
		return nil
	}
	return c.each(pipeline.New(pipeline.Tool("ihmt-nav", "get", m.ID, "--json", "--path="+path)), func(r *record.Record) {
		content := strings.TrimSpace(cli.Clean(r.Str("content")))
		if text.Tokens(content) > tokens {
			content, m.part = around(content, m.excerpt, tokens), true
		}
		m.Text = content
	})
}

// compact is the best memory, and a line for every other.
func compact(f *found, tokens int) string {
	var b strings.Builder
	best := &f.Matches[0]
	outdated(&b, f.Matches)
	fmt.Fprintf(&b, "%s%s  %s  confidence %.2f  id %s\n", asOf(best), best.Date, best.Domain, f.Confidence, best.ID)
	kept, left := cut(best.Text, max(tokens-text.Tokens(b.String())-20, minTokens/2))
	best.Text = kept
	b.WriteString(kept)
	b.WriteByte('\n')
	if left > 0 || best.part {
		b.WriteString("(a part of it; detail=full and max_tokens show more)\n")
	}
	later(&b, best)
	for i := range f.Matches[1:] {
		m := &f.Matches[i+1]
		m.Text = oneLine(m)
		said := fmt.Sprintf("- %s  %s%s  %s\n", m.Date, m.Domain, mark(m), m.Text)
		if text.Tokens(b.String()+said) > tokens {
			f.Matches = f.Matches[:i+1]
			break
		}
		if i == 0 {
			b.WriteString("Others:\n")
		}
		b.WriteString(said)
	}
	return b.String()
}

// mark flags a memory that holds no longer, or one that is told because it was
// true on the day asked about.
func mark(m *match) string {
	switch {
	case m.AsOf != "":
		return "  true on " + m.AsOf
	case len(m.Notices) > 0 || m.Status != "":
		return "  OUTDATED"
	}
	return ""
}

// asOf stands before a memory that was true on the day asked about.
func asOf(m *match) string {
	if m.AsOf == "" {
		return ""
	}
	return "AS OF " + m.AsOf + ": "
}

// later writes what has changed since the day asked about.
func later(b *strings.Builder, m *match) {
	if m.AsOf == "" {
		return
	}
	for _, n := range m.Notices[:min(len(m.Notices), maxNotices)] {
		fmt.Fprintf(b, "later: %s\n", n)
	}
}

// outdated writes what has changed since some memories, those left out that
// were asked for as of a day.
func outdated(b *strings.Builder, list []match) {
	said := map[string]bool{}
	for _, m := range list {
		if m.AsOf != "" {
			continue
		}
		for _, n := range m.Notices {
			if !said[n] && len(said) < maxNotices {
				said[n] = true
				fmt.Fprintf(b, "OUTDATED: %s\n", n)
			}
		}
	}
	if best := list[0]; best.AsOf == "" && len(best.Notices) == 0 && best.Status != "" {
		fmt.Fprintf(b, "OUTDATED: this memory is %s.\n", best.Status)
	}
}

// oneLine tells one memory from others in about a line: its title, and what
// matched where the title does not say it.
func oneLine(m *match) string {
	excerpt := line(lead(m.excerpt, m.Date), 2*optionTokens)
	title := lead(strings.TrimSuffix(m.title, "…"), m.Date)
	if title == "" || strings.HasPrefix(excerpt, title) {
		return excerpt
	}
	return line(title, optionTokens) + ": " + excerpt
}

// lead is a text without the mark of a heading and without the date that
// stands beside it anyway.
func lead(s, date string) string {
	s = strings.TrimLeft(s, "# ")
	if rest, ok := strings.CutPrefix(s, date); ok && date != "" {
		s = strings.TrimLeft(rest, " :·,.-–—")
	}
	return s
}

// wholeTexts are the memories as they are, as far as the budget goes.
func wholeTexts(f *found, tokens int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "confidence %.2f\n", f.Confidence)
	for i := range f.Matches {
		m := &f.Matches[i]
		room := tokens - text.Tokens(b.String()) - 60
		if i > 0 && room < minTokens {
			fmt.Fprintf(&b, "(matches for which there is no room: %d; max_tokens)\n", len(f.Matches)-i)
			f.Matches = f.Matches[:i]
			break
		}
		outdated(&b, f.Matches[i:i+1])
		fmt.Fprintf(&b, "%d. %s%s  %s  id %s\n", i+1, asOf(m), m.Date, m.Domain, m.ID)
		kept, left := cut(strings.TrimSpace(m.Text), max(room, minTokens/2))
		m.Text = kept
		b.WriteString(kept + "\n")
		if left > 0 {
			fmt.Fprintf(&b, "(%s)\n", text.Counted(left, "token more", "tokens more"))
		}
		later(&b, m)
		b.WriteByte('\n')
	}
	return b.String()
}

// ambiguous lists the memories that compete, and says what to do.
func ambiguous(f *found, tokens int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "AMBIGUOUS: %s.\n", strings.TrimSuffix(f.Reason, "."))
	for i := range f.Matches {
		m := &f.Matches[i]
		said := fmt.Sprintf("- %s  %s%s  %s\n", m.Date, m.Domain, mark(m), m.Text)
		for _, n := range m.Notices {
			label := "OUTDATED"
			if m.AsOf != "" {
				label = "later"
			}
			said += fmt.Sprintf("  %s: %s\n", label, n)
		}
		if i > 1 && text.Tokens(b.String()+said) > tokens-40 {
			f.Matches = f.Matches[:i]
			break
		}
		b.WriteString(said)
	}
	b.WriteString("Do not guess: ask the user which is meant, or call again with clue = words of the right one.\n")
	return b.String()
}

// nothingFound says so, and what would help.
func nothingFound(head *record.Record, q record.Query) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Nothing found in %s.", text.Counted(head.Get("leaves_total").Int(), "memory", "memories"))
	near := head.Get("close").Map()
	var unknown []string
	for _, word := range strs(head.Get("missing")) {
		said := fmt.Sprintf("%q", line(word, 40))
		if like := strs(near[word]); len(like) > 0 {
			said += " (there is " + strings.Join(like[:min(3, len(like))], ", ") + ")"
		}
		unknown = append(unknown, said)
	}
	if len(unknown) > 0 {
		fmt.Fprintf(&b, " No memory has %s.", strings.Join(unknown[:min(6, len(unknown))], ", "))
	}
	if domains := strs(head.Get("domains")); len(domains) > 0 {
		fmt.Fprintf(&b, " Parts of the query are in %s.", strings.Join(domains[:min(6, len(domains))], ", "))
	}
	if q.Domain != "" || q.Project != "" || q.At != "" {
		b.WriteString(" Try without the filters.")
	} else {
		b.WriteString(" Try other words for it; if that fails too, tell the user that it is not in the memory.")
	}
	return b.String()
}

func strs(list gjson.Result) []string {
	var all []string
	for _, v := range list.Array() {
		all = append(all, line(v.String(), 64))
	}
	return all
}

// jsonOf is a value of this package's as JSON.
func jsonOf(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
