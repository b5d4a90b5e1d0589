package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ihmt/ihmt/pkg/record"
)

func init() {
	measurements["roundtrip"] = measurement{"DIR...: every text below equals its chunks, one after the other", roundtrip}
}

// roundtrip puts every file below the folders through the built ihmt-chunk.
// The chunks of UTF-8 must be the file, byte for byte; of other encodings they
// must be what ihmt-detect makes of it.
func roundtrip(args []string) error {
	var files []string
	for _, dir := range args {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				path, err = filepath.Abs(path)
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return errors.New("no files; name a folder")
	}
	var count struct{ same, transcoded, skipped, bytes int }
	var failures []string
	for batch := range slices.Chunk(files, 200) {
		joined, skipped, err := joinedChunks(batch)
		if err != nil {
			return err
		}
		for _, file := range batch {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			got, ok := joined[file]
			switch {
			case !ok && skipped[file] != "":
				count.skipped++
				if isText(data) {
					failures = append(failures, file+": skipped, "+skipped[file])
				}
				continue
			case !ok:
				failures = append(failures, file+": neither chunks nor skipped")
				continue
			case utf8.Valid(data) && got == string(data):
				count.same++
			case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
				if want, err := detected(file); err != nil || want != got {
					failures = append(failures, file+": the chunks are not its transcoding")
					continue
				}
				count.transcoded++
			default:
				failures = append(failures, fmt.Sprintf("%s: %d bytes became %d", file, len(data), len(got)))
				continue
			}
			count.bytes += len(data)
		}
	}
	fmt.Printf("%d files, %.1f MB: %d the same byte for byte, %d the same as their transcoding, %d skipped, %d failures\n",
		len(files), float64(count.bytes)/1e6, count.same, count.transcoded, count.skipped, len(failures))
	for _, f := range failures {
		fmt.Println("  " + f)
	}
	if failures != nil {
		return fmt.Errorf("%d of %d files differ", len(failures), len(files))
	}
	return nil
}

// isText tells of what may not be skipped: UTF-8 with something in it, and
// without the control codes of binary files and of ISO 2022.
func isText(data []byte) bool {
	return utf8.Valid(data) && len(bytes.TrimSpace(data)) > 0 && !bytes.ContainsAny(data, "\x00\x0e\x0f\x1b")
}

// joinedChunks returns the contents of each file's chunks, joined, and why
// others were skipped.
func joinedChunks(files []string) (joined, skipped map[string]string, err error) {
	parts := map[string]*strings.Builder{}
	skipped = map[string]string{}
	err = lines(func(line []byte) error {
		var r struct {
			Kind, Source, Reason, Content string
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		switch r.Kind {
		case record.KindChunk:
			if parts[r.Source] == nil {
				parts[r.Source] = &strings.Builder{}
			}
			parts[r.Source].WriteString(r.Content)
		case record.KindSkipped:
			skipped[r.Source] = r.Reason
		}
		return nil
	}, "bin/ihmt-chunk", append([]string{"--json"}, files...)...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // something was skipped
	}
	joined = make(map[string]string, len(parts))
	for source, b := range parts {
		joined[source] = b.String()
	}
	return joined, skipped, err
}

// detected returns the text that ihmt-detect makes of a file.
func detected(file string) (string, error) {
	var text string
	err := lines(func(line []byte) error {
		var doc record.Document
		if err := json.Unmarshal(line, &doc); err != nil {
			return err
		}
		text = doc.Text
		return nil
	}, "bin/ihmt-detect", "--json", file)
	return text, err
}
