package mcp

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/secret"
)

type saveArgs struct {
	Content        string `json:"content" jsonschema:"Whole sentences, the date first: 2026-02-03: …"`
	Domain         string `json:"domain,omitempty" jsonschema:"e.g. work.decisions; default: detected"`
	ContentType    string `json:"content_type,omitempty" jsonschema:"default: detected"`
	Replaces       string `json:"replaces,omitempty" jsonschema:"Id of the memory that this one supersedes"`
	AllowSensitive bool   `json:"allow_sensitive,omitempty" jsonschema:"Save though it looks like a secret; only if the user insists"`
}

func describeSave(property func(string) *jsonschema.Schema) {
	oneOf(property("content_type"), "auto", "code", "narrative", "clinical", "personal", "process", "generic")
}

// saved is what was kept, for programs.
type saved struct {
	Leaves  []savedLeaf `json:"leaves"`
	Entries int64       `json:"entries"` // that the memory holds now
	Facts   []string    `json:"facts,omitempty"`
	Notices []string    `json:"notices,omitempty"`
	Similar []similar   `json:"similar,omitempty"`
}

type savedLeaf struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Type   string `json:"type"`
	Domain string `json:"domain"`
	Date   string `json:"date"`
}

type similar struct {
	ID    string  `json:"id"`
	Date  string  `json:"date"`
	Share float64 `json:"share"`
}

func saveMemory(c *call, in saveArgs) (answer, error) {
	if strings.TrimSpace(in.Content) == "" {
		return answer{}, errors.New("content is empty: say what to remember")
	}
	if found := secret.Find(in.Content); len(found) > 0 && !in.AllowSensitive {
		return answer{}, fmt.Errorf("not saved, and nothing of it was written: the content holds %s. Leave it out and say where it is kept instead; set allow_sensitive only if the user insists", secret.Names(found))
	}
	if in.Replaces != "" && !leafID(in.Replaces) {
		return answer{}, fmt.Errorf("replaces is %q, which is no id; search_memory shows them, as in L-personal-0000-3fd1a77c02", line(in.Replaces, 80))
	}
	doc := record.Document{Text: in.Content, Domain: strings.TrimSpace(in.Domain), Agent: c.agent(), Project: c.project()}
	if in.ContentType != "auto" {
		doc.DataType = strings.ToUpper(in.ContentType)
	}
	store := c.memory("ihmt-store")
	if in.Replaces != "" {
		store.Args = append(store.Args, "--replaces="+in.Replaces)
	}
	var s saved
	err := c.each(feed(record.KindDocument, doc, pipeline.Tool("ihmt-chunk", "-", "--json", "--path="+c.server.opt.Path), store, c.memory("ihmt-facts")), s.add)
	if err == nil && len(s.Leaves) == 0 {
		err = errors.New("nothing was saved: the content has no text that can be kept")
	}
	if err != nil {
		return answer{}, c.withIDs(err, in)
	}
	pending := c.count(&s)
	if pending >= growEvery {
		c.server.grow()
	}
	return answer{s.text(), s}, nil
}

// withIDs is a failure to save. Where it is that there is nothing to replace,
// and no id is like the one given, it names those of memories that are like
// what was to be saved.
func (c *call) withIDs(err error, in saveArgs) error {
	said, _, unknown := strings.Cut(err.Error(), listsThem)
	if !unknown {
		return err
	}
	var near []string
	q := record.Query{Query: line(in.Content, 200), K: 3}
	c.each(feed(record.KindQuery, q, c.memory("ihmt-nav", "ask", "-")), func(r *record.Record) {
		if r.Kind() == record.KindResult {
			near = append(near, line(r.Str("leaf_id"), 120)+" ("+line(r.Str("title"), 60)+")")
		}
	})
	if len(near) == 0 {
		return errors.New(said + "; search_memory shows the ids")
	}
	return fmt.Errorf("%s; like the content are %s", said, strings.Join(near, ", "))
}

