package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
)

const (
	treeURI    = "ihmt://tree"
	leafPrefix = "ihmt://leaf/"
)

func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{URI: treeURI, Name: "tree", Title: "Tree of the memory", MIMEType: "text/plain",
		Description: "The domains, and the summaries below them."}, s.readTree)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: leafPrefix + "{id}", Name: "leaf", Title: "A memory", MIMEType: "text/plain",
		Description: "One memory as it was saved."}, s.readLeaf)
}

func (s *Server) readTree(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	if s.empty() {
		return content(req, "The memory is empty."), nil
	}
	var b bytes.Buffer
	err := pipeline.New(pipeline.Tool("ihmt-nav", "tree", "--text", "--path="+s.opt.Path)).Run(ctx, &b)
	if err != nil && pipeline.Code(err) != 1 {
		return nil, advice(err)
	}
	return content(req, b.String()), nil
}

func (s *Server) readLeaf(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id := strings.TrimPrefix(req.Params.URI, leafPrefix)
	if !leafID(id) || s.empty() {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	var said string
	err := pipeline.New(pipeline.Tool("ihmt-nav", "get", id, "--json", "--path="+s.opt.Path)).Each(ctx, func(r *record.Record) error {
		said = fmt.Sprintf("%s  %s  %s\n\n%s", line(r.Str("timestamp"), 40), line(r.Str("domain"), 64), line(r.Str("title"), 100), cli.Clean(r.Str("content")))
		return nil
	})
	var failed *pipeline.Error
	switch {
	case errors.As(err, &failed) && strings.Contains(failed.Stderr, "no leaf"):
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	case err != nil:
		return nil, advice(err)
	}
	return content(req, said), nil
}

func content(req *sdk.ReadResourceRequest, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: text}}}
}
