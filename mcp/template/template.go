// Package template holds the instructions that `ihmt setup` writes into the
// files that agents read at the start of every session. They say at more
// length what the server's own instructions say in few words.
package template

import _ "embed"

// Instructions are Markdown, to be put between other instructions: their
// heading is of the second level.
//
//go:embed instructions.md
var Instructions string
