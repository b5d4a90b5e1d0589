package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

// many lets savers store notes, one commit after the other, while the tree
// grows ten times a second and four readers search. Most of them come by
// other paths to the same folder. Then every note must be there, once.
func many(bin string, savers, notes int, say func(string)) error {
	home, err := os.MkdirTemp("", "ihmt-many-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	real := filepath.Join(home, "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		return err
	}
	paths, ways, leave, err := pathsTo(real, bin)
	if err != nil {
		return err
	}
	defer leave()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var saving, others sync.WaitGroup
	var mu sync.Mutex
	var failed error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
	}
	start := time.Now()
	for saver := range savers {
		l := paths[saver%len(paths)]
		saving.Go(func() {
			random := rand.New(rand.NewPCG(uint64(saver), 5))
			for first := 0; first < notes; first += 20 { // a process for every twenty
				var lines []byte
				for n := first; n < min(first+20, notes); n++ {
					c := record.Chunk{Source: fmt.Sprintf("note-%d-%d", saver, n), Domain: []string{"sea", "land"}[n%2], DataType: record.TypeGeneric,
						Timestamp: "2026-02-03", Content: fmt.Sprintf("zq%ds%d %s.", saver, n, words(random, 8))}
					lines = append(record.New(record.KindChunk, c).Append(lines), '\n')
				}
				if err := l.save(context.Background(), "", lines, nil); err != nil {
					fail(err)
				}
			}
		})
	}
	others.Go(func() {
		for ctx.Err() == nil {
			if err := paths[0].tool(context.Background(), "", nil, "ihmt-summarize"); err != nil { // to its end
				fail(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	searches := 0
	for reader := range 4 {
		l := paths[reader%len(paths)]
		others.Go(func() {
			for ctx.Err() == nil {
				query := string(record.New(record.KindQuery, record.Query{Query: vocabulary[reader], K: 5}).Append(nil)) + "\n"
				var out strings.Builder
				if err := l.toolTo(ctx, "", strings.NewReader(query), &out, "ihmt-nav", "search", "-"); err != nil {
					fail(err)
				}
				if err := torn(out.String(), ctx.Err() != nil); err != nil {
					fail(err)
				}
				mu.Lock()
				searches++
				mu.Unlock()
			}
		})
	}
	saving.Wait()
	took := time.Since(start)
	stop()
	others.Wait()
	if failed != nil {
		return failed
	}
	p := newPromise()
	for _, l := range paths {
		for id, n := range l.promise.leaves {
			p.leaves[id] = n
		}
	}
	if len(p.leaves) != savers*notes {
		return fmt.Errorf("%d notes were acknowledged, of %d", len(p.leaves), savers*notes)
	}
	if err := p.broken(memoryOf(real), rand.New(rand.NewPCG(1, 6)), true); err != nil {
		return keep(home, err)
	}
	say(fmt.Sprintf("many: %d savers stored %d notes each in %.0f s while %d searches ran, by %s; all %d are there, once", savers, notes, took.Seconds(), searches, ways, len(p.leaves)))
	return nil
}

// pathsTo returns ways to come to a folder: its name, a symlink, and where that
// is permitted a bind mount, and one that only the process itself sees, as in a
// container.
func pathsTo(real, bin string) (paths []*life, ways string, leave func(), err error) {
	come := func(home string, within ...string) {
		paths = append(paths, &life{home: home, bin: bin, promise: newPromise(), within: within})
	}
	link, bound, inside := real+"-link", real+"-bound", real+"-inside"
	if err := errors.Join(os.Symlink(real, link), os.Mkdir(bound, 0o700), os.Mkdir(inside, 0o700)); err != nil {
		return nil, "", nil, err
	}
	come(real)
	come(link)
	ways, leave = "its name, a symlink", func() {}
	if exec.Command("mount", "--bind", real, bound).Run() != nil {
		return paths, ways + " (bind mounts are not permitted here)", leave, nil
	}
	leave = func() { exec.Command("umount", bound).Run() }
	come(bound)
	ways += ", a bind mount"
	own := []string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" "$1" && shift && exec "$@"`, real, inside}
	if exec.Command(own[0], append(own[1:], "true")...).Run() == nil {
		come(inside, own...)
		ways += ", a name space of its own"
	}
	return paths, ways, leave, nil
}

// torn looks for results whose text is not the one that was stored.
func torn(out string, cut bool) error {
	for line := range strings.Lines(out) {
		r, err := record.Parse([]byte(line))
		if err != nil {
			if cut {
				return nil
			}
			return err
		}
		if content := r.Str("content"); r.Kind() == record.KindResult && content != "" && r.Has("checksum") && store.Checksum(content) != r.Str("checksum") {
			return fmt.Errorf("a torn result: %s", line)
		}
	}
	return nil
}
