// Package nav finds memories: it answers a query with exactly the leaves that
// scoring every leaf by the formula of docs/SEARCH.md would return, in the
// same order, and says how sure it is of the first.
//
// A search takes a snapshot of the store and numbers its leaves through all
// tables and the journal's tail (view.go). The words of the query are looked
// up there and add to the scores of the leaves that have them, of those
// leaves' neighbours, and of the branches above them (score.go). The best are
// kept in order (rank.go); what no longer holds goes under what holds instead
// (time.go); and what is left is judged for doubt (doubt.go). Leaves are
// opened for the results that are returned, for quoted phrases, and for the
// sentences that state a fact which changed.
package nav
