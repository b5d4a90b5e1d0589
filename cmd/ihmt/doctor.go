package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/mcp/template"
	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/secret"
	"github.com/ihmt/ihmt/pkg/setup"
	"github.com/ihmt/ihmt/pkg/text"
)

type doctorCmd struct {
	Quick bool `help:"Do not read every file of the memory."`
}

// tools are all programs that belong together.
var tools = []string{"ihmt", "ihmt-detect", "ihmt-chunk", "ihmt-store", "ihmt-facts", "ihmt-summarize", "ihmt-nav", "ihmt-model", "ihmt-project", "ihmt-mcp", "ihmt-gui"}

const kindCheck = "check"

// States of what was checked.
const (
	healthy = "ok"
	worth   = "note" // nothing is broken, but something could be better
	broken  = "problem"
)

// A check is what was found of one thing, and how to mend it.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Mend   string `json:"mend,omitempty"`
}

// Run checks the installation, the memory and the agents, and exits 1 where
// something is broken.
func (c *doctorCmd) Run(ctx *cli.Context, g *grammar) error {
	d := &doctor{runner: newRunner(ctx, g)}
	d.programs()
	memory, err := d.Memory()
	if err != nil {
		return err
	}
	if d.there(memory) && d.store() {
		d.files(memory)
		d.writing(memory)
		if !c.Quick {
			d.integrity()
			d.contents()
		}
	}
	d.agents()
	if d.ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if d.broken {
		return cli.ErrSkipped
	}
	return nil
}

// A doctor tells what it finds as it goes.
type doctor struct {
	*runner
	broken bool
}

func (d *doctor) say(name, state, detail, mend string) {
	d.broken = d.broken || state == broken
	d.tell(kindCheck, check{name, state, detail, mend})
}

// programs checks that all tools are there and of one version.
func (d *doctor) programs() {
	const mend = "install all tools of one version together, with make install or from one archive"
	dir := ""
	for _, tool := range tools {
		path, err := pipeline.Find(tool)
		if err != nil {
			d.say("programs", broken, err.Error(), mend)
			continue
		}
		out, err := exec.CommandContext(d.ctx, path, "--version").Output()
		version := strings.TrimPrefix(strings.TrimSpace(string(out)), tool+" ")
		switch {
		case err != nil:
			d.say("programs", broken, fmt.Sprintf("%s does not run: %v", path, err), mend)
		case version != cli.Version:
			d.say("programs", broken, fmt.Sprintf("%s is version %s, this is %s", path, cli.CleanLine(version, 40), cli.Version), mend)
		}
		dir = filepath.Dir(path)
	}
	if !d.broken {
		d.say("programs", healthy, fmt.Sprintf("%d tools of version %s in %s", len(tools), cli.Version, dir), "")
	}
}

func (d *doctor) there(memory string) bool {
	switch _, err := os.Stat(memory); {
	case errors.Is(err, fs.ErrNotExist):
		d.say("memory", worth, memory+" does not exist yet", "ihmt init, or save something; --path or IHMT_HOME names another folder")
		return false
	case err != nil:
		d.say("memory", broken, err.Error(), "make the folder readable, or name another with --path")
		return false
	}
	return true
}

// store tells what the memory holds, whether it is locked and whether the tree
// keeps up with it; false where it cannot be opened.
func (d *doctor) store() bool {
	var stats *record.Record
	var said strings.Builder
	p := pipeline.New(d.stage("ihmt-store", "stats", "--json"))
	p.Stderr = &said
	if err := d.each(p, func(r *record.Record) error { stats = r; return nil }); err != nil || stats == nil {
		d.say("memory", broken, strings.TrimSpace(said.String()), "ihmt verify says more")
		return false
	}
	totals := stats.Get("totals")
	d.say("memory", healthy, fmt.Sprintf("%s: %s in %s", totals.Get("memory").String(), text.Counted(totals.Get("leaves").Int(), "leaf", "leaves"),
		text.Counted(int64(len(totals.Get("domains").Map())), "domain", "domains")), "")
	for name, who := range totals.Get("locks").Map() {
		d.say("lock", worth, fmt.Sprintf("the %s lock is held by %s", name, who.String()), "nothing, if it is at work; a lock ends with the process that holds it")
	}
	d.growth(totals.Get("pending").Int(), totals.Get("grown_at").String())
	return true
}

// Many leaves that wait for the tree longer than this are worth a note.
const (
	many  = 64
	stale = 7 * 24 * time.Hour
)

func (d *doctor) growth(pending int64, grownAt string) {
	grown, err := time.Parse(time.RFC3339, grownAt)
	last := "never"
	if err == nil && grown.Unix() > 0 {
		last = grown.Local().Format("2006-01-02 15:04")
	}
	detail := fmt.Sprintf("%s wait for the tree, which last grew: %s", text.Counted(pending, "leaf", "leaves"), last)
	if pending >= many && (last == "never" || time.Since(grown) > stale) {
		d.say("tree", worth, detail, "ihmt consolidate; scripts/ihmt.crontab does it every night (searches are exact without it)")
		return
	}
	d.say("tree", healthy, detail, "")
}

// files checks who may read the memory, and what it takes of the disk.
func (d *doctor) files(memory string) {
	count, size, open := 0, int64(0), ""
	err := filepath.WalkDir(memory, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if runtime.GOOS != "windows" && info.Mode()&0o077 != 0 && info.Mode()&fs.ModeSymlink == 0 && open == "" {
			open = path
		}
		if !e.IsDir() {
			count++
			size += info.Size()
		}
		return d.ctx.Err()
	})
	if err != nil {
		d.say("files", broken, err.Error(), "make the folder readable for you")
		return
	}
	d.say("disk", healthy, fmt.Sprintf("%s, %.1f MB", text.Counted(int64(count), "file", "files"), float64(size)/1e6), "")
	if open != "" {
		d.say("permissions", broken, open+" can be read by others", fmt.Sprintf("chmod -R go= %q", memory))
		return
	}
	d.say("permissions", healthy, "only you can read the memory", "")
}

