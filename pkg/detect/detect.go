// Package detect answers what a text is: its type (code, narrative, clinical,
// personal, process, generic), its domain, its language, and when it was true.
//
// [Each] finds the documents that a command line names: files, folders walked
// in path order, plain text or document records on standard input. [Classify]
// judges one text by its name and its words, [Decode] turns bytes into text.
//
// # What a walk takes
//
// A folder's files in path order, except those that .gitignore (as git reads
// it, those of the folders above up to the repository's root and
// .git/info/exclude too) or .ihmtignore (same syntax, read after it) exclude,
// and those that are hidden, vendored, generated, binary or empty. Each thing
// left out is told once; a folder left out is told as one. Symbolic links met
// in a walk are never followed, so there are no loops and nothing outside the
// folder is read; what lies inside is met under its own name anyway. A file or
// folder named as an argument is taken whatever its name, also through a link.
//
// # Domains
//
// A domain is a dotted slug. The ones that are given here:
//
//	software.<language>   code: software.go, software.java, software.shell …
//	software.config       settings and data formats: YAML, TOML, JSON, INI, XML
//	software.build        Makefile, Dockerfile, CMake …
//	software              code of which no more is known than that it is code
//	software.web          HTML and style sheets
//	software.docs         prose about software: README, manuals, Markdown with code
//	medicine.clinical     clinical records
//	process.cooking       recipes
//	process.howto         other instructions in steps
//	literature.narrative  stories
//	personal              diaries, dated notes, letters, what a person says of itself
//	personal.chat         exported conversations
//	data                  tables: CSV
//	general               everything else
package detect

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// MaxSize is the largest file or plain text, in bytes, that is taken.
const MaxSize = 64 << 20

// ErrIncomplete ends a run that took everything but something it was asked
// for: a named file that is binary or empty, a file or folder that cannot be
// read, a line that is not a record. Each such thing has been skipped with
// its reason.
var ErrIncomplete = errors.New("something that was asked for could not be taken")

// Options are what the caller knows better than the text. Empty fields are
// detected, or left out.
type Options struct {
	Type      string   // one of the record.Type constants, in any case
	Domain    string   // made a slug by [Domain]
	Tags      []string // added to those of a document record
	Author    string
	Project   string
	Agent     string
	DateOrder text.DateOrder // of numeric dates in the text

	KeepGoing bool             // skip lines of standard input that are no records
	Pause     func() error     // called when standard input may have nothing more for now
	Now       func() time.Time // nil: time.Now
}

// Each calls do for every document that the arguments name, in their order
// and in path order below a folder, and skip for everything that is not
// taken. Standard input is "-", or no argument at all: document records are
// completed with what they lack, other records are handed on as they are, and
// anything that does not look like records is one plain text.
//
// An empty file is skipped and its document_end handed on, which retires what
// the file said before. A file's source is its absolute path with forward slashes. A plain text is a
// source of its own, named by its day and its words ([TextSource]).
//
// Each ends at the first error of do, skip or the options, at an argument
// that does not exist (before anything is read), and at a malformed line of
// standard input unless opt.KeepGoing; a run that left out something asked
// for ends with [ErrIncomplete].
func Each(args []string, stdin io.Reader, opt Options, do func(*record.Record) error, skip func(record.Skipped) error) error {
	if err := opt.check(); err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, arg := range args {
		if arg == "-" {
			continue
		}
		if _, err := os.Stat(arg); err != nil && !errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("%w; name a file or folder that exists, or - for standard input", err)
		}
	}
	c := &collector{opt: opt, do: do, skip: skip}
	for _, arg := range args {
		var err error
		if arg == "-" {
			err = c.input(stdin)
		} else {
			err = c.argument(arg)
		}
		if err != nil {
			return err
		}
	}
	if c.incomplete {
		return ErrIncomplete
	}
	return nil
}

// Complete gives a document what it lacks, as [Each] does for document records.
// It fails where an option is wrong, or the domain is no slug.
func Complete(doc *record.Document, opt Options) error {
	if err := opt.check(); err != nil {
		return err
	}
	return (&collector{opt: opt}).fill(doc)
}

