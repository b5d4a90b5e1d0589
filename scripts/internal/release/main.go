// Command release builds the archives of a release, the same bytes every
// time: for each system the tools, their manuals and the documents, a
// software bill of materials, and the checksums of it all.
//
//	go run ./scripts/internal/release [DIR [SYSTEM/ARCH]...]
//
// DIR (dist) must not exist. Without a system it builds for all. What is in an
// archive is dated by the last commit, or by SOURCE_DATE_EPOCH (seconds since
// 1970), which a source tree without history needs.
package main

import (
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/cli"
)

// platforms are the systems that a release is built for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	dir := "dist"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if len(os.Args) > 2 {
		platforms = os.Args[2:]
	}
	if err := release(dir, platforms); err != nil {
		log.Fatal(err)
	}
}

// release writes the archives for some platforms into a new folder, or leaves
// none.
func release(dir string, platforms []string) (err error) {
	date, err := releaseDate()
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("%w; move the earlier release away", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	work, err := os.MkdirTemp("", "ihmt-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	host, own := runtime.GOOS+"/"+runtime.GOARCH, filepath.Join(work, "own")
	if err := build(own, runtime.GOOS, runtime.GOARCH); err != nil {
		return err
	}
	share := filepath.Join(work, "share")
	if err := writeManuals(share, own, date); err != nil {
		return err
	}
	var names []string
	for _, p := range platforms {
		system, arch, ok := strings.Cut(p, "/")
		if !ok {
			return fmt.Errorf("%q is no SYSTEM/ARCH, such as %s", p, host)
		}
		name := fmt.Sprintf("ihmt-%s-%s-%s", cli.Version, system, arch)
		bin := own
		if p != host {
			bin = filepath.Join(work, name)
			if err := build(bin, system, arch); err != nil {
				return err
			}
		}
		archive, err := pack(dir, name, bin, share, system == "windows", date)
		if err != nil {
			return err
		}
		if p == platforms[0] {
			bill := fmt.Sprintf("ihmt-%s.cdx.json", cli.Version)
			if err := writeBill(filepath.Join(dir, bill), bin); err != nil {
				return err
			}
			names = append(names, bill)
		}
		names = append(names, archive)
	}
	return writeChecksums(dir, names)
}

// releaseDate is the time that everything in a release bears.
func releaseDate() (time.Time, error) {
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("a release bears the date of the last commit, and there is none to see (git log: %w): set SOURCE_DATE_EPOCH to the seconds since 1970", err)
		}
		seconds = strings.TrimSpace(string(out))
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%q is no number of seconds", seconds)
	}
	return time.Unix(n, 0).UTC(), nil
}

// build compiles all tools for a system into a folder.
func build(bin, system, arch string) error {
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", bin+string(filepath.Separator), "./cmd/...")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("go build for %s/%s: %w", system, arch, err)
	}
	return nil
}

// writeManuals writes the manual pages and shell completions of the tools in
// bin, which are the same for every system.
func writeManuals(share, bin string, date time.Time) error {
	c := exec.Command("scripts/manuals", bin, share)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("scripts/manuals: %w", err)
	}
	pages, err := filepath.Glob(filepath.Join(share, "man/man1/*"))
	for _, page := range pages {
		if err = redate(page, date); err != nil {
			break
		}
	}
	return err
}

// redate gives a manual page, whose first line bears today's date, that of the
// release.
func redate(page string, date time.Time) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, _ := strings.Cut(string(data), "\n")
	f := strings.SplitN(head, `"`, 3)
	if len(f) != 3 {
		return fmt.Errorf("%s: starts with %q, which has no date", page, head)
	}
	return os.WriteFile(page, []byte(f[0]+`"`+date.Format(time.DateOnly)+`"`+f[2]+"\n"+rest), 0o644)
}

func writeChecksums(dir string, names []string) error {
	var lines strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), name)
	}
	fmt.Print(lines.String())
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(lines.String()), 0o644)
}
