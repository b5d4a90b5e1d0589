package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

// faults are the named points at which a process ends itself, by which process
// passes them. The number in them is filled in.
var faults = map[string][]string{
	"save": {
		"create layer_0/ %d before", "write layer_0/ %d half", "sync layer_0/ %d after", "rename layer_0/ %d before", "rename layer_0/ %d after",
		"syncfolder layer_0/ 1 before", "syncfolder layer_0/ 1 after", "mkdir layer_0/ 1 after",
		"create state/journal/ 1 after", "write state/journal/ 1 before", "write state/journal/ 1 half", "write state/journal/ 1 after", "sync state/journal/ 1 before", "sync state/journal/ 1 after",
	},
	"grow": {
		"create layers/1/ %d after", "write layers/1/ %d half", "rename layers/1/ %d after", "rename layers/2/ 1 before", "rename layers/2/ 1 after", "syncfolder layers/ 1 before",
		"write state/tables/ 1 half", "write state/tables/ 2 half", "rename state/tables/ 1 before", "rename state/tables/ 1 after", "write state/spine.tsv 1 half", "sync state/spine.tsv 1 before",
		"sync state/journal/ 1 before", "write root.json 1 half", "rename root.json 1 before", "rename root.json 1 after", "syncfolder . 1 after",
		"remove state/tables/ 1 before", "remove state/tables/ 1 after", "create state/journal/ 1 after", "rename state/journal/ 1 before", "rename state/journal/ 1 after", "write layer_0/ %d half", "write layer_0/ %d after",
	},
	"rebuild": {
		"write state/journal/ 1 half", "sync state/journal/ 1 after", "rename root.json 1 before", "rename root.json 1 after", "remove state/journal/ 1 before", "remove state/tables/ 1 after", "remove layers/ 2 after",
		"rename state/tables/ 1 before", "rename root.json 2 before",
	},
	"rm": {
		"write tombstones.jsonl 1 half", "rename tombstones.jsonl 1 after", "rename root.json 1 after", "write state/journal/ 1 before", "write state/journal/ 1 after", "sync state/journal/ 1 after", "remove state/facts.jsonl 1 after",
		"remove layer_0/ 1 before", "remove layer_0/ 1 after", "rename layers/ 1 after",
	},
}

// A life is one memory that things are done to and that processes are killed
// over.
type life struct {
	home     string
	within   []string // what the tools are started with, as to see the home
	bin      string
	random   *rand.Rand
	promise  *promise
	round    int
	versions map[string]map[string]bool // ids of the last acknowledged version of a file
	unheard  []record.Chunk             // sent and never acknowledged

	died chan struct{} // told when a process ended at its named point

	points map[string]string // the named point of a fault, as it was filled in
	before map[string]int    // how often points were reached in earlier lives

	mu     sync.Mutex
	counts counts
}

// counts are what a run did.
type counts struct {
	rounds, killed, faulted, acknowledged, repaired int
	reached                                         map[string]int // processes that ended at a named point
}

func newCounts() counts { return counts{reached: map[string]int{}} }

// killRounds starts savers, a consolidator and readers on a memory and kills
// them, again and again, and holds the memory against what it acknowledged.
func killRounds(bin string, rounds int, seed uint64, say func(string)) (counts, error) {
	const lifetime = 10
	total := newCounts()
	for done := 0; done < rounds; done += lifetime {
		home, err := os.MkdirTemp("", "ihmt-torture-")
		if err != nil {
			return total, err
		}
		l := &life{home: home, bin: bin, random: rand.New(rand.NewPCG(seed, uint64(done))), promise: newPromise(), versions: map[string]map[string]bool{}, before: total.reached, counts: newCounts(), points: map[string]string{}}
		if done/lifetime%2 == 1 { // every other one has a deep tree; the rest begin with nothing
			s, err := store.Init(memoryOf(home), func(settings *store.Settings) { settings.BranchFactor = 2 }, false)
			if err != nil {
				return total, err
			}
			s.Close()
		}
		for l.round = done; l.round < min(done+lifetime, rounds); l.round++ {
			if err := l.live(); err != nil {
				return total, keep(home, fmt.Errorf("round %d: %w", l.round, err))
			}
		}
		total.add(l.counts)
		os.RemoveAll(home)
		say(fmt.Sprintf("%d rounds, %d processes killed, %d at a named point, %d leaves acknowledged, none lost", total.rounds, total.killed, total.faulted, total.acknowledged))
	}
	return total, nil
}

func (c *counts) add(d counts) {
	c.rounds += d.rounds
	c.killed += d.killed
	c.faulted += d.faulted
	c.acknowledged += d.acknowledged
	c.repaired += d.repaired
	for point, n := range d.reached {
		c.reached[point] += n
	}
}

