// Command bench measures the built binaries against tools that do part of
// their work and nothing else, on the same texts in the same run: SQLite's
// FTS5 and ripgrep for searching, plain durable writing of files for keeping,
// an empty program for starting. Figures are ratios of medians of runs that
// alternate, so that a slow machine or a busy hour weighs on both sides.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

type options struct {
	notes string
	quick bool
	runs  int
	fills int // rounds of filling memories, the slowest measurement
	seed  uint64
	dir   string
	sizes []int // ascending
}

func main() {
	if len(os.Args) > 3 && os.Args[1] == peakMode {
		os.Exit(runPeak(os.Args[2], os.Args[3:]))
	}
	modes := map[string]func(args []string) error{projectMode: runProject, scaleMode: runScale}
	if len(os.Args) > 1 && modes[os.Args[1]] != nil {
		if err := modes[os.Args[1]](os.Args[2:]); err != nil {
			fmt.Fprintf(os.Stderr, "bench %s: %v\n", os.Args[1], err)
			os.Exit(1)
		}
		return
	}
	opt := options{sizes: []int{1000, 10000, 50000}}
	flag.StringVar(&opt.notes, "notes", "", "JSON lines with a `FILE` of real notes ({\"text\": …}); without it they are generated")
	flag.BoolVar(&opt.quick, "quick", false, "small memories: shows that it works, judges only what does not depend on size")
	flag.IntVar(&opt.runs, "runs", 10, "runs of each measurement, at least 10 without --quick")
	flag.Uint64Var(&opt.seed, "seed", 1, "of the generated notes and of the queries")
	flag.StringVar(&opt.dir, "dir", "", "where to build the memories, on the disk to measure (default: the temporary folder)")
	flag.Parse()
	if opt.quick {
		opt.sizes = []int{200, 1000, 3000}
	} else {
		opt.runs = max(10, opt.runs)
	}
	opt.fills = opt.runs
	if err := with(opt, (*bench).compare); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// with prepares a bench in a folder of its own, for the time of do.
func with(opt options, do func(*bench) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp(opt.dir, "ihmt-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	largest := opt.sizes[len(opt.sizes)-1]
	notes, err := readCorpus(opt.notes, largest, opt.seed)
	if err != nil {
		return err
	}
	b := &bench{ctx: ctx, options: opt, dir: dir, self: self, corpus: notes, bin: filepath.Join(dir, "bin")}
	// A copy of the binaries: they may be built anew while this runs.
	if err := os.CopyFS(b.bin, os.DirFS(filepath.Dir(filepath.Dir(self)))); err != nil {
		return err
	}
	fmt.Printf("%d notes, %s; %d runs; in %s\n", largest, notes.origin, opt.runs, dir)
	return errors.Join(do(b), ctx.Err())
}

// compare measures against other programs and judges by the targets.
func (b *bench) compare() error {
	if err := b.compareAll(); err != nil {
		return err
	}
	b.print(os.Stdout)
	return b.missed()
}

func (b *bench) compareAll() error {
	for _, measure := range []func() error{b.start, b.ingest, b.search, b.save, b.manyDomains} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}
