package store

import (
	"testing"

	"github.com/ihmt/ihmt/pkg/internal/page"
)

// What docs/FORMAT.md says of files is what is written.
func TestFilesAreDocumented(t *testing.T) {
	page.Compare(t, "Leaf files", Leaf{})
	page.Compare(t, "Tombstones", tombstone{})
	page.Compare(t, "Settings", Settings{})
	page.Compare(t, "Journal", entryLine{}, "kind")
	page.Compare(t, "Trunk", Trunk{})
	page.Compare(t, "Tables in force", Table{})
	page.Compare(t, "Domains of the trunk", Domain{})
}