// live is one round.
func (l *life) live() error {
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	var running sync.WaitGroup
	var failed error
	run := func(do func() error) {
		running.Go(func() {
			if err := do(); err != nil {
				l.mu.Lock()
				failed = err
				l.mu.Unlock()
			}
		})
	}
	l.died = make(chan struct{}, 8)
	victim := ""
	if l.random.IntN(2) == 0 {
		victim = []string{"save", "save", "grow", "grow", "grow", "rebuild", "rm"}[l.random.IntN(7)]
	}
	for i := range 2 {
		stream, sent := l.stream(i)
		fault := l.fault(victim == "save" && i == 0, "save")
		run(func() error { return l.save(ctx, fault, stream, sent) })
	}
	grow := [][]string{{}, {"--force"}}[l.random.IntN(2)]
	fault := l.fault(victim == "grow", "grow")
	run(func() error {
		for ctx.Err() == nil {
			if err := l.tool(ctx, fault, nil, "ihmt-summarize", grow...); err != nil {
				return err
			}
		}
		return nil
	})
	run(func() error {
		for ctx.Err() == nil {
			query := string(record.New(record.KindQuery, record.Query{Query: "harbour lighthouse"}).Append(nil)) + "\n"
			if err := l.tool(ctx, "", strings.NewReader(query), "ihmt-nav", "search", "-"); err != nil {
				return err
			}
		}
		return nil
	})
	switch ids := l.removable(); {
	case victim == "rm" && len(ids) > 0:
		id := ids[l.random.IntN(len(ids))]
		l.promise.doomed[id] = true
		fault := l.fault(true, "rm")
		run(func() error { return l.tool(ctx, fault, nil, "ihmt-store", "rm", "--yes", id) })
	case victim == "rebuild" && len(l.promise.leaves) > 0:
		fault := l.fault(true, "rebuild")
		run(func() error { return l.tool(ctx, fault, nil, "ihmt-store", "rebuild") })
	}
	patience := time.Duration(5+l.random.IntN(400)) * time.Millisecond
	if victim != "" {
		patience = 5 * time.Second
	}
	select {
	case <-l.died: // at its named point
	case <-time.After(patience):
	}
	time.Sleep(time.Duration(l.random.IntN(50)) * time.Millisecond)
	kill()
	running.Wait()
	l.counts.rounds++
	if failed != nil {
		return failed
	}
	if _, err := os.Stat(filepath.Join(memoryOf(l.home), "layer_0")); err != nil && len(l.promise.leaves) == 0 {
		return nil // nothing had been begun
	}
	if err := l.promise.broken(memoryOf(l.home), l.random, false); err != nil {
		return fmt.Errorf("after the kill (%s): %w", victim, err)
	}
	return l.mend()
}

// fault is a named point, of those that were reached the least; "" where none
// is wanted.
func (l *life) fault(wanted bool, of string) string {
	if !wanted {
		return ""
	}
	reached := func(point string) int { return l.before[of+": "+point] + l.counts.reached[of+": "+point] }
	point := ""
	for _, i := range l.random.Perm(len(faults[of])) {
		if p := faults[of][i]; point == "" || reached(p) < reached(point) && l.random.IntN(4) > 0 { // not always: some are hard to reach
			point = p
		}
	}
	fault := point
	if strings.Contains(fault, "%d") {
		fault = fmt.Sprintf(fault, 1+l.random.IntN(20))
	}
	l.points[fault] = of + ": " + point
	return fault
}

// never lists the named points that no process reached.
func (c *counts) never() (points []string) {
	for _, of := range slices.Sorted(maps.Keys(faults)) {
		for _, point := range faults[of] {
			if c.reached[of+": "+point] == 0 {
				points = append(points, of+": "+point)
			}
		}
	}
	return points
}

// mend does what would be done after a crash, and finds the memory whole.
func (l *life) mend() error {
	ctx, whole := context.Background(), true
	var err error
	what := ""
	switch l.random.IntN(5) {
	case 0:
		what, err = "rebuild", l.tool(ctx, "", nil, "ihmt-store", "rebuild")
	case 1:
		what, err = "verify --repair", l.tool(ctx, "", nil, "ihmt-store", "verify", "--repair")
	case 2:
		what, whole = "grow", false
		err = l.tool(ctx, "", nil, "ihmt-summarize", "--force")
	case 3:
		what, whole = "save again", false
		var lines []byte
		for _, c := range l.unheard {
			lines = append(record.New(record.KindChunk, c).Append(lines), '\n')
		}
		sent := l.unheard
		l.unheard = nil
		err = l.save(ctx, "", lines, sent)
	default:
		return nil
	}
	l.counts.repaired++
	if err == nil {
		err = l.promise.broken(memoryOf(l.home), l.random, whole)
	}
	if err != nil {
		return fmt.Errorf("after %s: %w", what, err)
	}
	if n := leftovers(memoryOf(l.home)); n > 0 && whole {
		return fmt.Errorf("after %s: %d temporary files are still there", what, n)
	}
	for id := range l.promise.doomed {
		if _, err := os.Stat(filepath.Join(memoryOf(l.home), store.LeafPath(id))); err != nil {
			delete(l.promise.leaves, id)
		}
	}
	return nil
}

