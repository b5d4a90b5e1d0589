package detect

import (
	"os"
	"strings"
	"testing"
)

type labelled struct{ dataType, domain, language, name, text string }

func readLabelled(t *testing.T) []labelled {
	data, err := os.ReadFile("testdata/labelled.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	for part := range strings.SplitSeq("\n"+string(data), "\n=== ") {
		head, body, _ := strings.Cut(part, "\n")
		fields := append(strings.Fields(head), "", "", "", "")
		if fields[0] == "" || strings.HasPrefix(part, "\n#") {
			continue
		}
		all = append(all, labelled{fields[0], fields[1], fields[2], fields[3], body + "\n"})
	}
	return all
}

// The labels were written by a person, not by Classify. Of what is wrong,
// little may have been said with confidence.
func TestLabelledTexts(t *testing.T) {
	right, sure, total := 0, 0, 0
	for _, l := range readLabelled(t) {
		g := Classify(l.name, l.text)
		total++
		if g.DataType == l.dataType && (l.domain == "*" || g.Domain == l.domain) && (l.language == "*" || g.Language == l.language) {
			right++
			continue
		}
		if g.Confidence > 0.8 {
			sure++
		}
		t.Logf("want %s %s %s, got %s %s %s %.2f %q: %.60q", l.dataType, l.domain, l.language, g.DataType, g.Domain, g.Language, g.Confidence, g.Signals, l.text)
	}
	t.Logf("%d of %d right (%.1f %%), %d wrong above 0.8", right, total, 100*float64(right)/float64(total), sure)
	if float64(right) < 0.95*float64(total) {
		t.Errorf("only %d of %d right", right, total)
	}
	if sure*50 > total {
		t.Errorf("%d of %d wrong with a confidence above 0.8", sure, total)
	}
}