func (o *Options) check() error {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Type != "" {
		o.Type = strings.ToUpper(o.Type)
		if !slices.Contains(types, o.Type) {
			return fmt.Errorf("type %q is none of %s", o.Type, strings.Join(types, ", "))
		}
	}
	if o.Domain == "" {
		return nil
	}
	var err error
	o.Domain, err = Domain(o.Domain)
	return err
}

// types are in the order of their display, and of preference at equal scores.
var types = []string{record.TypeCode, record.TypeClinical, record.TypeProcess, record.TypeNarrative, record.TypePersonal, record.TypeGeneric}

// MaxDomain is the greatest length of a domain, in bytes.
const MaxDomain = 64

// Domain returns a name as a domain slug: lower case, accents folded, blanks
// become hyphens. What then is not made of [a-z0-9._-], starts with a dot, has
// an empty part or is longer than [MaxDomain] is an error that says so.
func Domain(name string) (string, error) {
	var slug strings.Builder
	for _, r := range norm.NFKD.String(strings.Join(strings.Fields(strings.ToLower(name)), "-")) {
		switch {
		case r >= 0x300 && r <= 0x36f: // an accent
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			slug.WriteRune(r)
		default:
			return "", fmt.Errorf("domain %q has the character %q; use letters a to z, digits, and - or _, with dots between parts, as in software.go", name, r)
		}
	}
	s := slug.String()
	switch {
	case s == "" || strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".") || strings.Contains(s, ".."):
		return "", fmt.Errorf("domain %q has an empty part; dots stand only between parts, as in software.go", name)
	case len(s) > MaxDomain:
		return "", fmt.Errorf("domain %q is %d bytes long; at most %d", name, len(s), MaxDomain)
	}
	return s, nil
}

// TextSource names a plain text by its day and its words: the same words said
// on the same day are the same memory, on another day a new one. Of the
// timestamp only the day (YYYY-MM-DD) counts.
func TextSource(timestamp, text string) string {
	day := timestamp[:min(len(timestamp), len(time.DateOnly))]
	sum := sha256.New()
	io.WriteString(sum, day+"\n")
	io.Copy(sum, struct{ io.Reader }{strings.NewReader(text)}) // piece by piece
	return "text:" + hex.EncodeToString(sum.Sum(nil)[:5])
}

// A collector is one run of Each.
type collector struct {
	opt        Options
	do         func(*record.Record) error
	skip       func(record.Skipped) error
	incomplete bool
}

// leave skips a thing that the rules leave out.
func (c *collector) leave(source, reason string) error {
	return c.skip(record.Skipped{Source: source, Reason: reason})
}

// miss skips a thing that was asked for.
func (c *collector) miss(source, reason string) error {
	c.incomplete = true
	return c.leave(source, reason)
}

// argument takes the file or folder that an argument names.
func (c *collector) argument(arg string) error {
	path, err := filepath.Abs(arg)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return c.miss(slashed(path), reasonOf(err))
	case info.IsDir():
		return c.walk(path)
	case !info.Mode().IsRegular(): // a pipe: <(command)
		f, err := os.Open(path)
		if err != nil {
			return c.miss(slashed(path), reasonOf(err))
		}
		defer f.Close()
		return c.plain(f, slashed(path))
	}
	return c.file(path, info, true, true)
}

// file takes a regular file. One that was named is missed where it is no text;
// one that is wanted is taken though it looks generated.
func (c *collector) file(path string, info os.FileInfo, named, wanted bool) error {
	source, leave := slashed(path), c.leave
	if named {
		leave = c.miss
	}
	switch {
	case !utf8.ValidString(path):
		return c.miss(strings.ToValidUTF8(source, "\uFFFD"), "the file's name is not valid UTF-8; rename it")
	case info.Size() == 0:
		return c.empty(source, leave)
	case info.Size() > MaxSize:
		return leave(source, tooLarge(info.Size()))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return c.miss(source, reasonOf(err))
	}
	content, note, err := Decode(data)
	if err != nil {
		return leave(source, err.Error())
	}
	if content == "" { // a byte order mark of UTF-16 and nothing else
		return c.empty(source, leave)
	}
	if !wanted {
		if reason := generated(filepath.Base(path), content); reason != "" {
			return c.leave(source, reason)
		}
	}
	return c.document(record.Document{Source: source, Text: content}, filepath.Base(path), note, info.ModTime().Format(time.RFC3339))
}

