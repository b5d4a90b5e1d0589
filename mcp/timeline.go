package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

type timelineArgs struct {
	Subject   string `json:"subject,omitempty" jsonschema:"user, or a person's name; default: all"`
	Attribute string `json:"attribute,omitempty" jsonschema:"e.g. location, employer; default: all"`
	At        string `json:"at,omitempty" jsonschema:"YYYY-MM-DD: also what held then"`
}

// timelineTokens is the longest answer.
const timelineTokens = 900

// A fact is a value and its days, for programs.
type fact struct {
	Subject   string `json:"subject"`
	Attribute string `json:"attribute"`
	Value     string `json:"value"`
	From      string `json:"from,omitempty"`
	To        string `json:"to,omitempty"`
	Status    string `json:"status"`
	Leaf      string `json:"leaf"`
}

func factOf(r *record.Record) fact {
	return fact{line(r.Str("subject"), 60), line(r.Str("attribute"), 40), line(r.Str("value"), 200), line(r.Str("valid_from"), 10), line(r.Str("valid_to"), 10),
		line(r.Str("status"), 12), line(r.Str("source_leaf"), 120)}
}

func factText(r *record.Record) string {
	f := factOf(r)
	said := fmt.Sprintf("%s %s = %s since %s", f.Subject, f.Attribute, f.Value, f.From)
	if f.To != "" {
		said += " until " + f.To
	}
	return said
}

type timeline struct {
	Now     []fact `json:"now"`
	Then    []fact `json:"then,omitempty"` // what held at the end of the day asked for
	Earlier []fact `json:"earlier,omitempty"`
	Planned []fact `json:"planned,omitempty"`
}

func memoryTimeline(c *call, in timelineArgs) (answer, error) {
	if in.At != "" {
		if _, err := time.Parse(time.DateOnly, in.At); err != nil {
			return answer{}, fmt.Errorf("at is %q; want a day as YYYY-MM-DD", line(in.At, 40))
		}
	}
	if c.server.empty() {
		return answer{"No facts: the memory is empty.", timeline{}}, nil
	}
	var t timeline
	wanted := func(r *record.Record) bool {
		return r.Kind() == record.KindFact && is(in.Subject, r.Str("subject")) && is(in.Attribute, r.Str("attribute"))
	}
	err := c.each(pipeline.New(c.memory("ihmt-facts", "timeline")), func(r *record.Record) {
		if !wanted(r) {
			return
		}
		switch f := factOf(r); f.Status {
		case "ACTIVE":
			t.Now = append(t.Now, f)
		case "FUTURE":
			t.Planned = append(t.Planned, f)
		default:
			t.Earlier = append(t.Earlier, f)
		}
	})
	if in.At != "" {
		err = errors.Join(err, c.each(pipeline.New(c.memory("ihmt-facts", "at", in.At)), func(r *record.Record) {
			if wanted(r) {
				t.Then = append(t.Then, factOf(r))
			}
		}))
	}
	if err != nil {
		return answer{}, err
	}
	return answer{t.text(in), t}, nil
}

// is tells whether a name is the one wanted, however it is written.
func is(wanted, name string) bool {
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return wanted == "" || strings.EqualFold(fold(wanted), fold(name))
}

func (t *timeline) text(in timelineArgs) string {
	if len(t.Now)+len(t.Then)+len(t.Earlier)+len(t.Planned) == 0 {
		return "No such facts. Facts come from saved sentences such as \"2026-02-03: I live in Valencia\"; search_memory finds what is not a fact."
	}
	var b strings.Builder
	section := func(title string, facts []fact, period func(fact) string) {
		if len(facts) == 0 {
			return
		}
		b.WriteString(title + "\n")
		for i, f := range facts {
			said := fmt.Sprintf("- %s %s: %s%s\n", f.Subject, f.Attribute, f.Value, period(f))
			if text.Tokens(b.String()+said) > timelineTokens {
				fmt.Fprintf(&b, "(%d more; name subject or attribute)\n", len(facts)-i)
				return
			}
			b.WriteString(said)
		}
	}
	since := func(f fact) string { return ", since " + f.From }
	fromTo := func(f fact) string {
		if f.To == "" {
			return since(f)
		}
		return ", " + f.From + " to " + f.To
	}
	now := "Now:"
	if in.At != "" {
		now = "Now, and not then:"
		if len(t.Then) == 0 {
			fmt.Fprintf(&b, "On %s: nothing known.\n", in.At)
		}
		section("On "+in.At+":", t.Then, func(f fact) string {
			if slices.ContainsFunc(t.Now, f.same) {
				return since(f) + ", still so"
			}
			if i := slices.IndexFunc(t.Earlier, f.same); i >= 0 { // which knows its end
				return fromTo(t.Earlier[i])
			}
			return fromTo(f)
		})
	}
	section(now, without(t.Now, t.Then), since)
	slices.Reverse(t.Earlier) // the newest change first
	section("Earlier, no longer so:", without(t.Earlier, t.Then), fromTo)
	section("From a day to come:", without(t.Planned, t.Then), since)
	return b.String()
}

// without are the facts that are not among others.
func without(facts, others []fact) []fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f fact) bool { return slices.ContainsFunc(others, f.same) })
}

// same tells whether two facts are one, told as of different days.
func (f fact) same(o fact) bool {
	return f.Subject == o.Subject && f.Attribute == o.Attribute && f.Value == o.Value && f.From == o.From
}
