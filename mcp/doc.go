// Package mcp is where the server will stand that offers the pipelines of
// cmd/ihmt to agents as MCP tools. It holds nothing yet: so far agents use the
// tools as a shell does.
package mcp
