// Package setup makes the agents on this machine use the memory: it finds
// their configuration files, adds the server to them and the instructions to
// the files that agents read, and takes both out again.
//
// What an edit does not concern stays byte for byte: comments, order, blanks,
// line ends. Before a file is written its earlier state is kept beside it, in
// a file named after what it becomes, so that undoing brings back the very
// bytes as long as nothing else changed since; where something did, only what
// was added is cut out. Links are followed, writes replace the file in one
// step, and a file that cannot be understood is left alone.
//
// Whether it worked is not for this package to say: the agent is asked with
// its own command. Where it has none, the configured command is started here
// as the agent would start it, and the verdict says that no more is known.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/text"
)

// Kinds of the records that a set-up is reported in: Found, Change, Outcome.
const (
	KindFound  = "found"
	KindChange = "change"
	KindAgent  = "agent"
)

// A Setup is what agents are to be given.
type Setup struct {
	Machine Machine
	Scope   Scope
	Server  Server
	Guide   string       // the instructions for agents
	DryRun  bool         // change nothing
	Show    func(Change) // is told of each change before it is made

	started bool     // the server has been started once, and answers
	made    []string // folders that earlier edits made, and that may be empty by now
}

// An Outcome is what became of one agent.
type Outcome struct {
	Agent string `json:"agent"`
	Title string `json:"title"`
	Scope Scope  `json:"scope"`
	Verdict
}

// Named returns the agents of some names; "all" stands for those that are
// installed or registered.
func (s *Setup) Named(names []string) ([]Agent, error) {
	var picked []Agent
	for _, name := range names {
		i := slices.IndexFunc(Agents, func(a Agent) bool { return a.Name == name })
		switch {
		case name == "all":
			for _, a := range Agents {
				if s.concerns(a) {
					picked = append(picked, a)
				}
			}
		case i < 0:
			return nil, fmt.Errorf("no agent is called %q; there are %s, and all for those that are here", name, strings.Join(Names(), ", "))
		default:
			picked = append(picked, Agents[i])
		}
	}
	return picked, nil
}

// Names are the names of all agents.
func Names() []string {
	names := make([]string, len(Agents))
	for i, a := range Agents {
		names[i] = a.Name
	}
	return names
}

// concerns tells whether an agent is meant by "all".
func (s *Setup) concerns(a Agent) bool {
	if a.configFile(s.Machine, s.Scope) == "" {
		return false
	}
	_, registered, _ := Registration(s.Machine, a, s.Scope)
	return registered || a.installed(s.Machine)
}

// Registration returns the server that an agent's configuration names.
func Registration(m Machine, a Agent, scope Scope) (server Server, registered bool, err error) {
	path := a.configFile(m, scope)
	if path == "" {
		return Server{}, false, nil
	}
	f, err := read(path)
	if err != nil || !f.exists || len(strings.TrimSpace(string(f.data))) == 0 {
		return Server{}, false, err
	}
	server, registered, err = a.format.get(f.data)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return server, registered, err
}

// A Found is what is known of an agent without asking it.
type Found struct {
	Agent     string `json:"agent"`
	Title     string `json:"title"`
	Installed bool   `json:"installed"`
	Program   string `json:"program,omitempty"`
	User      string `json:"user"`              // whether it is registered; an error, in its words
	Project   string `json:"project,omitempty"` // the same for this project; "" where the agent has no such thing
}

// Find looks for all agents.
func Find(m Machine) []Found {
	var all []Found
	for _, a := range Agents {
		f := Found{Agent: a.Name, Title: a.Title, Installed: a.installed(m), Program: a.program(m)}
		f.User = registrationState(m, a, User)
		if a.configFile(m, Project) != "" {
			f.Project = registrationState(m, a, Project)
		}
		all = append(all, f)
	}
	return all
}

func registrationState(m Machine, a Agent, scope Scope) string {
	switch _, registered, err := Registration(m, a, scope); {
	case err != nil:
		return err.Error()
	case registered:
		return Registered
	}
	return Unregistered
}

// Memories are the folders that the configurations of agents name, in the
// order of the agents.
func Memories(m Machine) []string {
	var all []string
	for _, a := range Agents {
		for _, scope := range []Scope{User, Project} {
			server, registered, err := Registration(m, a, scope)
			if dir := server.memory(); err == nil && registered && dir != "" && !slices.Contains(all, dir) {
				all = append(all, dir)
			}
		}
	}
	return all
}

// Add sets an agent up and asks it.
func (s *Setup) Add(ctx context.Context, a Agent) Outcome {
	o := Outcome{Agent: a.Name, Title: a.Title, Scope: s.Scope}
	if a.configFile(s.Machine, s.Scope) == "" {
		o.Verdict = Verdict{State: Failed, Detail: s.noFile(a), Next: "give --scope user"}
		return o
	}
	if !s.DryRun && !s.started {
		if _, err := handshake(ctx, s.Server); err != nil {
			o.Verdict = Verdict{State: Failed, Detail: err.Error() + "; nothing was changed", Next: "see that the server starts: " + line(s.Server)}
			return o
		}
		s.started = true
	}
	changes, err := s.change(func() ([]Change, error) { return s.adding(a) })
	if err != nil {
		o.Verdict = Verdict{State: Failed, Detail: err.Error()}
		return o
	}
	if s.DryRun {
		o.Verdict = Verdict{State: Planned}
		return o
	}
	o.Verdict = s.Ask(ctx, a)
	for i := range changes {
		changes[i].follow()
	}
	if o.State == Failed && o.Next == "" {
		o.Next = fmt.Sprintf("ihmt setup %s --remove undoes it", a.Name)
	}
	return o
}

