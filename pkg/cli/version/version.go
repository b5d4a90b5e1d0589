// Package version holds the version of the tools, for what must not import
// more than that.
package version

// Version is the version of all tools: they are released together.
const Version = "0.1.0"
