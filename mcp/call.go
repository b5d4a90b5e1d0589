package mcp

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
)

// A call is one use of a tool.
type call struct {
	ctx     context.Context
	server  *Server
	session *session
	request *sdk.CallToolRequest
}

// An answer is what a tool returns: a text for the model, and the same for
// programs.
type answer struct {
	text string
	data any
}

// addTool offers a tool whose arguments are an In. The schema comes from the
// fields of In; describe may add to it what tags cannot say.
func addTool[In any](s *Server, tool *sdk.Tool, describe func(property func(name string) *jsonschema.Schema), do func(*call, In) (answer, error)) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // In is one of this package's
	}
	if describe != nil {
		describe(func(name string) *jsonschema.Schema { return schema.Properties[name] })
	}
	tool.InputSchema, s.schemas[tool.Name] = schema, schema
	sdk.AddTool(s.sdk, tool, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		c := &call{ctx, s, s.session(req.Session), req}
		a, err := do(c, in)
		if err != nil {
			return nil, nil, advice(err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.TrimRight(a.text, "\n")}}}, a.data, nil
	})
}

// memory is the stage that runs a tool on the memory.
func (c *call) memory(tool string, args ...string) pipeline.Stage {
	return pipeline.Tool(tool, append(args, "--json", "--path="+c.server.opt.Path)...)
}

// each runs a pipeline and calls do for every record that comes out of it.
// That a stage found nothing, skipped something or needs a clue is told by
// the records, not by the error.
func (c *call) each(p *pipeline.Pipeline, do func(*record.Record)) error {
	c.log(p)
	err := p.Each(c.ctx, func(r *record.Record) error {
		do(r)
		return nil
	})
	if code := pipeline.Code(err); code == 1 || code == 3 {
		return nil
	}
	return err
}

// feed is a pipeline that starts with one record.
func feed(kind string, fields any, stages ...pipeline.Stage) *pipeline.Pipeline {
	p := pipeline.New(stages...)
	p.Input = record.New(kind, fields).String() + "\n"
	return p
}

// advice turns an error into what helps a model: without the words that are
// for shells, and without control codes.
func advice(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("cancelled")
	}
	text := cli.Clean(err.Error())
	for _, forShells := range []string{"; mend it, or skip such lines with --keep-going", "; mend it, or skip such leaves with --keep-going", "standard input, ", "line 1: ", "standard input: "} {
		text = strings.ReplaceAll(text, forShells, "")
	}
	return errors.New(strings.ReplaceAll(text, "run ihmt-", "ask the user to run ihmt-"))
}

// progress tells the client every second, if it wants to know, that a call
// still runs. The function returned ends it.
func (c *call) progress(what func() string) (stop func()) {
	token := c.request.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(c.ctx)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1.0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				c.session.client.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: what()})
			}
		}
	}()
	return stop
}