// writing checks that the memory can be written to: each folder by a file that
// goes at once, and the journal by opening it.
func (d *doctor) writing(memory string) {
	err := filepath.WalkDir(memory, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return canMakeFiles(path)
		case filepath.Base(filepath.Dir(path)) == "journal":
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			return f.Close()
		}
		return d.ctx.Err()
	})
	if err != nil {
		d.say("writing", broken, err.Error(), fmt.Sprintf("make room on the disk, or the folder your own: chmod -R u+rwX %q", memory))
		return
	}
	d.say("writing", healthy, "the memory can be written to", "")
}

func canMakeFiles(dir string) error {
	f, err := os.CreateTemp(dir, "doctor.txt*")
	if err == nil {
		_, err = f.WriteString("x")
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	var of *fs.PathError
	if errors.As(err, &of) {
		return fmt.Errorf("%s: %w", dir, of.Err)
	}
	return err
}

// integrity checks every file.
func (d *doctor) integrity() {
	problems, first := 0, ""
	err := d.each(pipeline.New(d.stage("ihmt-store", "verify", "--json")), func(r *record.Record) error {
		if r.Kind() == record.KindSkipped {
			if problems++; problems == 1 {
				first = r.Str("source") + ": " + r.Str("reason")
			}
		}
		return nil
	})
	switch {
	case problems > 0:
		d.say("integrity", broken, fmt.Sprintf("%s, the first: %s", text.Counted(int64(problems), "problem", "problems"), cli.CleanLine(first, 300)), "ihmt verify lists them; ihmt-store verify --repair mends them")
	case err != nil:
		d.say("integrity", broken, err.Error(), "")
	default:
		d.say("integrity", healthy, "every file is as it was written", "")
	}
}

// contents looks for what should not be stored, and for what is stored twice.
func (d *doctor) contents() {
	var secrets []string
	kinds := map[string]bool{}
	same := map[string][]string{}
	err := d.each(pipeline.New(d.stage("ihmt-store", "export", "--json")), func(r *record.Record) error {
		if r.Kind() != record.KindLeaf {
			return nil
		}
		id := r.Str("leaf_id")
		if found := secret.Find(r.Str("content")); len(found) > 0 {
			secrets = append(secrets, id)
			kinds[secret.Names(found)] = true
		}
		same[r.Str("checksum")] = append(same[r.Str("checksum")], id)
		return nil
	})
	if err != nil && !errors.Is(err, cli.ErrSkipped) { // which is an empty memory, or what the check of the files has said
		d.say("contents", broken, err.Error(), "ihmt verify says more")
		return
	}
	if len(secrets) > 0 {
		d.say("secrets", broken, fmt.Sprintf("%s of what looks like %s: %s", text.Counted(int64(len(secrets)), "leaf", "leaves"),
			strings.Join(slices.Sorted(maps.Keys(kinds)), ", "), few(secrets)), "ihmt-store rm ID takes a text out everywhere; then change the secret")
	} else {
		d.say("secrets", healthy, "nothing looks like a key, a token or a password in a URL", "")
	}
	var twice []string
	for _, ids := range same {
		if len(ids) > 1 {
			twice = append(twice, ids[0])
		}
	}
	slices.Sort(twice)
	if len(twice) > 0 {
		d.say("duplicates", worth, fmt.Sprintf("%s stored more than once: %s", text.Counted(int64(len(twice)), "text is", "texts are"), few(twice)), "ihmt-store rm ID, where one is enough")
	}
}

// few names the first of some ids.
func few(ids []string) string {
	const most = 3
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}

// agents asks those that are registered whether they are connected.
func (d *doctor) agents() {
	dir, err := os.Getwd()
	if err != nil {
		d.say("agents", broken, err.Error(), "")
		return
	}
	m, err := setup.Here(runtime.GOOS, setup.ProjectOf(dir))
	if err != nil {
		d.say("agents", broken, err.Error(), "")
		return
	}
	registered := 0
	for _, a := range setup.Agents {
		for _, scope := range []setup.Scope{setup.User, setup.Project} {
			_, is, err := setup.Registration(m, a, scope)
			if err != nil {
				d.say(a.Name, broken, err.Error(), "mend that file, then ihmt setup "+a.Name)
			}
			if err != nil || !is {
				continue
			}
			registered++
			s := &setup.Setup{Machine: m, Scope: scope, Guide: template.Instructions}
			d.verdict(a, s.Ask(d.ctx, a))
		}
	}
	if registered == 0 {
		d.say("agents", worth, "no agent is set up", "ihmt setup lists those that are here")
	}
}

func (d *doctor) verdict(a setup.Agent, v setup.Verdict) {
	switch v.State {
	case setup.Failed:
		d.say(a.Name, broken, v.Detail, "ihmt setup "+a.Name)
	case setup.Approval:
		d.say(a.Name, worth, v.Detail, v.Next)
	default:
		d.say(a.Name, healthy, v.Detail, "")
	}
}

func renderCheck(w io.Writer, rec *record.Record) {
	fmt.Fprintf(w, "%-8s %-14s %s\n", rec.Str("state"), cli.CleanLine(rec.Str("name"), 40), cli.CleanLine(rec.Str("detail"), 500))
	if mend := rec.Str("mend"); mend != "" {
		fmt.Fprintf(w, "%-8s %-14s to do: %s\n", "", "", cli.CleanLine(mend, 300))
	}
}