// empty skips a file and ends its document, so that what it held before is no
// longer current.
func (c *collector) empty(source string, leave func(source, reason string) error) error {
	if err := leave(source, "empty"); err != nil {
		return err
	}
	sum := sha256.Sum256(nil)
	return c.do(record.New(record.KindDocumentEnd, record.DocumentEnd{Source: source, Checksum: "sha256:" + hex.EncodeToString(sum[:])}))
}

// plain takes a whole stream as one plain text.
func (c *collector) plain(in io.Reader, name string) error {
	data, err := io.ReadAll(io.LimitReader(in, MaxSize+1))
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	if len(data) > MaxSize {
		return c.miss(name, tooLarge(int64(len(data))))
	}
	content, note, err := Decode(data)
	if err != nil {
		return c.miss(name, err.Error())
	}
	if strings.TrimSpace(content) == "" {
		return c.miss(name, "empty")
	}
	return c.document(record.Document{Text: content}, "", note, c.opt.Now().Format(time.RFC3339))
}

// document completes and hands on a text that was read.
func (c *collector) document(doc record.Document, name, note, timestamp string) error {
	if note != "" {
		doc.Signals = append(doc.Signals, note)
	}
	c.complete(&doc, name, timestamp)
	return c.do(record.NewDocument(doc))
}

// complete fills what a document lacks and the options determine.
func (c *collector) complete(doc *record.Document, name, timestamp string) {
	c.judge(doc, name)
	if doc.Timestamp == "" {
		c.date(doc, timestamp)
	}
	for _, tag := range c.opt.Tags {
		if !slices.Contains(doc.Tags, tag) {
			doc.Tags = append(doc.Tags, tag)
		}
	}
	doc.Author = cmp.Or(c.opt.Author, doc.Author)
	doc.Project = cmp.Or(c.opt.Project, doc.Project)
	doc.Agent = cmp.Or(c.opt.Agent, doc.Agent)
	if doc.Source == "" {
		doc.Source = TextSource(doc.Timestamp, doc.Text)
	}
}

// judge gives a document its type, domain and language: those of the options,
// else its own, else what it seems to be. A given type decides the domain.
func (c *collector) judge(doc *record.Document, name string) {
	guess := Guess{DataType: doc.DataType, Domain: doc.Domain, Language: doc.Language, Confidence: doc.Confidence}
	if doc.DataType == "" || doc.Domain == "" {
		guess = Classify(name, doc.Text)
	}
	doc.Signals = append(doc.Signals, guess.Signals...)
	if c.opt.Type != "" {
		doc.DataType, guess.Confidence = c.opt.Type, 1
		doc.Signals = append(doc.Signals, "given:type")
	}
	if c.opt.Domain != "" {
		doc.Domain = c.opt.Domain
		doc.Signals = append(doc.Signals, "given:domain")
	}
	doc.DataType = cmp.Or(doc.DataType, guess.DataType)
	if doc.DataType != guess.DataType {
		guess.Domain = domains[doc.DataType]
	}
	doc.Domain = cmp.Or(doc.Domain, guess.Domain, domains[record.TypeGeneric])
	doc.Language = cmp.Or(doc.Language, guess.Language)
	doc.Confidence = guess.Confidence
}

// date gives a document the date that leads it, or the one that its reading
// suggests. Dates at the head of code are those of licences.
func (c *collector) date(doc *record.Document, timestamp string) {
	doc.Timestamp = timestamp
	lead, ok := text.LeadingDate(doc.Text, c.opt.DateOrder)
	if !ok || doc.DataType == record.TypeCode {
		return
	}
	doc.Timestamp = lead.Date.String()
	doc.Signals = append(doc.Signals, "leading-date")
	if lead.Ambiguous {
		doc.Signals = append(doc.Signals, "ambiguous-date:"+doc.Timestamp)
	}
}

func slashed(path string) string { return filepath.ToSlash(path) }

func tooLarge(size int64) string {
	return fmt.Sprintf("larger than %d MiB (%d MiB); split it", MaxSize>>20, (size+1<<20-1)>>20)
}

// reasonOf returns an error of the file system without the path, which the
// skipped record names already.
func reasonOf(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return "cannot be read: " + path.Err.Error()
	}
	return "cannot be read: " + err.Error()
}
