//lint:file-ignore SA1019 roots and logging are deprecated in the newest version of the protocol, and what today's clients have

package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/secret"
)

// Instructions tell a model when to use the tools. A client puts them, and
// the tools' descriptions, into every conversation, so they are short.
//
//go:embed instructions.md
var Instructions string

// Options say which memory a server is for.
type Options struct {
	Path  string    // the folder that holds ihmt_memory, as --path
	Trace io.Writer // receives each call as a shell line; nil for none
}

// A Server answers the clients of one memory.
type Server struct {
	opt Options
	sdk *sdk.Server

	mu       sync.Mutex
	sessions map[*sdk.ServerSession]*session
	schemas  map[string]*jsonschema.Schema // of the arguments, by tool
	trace    sync.Mutex                    // held while a line is written
	growing  sync.Mutex                    // held while the tree grows
	work     sync.WaitGroup
	end      context.CancelFunc
	life     context.Context // ends with the server, and with it all calls
}

// New returns a server, which is to be closed.
func New(opt Options) *Server {
	s := &Server{opt: opt, sessions: map[*sdk.ServerSession]*session{}, schemas: map[string]*jsonschema.Schema{}}
	s.life, s.end = context.WithCancel(context.Background())
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "ihmt", Title: "IHMT memory", Version: cli.Version}, &sdk.ServerOptions{
		Instructions: Instructions,
		// What is offered never changes.
		Capabilities: &sdk.ServerCapabilities{
			Logging: &sdk.LoggingCapabilities{}, Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{}},
		RootsListChangedHandler: func(_ context.Context, req *sdk.RootsListChangedRequest) { s.session(req.Session).forgetRoot() },
	})
	s.sdk.AddReceivingMiddleware(s.receive)
	s.addTools()
	s.addResources()
	s.addPrompts()
	return s
}

// ServeStdio answers one client on standard input and output until it closes
// the input or the context ends. Nothing else may write to standard output.
func (s *Server) ServeStdio(ctx context.Context) error {
	defer context.AfterFunc(ctx, s.end)() // before the session waits for its calls
	err := s.sdk.Run(ctx, stdio(os.Stdin, os.Stdout))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// maxMessage is the longest message taken, in bytes.
const maxMessage = 64 << 20

// Close ends what still runs, waits for it, and removes what sessions left.
func (s *Server) Close() {
	s.end()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		session.close()
	}
	clear(s.sessions)
}

// session returns the state of a client's session, which is forgotten when
// the session ends.
func (s *Server) session(of *sdk.ServerSession) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[of]; known != nil {
		return known
	}
	fresh := &session{client: of}
	s.sessions[of] = fresh
	go func() {
		of.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sessions[of] == fresh {
			delete(s.sessions, of)
			fresh.close()
		}
	}()
	return fresh
}

// receive stands before every method. A call ends with the server; arguments
// that are null, as some clients write every optional one or all of them at
// once, are dropped; and a failure inside does not end the server.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(os.Stderr, "ihmt-mcp: %s: %v\n%s", method, p, debug.Stack())
				err = fmt.Errorf("%s failed inside; the server's messages say where. Go on without it", method)
			}
		}()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.life, cancel)()
		if params, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok && params != nil {
			params.Arguments = withoutNulls(params.Arguments)
			if refusal := s.refused(params); refusal != nil {
				return refusal, nil
			}
		}
		return next(ctx, method, req)
	}
}

func withoutNulls(raw json.RawMessage) json.RawMessage {
	args := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &args) != nil {
		return raw
	}
	for name, value := range args {
		if string(value) == "null" {
			delete(args, name)
		}
	}
	if args == nil { // all of it was null
		args = map[string]json.RawMessage{}
	}
	return jsonOf(args)
}

// log shows a call as a shell line: to the trace, and to a client that wants
// to be told that much. Secrets are not shown.
func (c *call) log(p *pipeline.Pipeline) {
	line := maskedLine(p)
	if c.server.opt.Trace != nil {
		c.server.trace.Lock()
		fmt.Fprintln(c.server.opt.Trace, line)
		c.server.trace.Unlock()
	}
	c.session.client.Log(c.ctx, &sdk.LoggingMessageParams{Level: "debug", Logger: "ihmt", Data: line})
}

// maskedLine is the line of a pipeline without the secrets in its input.
func maskedLine(p *pipeline.Pipeline) string {
	shown := *p
	if r, err := record.Parse([]byte(p.Input)); err == nil {
		r.Each(func(name string, value gjson.Result) {
			if value.Type == gjson.String {
				r.Set(name, secret.Mask(value.String()))
			}
		})
		shown.Input = r.String() + "\n"
	} else {
		shown.Input = secret.Mask(p.Input)
	}
	return shown.Line()
}

// empty tells whether there is no memory yet.
func (s *Server) empty() bool {
	dir, err := (&cli.Common{Path: s.opt.Path}).Memory()
	if err != nil {
		return false
	}
	_, err = os.Stat(dir)
	return os.IsNotExist(err)
}