// listsThem is what a tool says that knows no id like the one given.
const listsThem = "; ihmt-store ls lists them"

func (s *saved) add(r *record.Record) {
	switch r.Kind() {
	case record.KindLeaf:
		s.Leaves = append(s.Leaves, savedLeaf{ID: line(r.Str("leaf_id"), 120), Status: line(r.Str("status"), 20), Type: line(r.Str("data_type"), 12),
			Domain: line(r.Str("domain"), 64), Date: cli.Day(r.Str("timestamp"))})
		for _, o := range r.Get("similar").Array() {
			s.Similar = append(s.Similar, similar{line(o.Get("leaf_id").String(), 120), cli.Day(o.Get("timestamp").String()), o.Get("share").Float()})
		}
	case record.KindFact:
		s.Facts = append(s.Facts, factText(r))
	case record.KindNotice:
		s.Notices = append(s.Notices, line(r.Str("text"), 400))
	}
}

// count asks how much the memory holds, and how much of it no branch has yet.
// The data is safe by now, so a failure is not told.
func (c *call) count(s *saved) (pending int64) {
	c.each(pipeline.New(c.memory("ihmt-store", "stats")), func(r *record.Record) {
		totals := r.Get("totals")
		s.Entries, pending = totals.Get("leaves").Int(), totals.Get("pending").Int()
	})
	return pending
}

func (s *saved) text() string {
	var b strings.Builder
	first := s.Leaves[0]
	what := "Saved"
	switch first.Status {
	case "unchanged":
		what = "Already there"
	case "replaced":
		what = "Saved in place of the earlier one"
	}
	fmt.Fprintf(&b, "%s as %s/%s, %s", what, first.Type, first.Domain, first.Date)
	if n := len(s.Leaves); n > 1 {
		fmt.Fprintf(&b, ", in %d parts", n)
	}
	fmt.Fprintf(&b, "; id %s.", first.ID)
	if s.Entries > 0 {
		fmt.Fprintf(&b, " Entries in the memory: %d.", s.Entries)
	}
	b.WriteByte('\n')
	if len(s.Facts) > 0 {
		fmt.Fprintf(&b, "Facts: %s.\n", strings.Join(s.Facts[:min(8, len(s.Facts))], "; "))
	}
	for _, n := range s.news() {
		fmt.Fprintf(&b, "Tell the user: %s\n", n)
	}
	if len(s.Similar) > 0 {
		b.WriteString("Similar, if this corrects one of them (save again with replaces):\n")
		for _, o := range s.Similar[:min(3, len(s.Similar))] {
			fmt.Fprintf(&b, "- %s  %s  %.0f %% the same\n", o.Date, o.ID, 100*o.Share)
		}
	}
	return b.String()
}

// news are the notices that the user has not been told: none where everything
// was there already.
func (s *saved) news() []string {
	if slices.ContainsFunc(s.Leaves, func(l savedLeaf) bool { return l.Status != "unchanged" }) {
		return s.Notices
	}
	return nil
}

// leafID tells whether a text looks like the id of a leaf.
func leafID(s string) bool {
	rest, ok := strings.CutPrefix(s, "L-")
	return ok && nodeName(rest)
}

func nodeName(s string) bool {
	return s != "" && len(s) <= 120 && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
	}) < 0
}

// growEvery is how many leaves may wait for their branches before a save
// makes the tree grow. Searching does not need it; reading on does.
const growEvery = 16

// grow makes the tree grow while nobody waits for it. A run that is under way
// is enough, and one that fails is made up for by the next.
func (s *Server) grow() {
	if s.life.Err() != nil || !s.growing.TryLock() {
		return
	}
	s.work.Go(func() {
		defer s.growing.Unlock()
		pipeline.New(pipeline.Tool("ihmt-summarize", "--json", "--path="+s.opt.Path)).Run(s.life, io.Discard)
	})
}
