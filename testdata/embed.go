// Package testdata holds the example material: what the demo stores, and what
// the tests of several packages read.
package testdata

import "embed"

// Examples are the files of the folder examples, under that name.
//
//go:embed examples
var Examples embed.FS
