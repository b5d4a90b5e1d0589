package facts

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
)

// FactTag is the tag of leaves that state a fact outright, as Say words it.
const FactTag = "fact"

const said = "Fact: "

var attributeKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}_.-]{1,64}$`) })

// Say words a fact as the text of a leaf that has FactTag:
// "Fact: user location = Valencia".
func Say(subject, attribute, value string) (string, error) {
	subject, value = FoldName(subject), strings.Join(strings.Fields(value), " ")
	attribute = strings.ToLower(attribute)
	switch {
	case subject == "" || value == "":
		return "", errors.New("a fact needs a subject, an attribute and a value")
	case !attributeKey().MatchString(attribute):
		return "", fmt.Errorf("attribute %q: want one word, as in location or package_manager", attribute)
	case strings.Contains(subject, " = "):
		return "", fmt.Errorf("subject %q must not contain ' = '", subject)
	}
	return said + subject + " " + attribute + " = " + value, nil
}

// Chunk is what to store so that a fact holds from a day on, written as
// [ParseDay] reads it; "" is today.
func Chunk(subject, attribute, value, day string) (record.Chunk, error) {
	text, err := Say(subject, attribute, value)
	if err != nil {
		return record.Chunk{}, err
	}
	if day == "" {
		day = Today(time.Now())
	} else if day, err = ParseDay(day); err != nil {
		return record.Chunk{}, err
	}
	return record.Chunk{DataType: record.TypePersonal, Domain: "personal", Timestamp: day, Tags: []string{FactTag},
		Title: text, Content: day + ": " + text + "\n"}, nil
}

// outright reads what a leaf with FactTag says.
func outright(leaf Leaf, day string) []Statement {
	if !slices.ContainsFunc(leaf.Tags, func(tag string) bool { return strings.EqualFold(tag, FactTag) }) {
		return nil
	}
	var found []Statement
	for line := range strings.Lines(leaf.Text) {
		_, fact, ok := strings.Cut(line, said)
		key, value, eq := strings.Cut(fact, " = ")
		i := strings.LastIndexByte(key, ' ')
		if ok && eq && i > 0 {
			found = append(found, Statement{Subject: FoldName(key[:i]), Attribute: key[i+1:], Value: strings.TrimSpace(value), Date: day})
		}
	}
	return found
}