// noFile says why an agent has no configuration in a scope.
func (s *Setup) noFile(a Agent) string {
	if a.config(s.Machine, s.Scope) != "" {
		return "the folder is no project: what would be its file is that of all of your work"
	}
	return a.Title + " knows no servers of a single project"
}

// adding plans all changes before any is made: a file that cannot be edited
// leaves the others alone.
func (s *Setup) adding(a Agent) ([]Change, error) {
	config, err := adding(a.configFile(s.Machine, s.Scope), entryOf{a.format, s.Server})
	if err != nil {
		return nil, err
	}
	guide := a.guide(s.Machine, s.Scope)
	if guide == "" {
		return []Change{config}, nil
	}
	told, err := adding(guide, a.block(s.Scope, s.Guide))
	return []Change{config, told}, err
}

// Remove takes everything out again that Add put in.
func (s *Setup) Remove(a Agent) Outcome {
	o := Outcome{Agent: a.Name, Title: a.Title, Scope: s.Scope}
	if a.configFile(s.Machine, s.Scope) == "" {
		o.Verdict = Verdict{State: Removed, Detail: s.noFile(a)}
		return o
	}
	changes, err := s.change(func() ([]Change, error) { return s.removing(a) })
	if err == nil && !s.DryRun {
		for _, c := range changes {
			s.made = append(s.made, c.made...)
		}
		s.made = prune(s.made)
	}
	switch {
	case err != nil:
		o.Verdict = Verdict{State: Failed, Detail: err.Error()}
	case s.DryRun:
		o.Verdict = Verdict{State: Planned}
	case !slices.ContainsFunc(changes, func(c Change) bool { return c.Action != Keep }):
		o.Verdict = Verdict{State: Removed, Detail: "nothing of it was there"}
	default:
		o.Verdict = Verdict{State: Removed, Detail: notes(changes)}
	}
	return o
}

// notes are what the user should know of some changes.
func notes(changes []Change) string {
	var all []string
	for _, c := range changes {
		if c.note != "" {
			all = append(all, c.note)
		}
	}
	return strings.Join(all, "; ")
}

func (s *Setup) removing(a Agent) ([]Change, error) {
	config, err := removing(a.configFile(s.Machine, s.Scope), entryOf{a.format, s.Server})
	if err != nil {
		return nil, err
	}
	guide := a.guide(s.Machine, s.Scope)
	if guide == "" || s.needs(guide, a) {
		return []Change{config}, nil
	}
	told, err := removing(guide, a.block(s.Scope, s.Guide))
	return []Change{config, told}, err
}

// needs tells whether another agent that is registered reads the same
// instructions.
func (s *Setup) needs(guide string, but Agent) bool {
	return slices.ContainsFunc(Agents, func(a Agent) bool {
		if a.Name == but.Name || a.guide(s.Machine, s.Scope) != guide {
			return false
		}
		_, registered, err := Registration(s.Machine, a, s.Scope)
		return registered || err != nil
	})
}

// change plans changes, shows and makes them. Where a file changes in between
// it plans anew.
func (s *Setup) change(plan func() ([]Change, error)) ([]Change, error) {
	perm := fs.FileMode(0o600)
	if s.Scope == Project {
		perm = 0o644
	}
	for try := 0; ; try++ {
		changes, err := plan()
		if err != nil {
			return nil, err
		}
		err = s.make(changes, perm)
		if !errors.Is(err, errChanged) || try == 3 {
			return changes, err
		}
	}
}

func (s *Setup) make(changes []Change, perm fs.FileMode) error {
	for i := range changes {
		c := &changes[i]
		if c.Action == Keep {
			continue
		}
		s.Show(*c)
		if s.DryRun {
			continue
		}
		if err := c.write(perm); err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
	}
	return nil
}

// Ask asks an agent whether it is connected.
func (s *Setup) Ask(ctx context.Context, a Agent) Verdict {
	if program := a.program(s.Machine); a.ask != nil && program != "" {
		return a.ask(ctx, client{program: program, scope: s.Scope, dir: s.Machine.Project, next: a.approval})
	}
	server, _, err := Registration(s.Machine, a, s.Scope)
	if err != nil {
		return Verdict{State: Failed, Detail: err.Error()}
	}
	tools, err := handshake(ctx, server)
	if err != nil {
		return Verdict{State: Failed, Detail: err.Error()}
	}
	v := Verdict{State: Answers, Next: a.restart}
	v.Detail = fmt.Sprintf("the configured command starts and offers %s; %s has no command that tells whether it is connected", text.Counted(len(tools), "tool", "tools"), a.Title)
	if a.ask != nil {
		v.Detail = fmt.Sprintf("the configured command starts and offers %s; %s was not asked, as %s is not on PATH", text.Counted(len(tools), "tool", "tools"), a.Title, a.programs[0])
	}
	if s.Scope == Project && a.approval != "" {
		v.State, v.Next = Approval, a.approval
	}
	return v
}

// line is a command line for people.
func line(s Server) string { return strings.Join(append([]string{s.Command}, s.Args...), " ") }

// entryOf is a configuration that is to name one server.
type entryOf struct {
	configuration
	server Server
}

func (e entryOf) set(data []byte) ([]byte, error) { return e.configuration.set(data, e.server) }

// ServerFor is the server for a memory. In a project, whose files others read
// too, it names neither the memory nor where the program is.
func ServerFor(scope Scope, program, memory string) Server {
	if scope == Project {
		return Server{Command: "ihmt", Args: []string{"mcp"}}
	}
	return Server{Command: program, Args: []string{"mcp", "--path", memory}}
}

// ProjectOf is the folder of the project that a folder is in: the nearest one
// above it that is a git repository, else the folder itself.
func ProjectOf(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if firstThere(filepath.Join(d, "-"), filepath.Join(d, ".git")) == filepath.Join(d, ".git") {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}
