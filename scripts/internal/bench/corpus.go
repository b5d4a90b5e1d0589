package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/text"
)

// A corpus is what memories are filled with: the first texts are real ones,
// or all are generated.
type corpus struct {
	texts  []string
	real   int // of these, from the start: notes that somebody may look for
	origin string
}

// readCorpus returns n texts. Where the file has fewer, the rest are as long
// as real ones and made of their words, drawn at random from all of them: the
// words stay as common as they are, and no two texts share a sentence.
func readCorpus(file string, n int, seed uint64) (corpus, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	if file == "" {
		return corpus{generate(n, random), n, fmt.Sprintf("generated from seed %d", seed)}, nil
	}
	texts, err := readNotes(file)
	if err != nil {
		return corpus{}, err
	}
	if len(texts) >= n {
		return corpus{texts[:n], n, "real ones from " + filepath.Base(file)}, nil
	}
	real := len(texts)
	var words []string
	lengths := make([]int, real)
	for i, t := range texts {
		f := strings.Fields(t)
		words, lengths[i] = append(words, f...), len(f)
	}
	for len(texts) < n {
		drawn := make([]string, lengths[random.IntN(real)])
		for i := range drawn {
			drawn[i] = words[random.IntN(len(words))]
		}
		texts = append(texts, strings.Join(drawn, " "))
	}
	return corpus{texts, real, fmt.Sprintf("%d real ones from %s, the rest made of their words", real, filepath.Base(file))}, nil
}

func readNotes(file string) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var texts []string
	for d := json.NewDecoder(bufio.NewReader(f)); ; {
		var note struct{ Text string }
		err := d.Decode(&note)
		switch {
		case errors.Is(err, io.EOF) && len(texts) > 0:
			return texts, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s holds no notes", file)
		case err != nil:
			return nil, fmt.Errorf("%s, note %d: %w", file, len(texts)+1, err)
		case strings.TrimSpace(note.Text) != "":
			texts = append(texts, note.Text)
		}
	}
}

// generate makes notes of 5 to 75 invented words that are as common as words
// are: by Zipf's law over 40,000 of them.
func generate(n int, random *rand.Rand) []string {
	const vocabulary = 40000
	words := make([]string, vocabulary)
	for i := range words {
		words[i] = invented(i)
	}
	zipf := rand.NewZipf(random, 1.1, 2, vocabulary-1)
	texts := make([]string, n)
	for i := range texts {
		sentence := make([]string, 5+random.IntN(36)+random.IntN(36))
		for j := range sentence {
			sentence[j] = words[zipf.Uint64()]
			if j%12 == 11 {
				sentence[j] += "."
			}
		}
		texts[i] = strings.Join(sentence, " ") + "."
	}
	return texts
}

// invented is the i-th word of syllables; the commonest are the shortest.
func invented(i int) string {
	const consonants, vowels = "bdfgklmnprst", "aeiou"
	var w []byte
	for i += 60; i > 0; i /= 60 {
		w = append(w, consonants[i%60/5], vowels[i%5])
	}
	return string(w)
}

// domainOf spreads notes unevenly over domains, in no order: of 12 the largest
// gets 29 % and the smallest 4 %.
func domainOf(i, domains int) string {
	_, u := math.Modf(float64(i) * math.Phi)
	return domainName(int(u * u * float64(domains)))
}

func domainName(d int) string { return fmt.Sprintf("domain.d%03d", d) }

func dateOf(i int) string {
	return time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i/12).Format(time.DateOnly)
}

// documents are the texts as ihmt-detect writes them.
func documents(texts []string, domains int) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i, t := range texts {
		_ = e.Encode(struct {
			Kind      string `json:"kind"`
			Source    string `json:"source"`
			DataType  string `json:"data_type"`
			Domain    string `json:"domain"`
			Timestamp string `json:"timestamp"`
			Text      string `json:"text"`
		}{"document", fmt.Sprintf("note-%06d", i), "GENERIC", domainOf(i, domains), dateOf(i), t})
	}
	return b.Bytes()
}

// chunk is one text to save, as ihmt-chunk writes it.
func chunk(source, text string) []byte {
	b, _ := json.Marshal(struct {
		Kind     string `json:"kind"`
		Source   string `json:"source"`
		Position int    `json:"position"`
		DataType string `json:"data_type"`
		Domain   string `json:"domain"`
		Content  string `json:"content"`
	}{"chunk", source, 0, "GENERIC", "domain.d001", text})
	return append(b, '\n')
}

// queries are four words each of a note, drawn at random as somebody might
// remember them: rare ones and common ones, but no stop words, which ihmt-nav
// leaves out and the others would have to wade through.
func queries(texts []string, n int, seed uint64) [][]string {
	random := rand.New(rand.NewPCG(seed, 1))
	var found [][]string
	for range 1000 * n {
		var words []string
		for w := range plainWords(texts[random.IntN(len(texts))]) {
			if !text.IsCommon(w) {
				words = append(words, w)
			}
		}
		if len(words) < 4 {
			continue
		}
		slices.Sort(words)
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		if found = append(found, words[:4]); len(found) == n {
			break
		}
	}
	return found
}

// plainWords are the words of a text that mean the same to every tool: four
// letters or more, a to z.
func plainWords(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if len(w) >= 4 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
			words[w] = true
		}
	}
	return words
}
