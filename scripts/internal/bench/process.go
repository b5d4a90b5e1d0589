package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A command is what to run and which exit codes are no failure.
type command struct {
	argv []string
	fine []int
}

// pipe runs commands as a shell pipeline, with stdin for the first. What the
// last one prints is returned if asked for, else dropped.
func pipe(ctx context.Context, stdin io.Reader, capture bool, commands ...command) ([]byte, error) {
	var out bytes.Buffer
	var ends []io.Closer // of the pipes, which only the children should hold
	defer func() { closeAll(ends) }()
	stages := make([]*exec.Cmd, len(commands))
	said := make([]bytes.Buffer, len(commands))
	for i, c := range commands {
		cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
		cmd.Stdin, cmd.Stderr = stdin, &said[i]
		stages[i] = cmd
		if i == len(commands)-1 {
			break
		}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		ends = append(ends, r, w)
		cmd.Stdout, stdin = w, r
	}
	if capture {
		stages[len(stages)-1].Stdout = &out
	}
	for _, cmd := range stages {
		if err := cmd.Start(); err != nil {
			return nil, err
		}
	}
	closeAll(ends)
	ends = nil
	var failed error
	for i, cmd := range stages {
		err := cmd.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) && slices.Contains(commands[i].fine, exit.ExitCode()) {
			err = nil
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w: %.500s", strings.Join(commands[i].argv, " "), err, said[i].String()))
		}
	}
	return out.Bytes(), failed
}

func closeAll(files []io.Closer) {
	for _, f := range files {
		f.Close()
	}
}

// A trial is one thing to time. Both functions get the number of the run; what
// before does is not timed. Slow ones run at most so many times, unless 0.
type trial struct {
	before, run func(i int) error
	most        int
}

// alternate runs the trials in turn, each runs times, and returns their median
// durations. With warm a first round does not count.
func alternate(runs int, warm bool, trials ...trial) ([]time.Duration, error) {
	took := make([][]time.Duration, len(trials))
	first := 0
	if warm {
		first = -1
	}
	for i := first; i < runs; i++ {
		for j, t := range trials {
			if t.most > 0 && i >= t.most {
				continue
			}
			if t.before != nil {
				if err := t.before(max(0, i)); err != nil {
					return nil, err
				}
			}
			begin := time.Now()
			if err := t.run(max(0, i)); err != nil {
				return nil, err
			}
			if i >= 0 {
				took[j] = append(took[j], time.Since(begin))
			}
		}
	}
	medians := make([]time.Duration, len(trials))
	for j := range took {
		medians[j] = median(took[j])
	}
	return medians, nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

// peakMode is the argument that makes this program run another and write the
// other's peak memory, in KiB, to a file. A process of its own is needed: on
// Linux a child's peak includes what its parent held when it was started.
const peakMode = "peak"

func runPeak(file string, argv []string) int {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if err := os.WriteFile(file, []byte(strconv.FormatInt(maxRSS(cmd.ProcessState), 10)), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return cmd.ProcessState.ExitCode()
}

// peaks turns commands into ones that note their peak memory, and returns how
// to read the largest, in MiB.
func (b *bench) peaks(commands ...command) ([]command, func() (float64, error)) {
	wrapped := make([]command, len(commands))
	files := make([]string, len(commands))
	for i, c := range commands {
		files[i] = filepath.Join(b.dir, fmt.Sprintf("peak-%d", i))
		wrapped[i] = command{append([]string{b.self, peakMode, files[i]}, c.argv...), c.fine}
	}
	return wrapped, func() (float64, error) {
		var largest float64
		for _, file := range files {
			s, err := os.ReadFile(file)
			if err != nil {
				return 0, err
			}
			kib, err := strconv.ParseFloat(string(s), 64)
			if err != nil {
				return 0, err
			}
			largest = max(largest, kib/1024)
		}
		return largest, nil
	}
}
