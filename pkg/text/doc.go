// Package text knows what writing is made of, for the languages and scripts
// that a memory may hold: words, stems and index terms (Analyzer), sentences,
// dates, and how many tokens a text costs a model. It knows nothing of leaves
// or files.
package text