func (l *life) removable() []string {
	var ids []string
	for id, n := range l.promise.leaves {
		if !n.retired && !l.promise.doomed[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// stream is what a saver is fed: notes, versions of a file, and notes that
// were sent before and never acknowledged.
func (l *life) stream(saver int) (lines []byte, sent []record.Chunk) {
	send := func(c record.Chunk) {
		lines = append(record.New(record.KindChunk, c).Append(lines), '\n')
		sent = append(sent, c)
	}
	if saver == 0 {
		for _, c := range l.unheard {
			send(c)
		}
		l.unheard = nil
	}
	chunk := func(source string, position, n int) record.Chunk {
		return record.Chunk{Source: source, Position: position, Domain: []string{"sea", "land", "sea.deep"}[l.random.IntN(3)], DataType: record.TypeGeneric,
			Timestamp: fmt.Sprintf("2026-%02d-%02d", 1+l.random.IntN(11), 1+l.random.IntN(28)), Content: fmt.Sprintf("zq%dr%ds%d %s.", l.round, saver, n, words(l.random, 8))}
	}
	for n := range 10 + l.random.IntN(50) {
		send(chunk(fmt.Sprintf("note-%d-%d-%d", l.round, saver, n), 0, n))
	}
	source := fmt.Sprintf("/file-%d", saver)
	size := 1 + l.random.IntN(6)
	for n := range size {
		send(chunk(source, n, 1000+n))
	}
	end := record.New(record.KindDocumentEnd, record.DocumentEnd{Source: source, Chunks: size, Checksum: "sha256:" + strings.Repeat("0", 64)})
	return append(end.Append(lines), '\n'), sent
}

// save runs ihmt-store and takes down what it acknowledges.
func (l *life) save(ctx context.Context, fault string, lines []byte, sent []record.Chunk) error {
	reader, writer := io.Pipe()
	heard := make(chan map[string]bool)
	go func() { heard <- l.hear(reader) }()
	err := l.toolTo(ctx, fault, bytes.NewReader(lines), writer, "ihmt-store", "put")
	writer.Close()
	contents := <-heard
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range sent {
		if !contents[c.Content] && c.Position == 0 && !strings.HasPrefix(c.Source, "/") {
			l.unheard = append(l.unheard, c)
		}
	}
	return err
}

// hear reads acknowledgements and returns the contents they are of.
func (l *life) hear(r io.Reader) map[string]bool {
	contents := map[string]bool{}
	in := bufio.NewScanner(r)
	for in.Scan() {
		answer, err := record.Parse(in.Bytes())
		if err != nil || answer.Kind() != record.KindLeaf {
			continue
		}
		content, source, id := answer.Str("content"), answer.Str("source"), answer.Str("leaf_id")
		word, _, _ := strings.Cut(content, " ")
		contents[content] = true
		l.mu.Lock()
		l.promise.leaves[id] = note{word: word, checksum: store.Checksum(content), retired: strings.HasPrefix(source, "/")}
		l.counts.acknowledged++
		l.mu.Unlock()
	}
	return contents
}

// tool runs a tool until it ends or the round does.
func (l *life) tool(ctx context.Context, fault string, in io.Reader, name string, args ...string) error {
	return l.toolTo(ctx, fault, in, nil, name, args...)
}

func (l *life) toolTo(ctx context.Context, fault string, in io.Reader, out io.Writer, name string, args ...string) error {
	command := slices.Concat(l.within, []string{filepath.Join(l.bin, name)}, args, []string{"--path", l.home, "--json"})
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "IHMT_FAULT="+fault)
	var complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &complaint
	err := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	if code == -1 || ctx.Err() != nil {
		l.mu.Lock()
		l.counts.killed++
		if ctx.Err() == nil {
			l.counts.faulted++
			l.counts.reached[l.points[fault]]++
			l.died <- struct{}{}
		}
		l.mu.Unlock()
		return nil
	}
	if err != nil && code != 1 && code != 3 && !strings.Contains(complaint.String(), "no memory here") { // it is made by whoever saves first
		return fmt.Errorf("%s %s (fault %q): %w: %.500s", name, strings.Join(args, " "), fault, err, complaint.String())
	}
	return nil
}
