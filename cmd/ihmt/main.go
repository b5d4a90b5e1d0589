// Command ihmt runs the memory tools as pipelines: what a person would paste
// into a shell, with a progress bar and a report. --trace prints each pipeline
// as such a line.
package main

import (
	"fmt"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/record"
)

type grammar struct {
	cli.Common
	Trace bool `help:"Print each pipeline to stderr, as a line to paste into a shell."`

	Init        initCmd        `cmd:"" help:"Create a memory."`
	Ingest      ingestCmd      `cmd:"" help:"Store files, folders or text, and grow the tree."`
	Search      searchCmd      `cmd:"" help:"Find memories."`
	Ask         askCmd         `cmd:"" help:"Find memories; where several fit, ask which is meant."`
	Tree        treeCmd        `cmd:"" help:"Show the tree of summaries."`
	Stats       statsCmd       `cmd:"" help:"Count what is stored."`
	Facts       factsCmd       `cmd:"" help:"Show what holds now."`
	Conflicts   conflictsCmd   `cmd:"" help:"Show what changed, with both dates."`
	Consolidate consolidateCmd `cmd:"" help:"Grow the tree over what was stored since."`
	Rebuild     rebuildCmd     `cmd:"" help:"Make everything but the leaves anew."`
	Verify      verifyCmd      `cmd:"" help:"Check every file of the memory."`
	Brief       briefCmd       `cmd:"" help:"Print what an agent should know when it starts."`
	Setup       setupCmd       `cmd:"" help:"Make the agents on this machine use the memory."`
	Doctor      doctorCmd      `cmd:"" help:"Check the tools, the memory and the agents, and say how to mend what is wrong."`
	Digest      digestCmd      `cmd:"" help:"Say what matters of the output of a build or a test run."`
	Mcp         mcpCmd         `cmd:"" name:"mcp" help:"Offer the memory to agents, by the Model Context Protocol."`
	Gui         guiCmd         `cmd:"" help:"Show the memory in the browser."`
	Demo        demoCmd        `cmd:"" help:"Show on examples what a memory does, and prove it."`
	Print       versionCmd     `cmd:"" name:"version" help:"Print the version."`
}

func main() {
	cli.Main("ihmt", "A long-term memory in plain text files.", &grammar{}, render)
}

type initCmd struct {
	BranchFactor int    `help:"How many nodes a branch sums up." placeholder:"N"`
	TargetTokens int    `help:"How large a leaf should be." placeholder:"N"`
	Backend      string `help:"Who writes the summaries: heuristic, anthropic, openai or command." placeholder:"B"`
	Force        bool   `help:"Discard everything derived, never a leaf, where there is a memory already."`
}

func (c *initCmd) Run(ctx *cli.Context, g *grammar) error {
	args := flags("--branch-factor", c.BranchFactor, "--target-tokens", c.TargetTokens, "--backend", c.Backend, "--force", c.Force)
	return newRunner(ctx, g).show("ihmt-store", append([]string{"init"}, args...)...)
}

type treeCmd struct {
	Depth int `help:"How many layers to show." placeholder:"N"`
}

func (c *treeCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).show("ihmt-nav", append([]string{"tree"}, flags("--depth", c.Depth)...)...)
}

type statsCmd struct{}

func (c *statsCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).show("ihmt-store", "stats")
}

type factsCmd struct {
	Subject string `help:"Only what is known of this one." placeholder:"S"`
}

func (c *factsCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).show("ihmt-facts", append([]string{"now"}, flags("--subject", c.Subject)...)...)
}

type conflictsCmd struct {
	Subject string `help:"Only what is known of this one." placeholder:"S"`
}

func (c *conflictsCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).show("ihmt-facts", append([]string{"conflicts"}, flags("--subject", c.Subject)...)...)
}

type consolidateCmd struct {
	Force bool `help:"Close groups that are not full, too."`
}

func (c *consolidateCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).show("ihmt-summarize", flags("--force", c.Force)...)
}

type rebuildCmd struct{}

func (c *rebuildCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).show("ihmt-store", "rebuild")
}

type verifyCmd struct {
	Repair bool `help:"Mend what can be mended."`
}

func (c *verifyCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).show("ihmt-store", append([]string{"verify"}, flags("--repair", c.Repair)...)...)
}

type versionCmd struct{}

func (c *versionCmd) Run(ctx *cli.Context) error {
	if ctx.JSON {
		return ctx.Out.Write(record.New(record.KindReport, record.Report{Tool: "ihmt", Totals: map[string]any{"version": cli.Version}}))
	}
	fmt.Println("ihmt " + cli.Version)
	return nil
}
