package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

func init() {
	measurements["facts"] = measurement{"FILE   texts saved in order: what must hold now, at dates, and never", factCases}
}

// A factCase is texts saved in order and what must be true of them then.
type factCase struct {
	ID, Kind  string
	Saves     []string
	Now       map[string]string            // "user::location" -> value
	At        map[string]map[string]string // by day
	Absent    []string
	Notices   int
	Debatable string
}

// silent are the kinds of text that must never state a fact of their own.
var silent = []string{"negation", "past", "other_person", "plan", "question", "hypothetical"}

func factCases(args []string) error {
	if len(args) != 1 {
		return errors.New("want one FILE")
	}
	all, err := readJSON[factCase](args[0])
	if err != nil {
		return err
	}
	passed, asked := map[string]int{}, map[string]int{}
	right, counted, invented := 0, 0, 0
	for _, c := range all {
		wrong, extra, err := c.try()
		if err != nil {
			return fmt.Errorf("case %s: %w", c.ID, err)
		}
		asked[c.Kind]++
		wrong = append(wrong, extra...)
		if c.Debatable == "" {
			counted++
			if len(wrong) == 0 {
				right++
			}
			if slices.Contains(silent, c.Kind) {
				invented += len(extra)
			}
		}
		if len(wrong) == 0 {
			passed[c.Kind]++
			continue
		}
		fmt.Printf("%s %s: %s\n", c.ID, c.Kind, strings.Join(wrong, "; "))
		for _, s := range c.Saves {
			fmt.Printf("    %q\n", s)
		}
		if c.Debatable != "" {
			fmt.Printf("    debatable: %s\n", c.Debatable)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(asked)) {
		fmt.Printf("%-14s %3d of %3d\n", kind, passed[kind], asked[kind])
	}
	fmt.Printf("%d of %d that are not debatable (%.1f %%); %d false facts in %s\n", right, counted, 100*float64(right)/float64(counted), invented, strings.Join(silent, ", "))
	if 100*right < 95*counted || invented > 0 {
		return errors.New("wanted 95 % and no false fact")
	}
	return nil
}

// try saves the texts in a fresh memory and says what is wrong with the
// answers, and which facts nobody stated.
func (c *factCase) try() (wrong, extra []string, err error) {
	dir, err := os.MkdirTemp("", "ihmt-facts-*")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	for _, text := range c.Saves {
		chunks, err := pipe([]byte(text+"\n"), "ihmt-chunk", "-", "--path", dir, "--json")
		if err != nil {
			return nil, nil, err
		}
		if _, err := pipe(chunks, "ihmt-store", "--path", dir, "--json"); err != nil {
			return nil, nil, err
		}
	}
	days := map[string]map[string]string{"": c.Now}
	maps.Copy(days, c.At)
	for _, day := range slices.Sorted(maps.Keys(days)) {
		held, err := heldAt(dir, day)
		if err != nil {
			return nil, nil, err
		}
		for _, key := range slices.Sorted(maps.Keys(days[day])) {
			if want := days[day][key]; held[key] != want {
				wrong = append(wrong, fmt.Sprintf("%s %s is %q, want %q", cmp.Or(day, "now"), key, held[key], want))
			}
		}
		if day != "" {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(held)) {
			if _, ok := c.Now[key]; !ok {
				extra = append(extra, fmt.Sprintf("%s is %q, want none", key, held[key]))
			}
		}
	}
	out, err := pipe(nil, "ihmt-facts", "conflicts", "--path", dir, "--json")
	if n := bytes.Count(out, []byte("\n")); err == nil && n != c.Notices {
		wrong = append(wrong, fmt.Sprintf("%d notices, want %d", n, c.Notices))
	}
	return wrong, extra, err
}

// heldAt asks what held at the end of a day, or now, as subject::attribute.
func heldAt(dir, day string) (map[string]string, error) {
	args := []string{"now"}
	if day != "" {
		args = []string{"at", day}
	}
	out, err := pipe(nil, "ihmt-facts", append(args, "--path", dir, "--json")...)
	held := map[string]string{}
	for line := range bytes.Lines(out) {
		f := gjson.ParseBytes(line)
		held[f.Get("subject").Str+"::"+f.Get("attribute").Str] = f.Get("value").Str
	}
	return held, err
}
