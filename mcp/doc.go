// Package mcp is the memory for agents: a server of the Model Context Protocol
// whose tools are pipelines of the ordinary commands.
//
// The server holds the state of a session and nothing else: what it has handed
// out of files, and a scratch memory in a temporary folder. A call becomes a
// pipeline of the sibling programs, with content and queries on standard
// input; their records become a short text for the model and a structured
// value for programs. [Options.Trace], and the client's log level debug, show
// each call as the line that does the same in a shell.
//
// Every answer is made for a reader that pays per token: compact unless more
// is asked for, cut at a budget, with dates and warnings always and ids only
// where something can be done with them. Where a pipeline fails, the answer is
// a tool error that says what to do; no failure ends the server.
package mcp
