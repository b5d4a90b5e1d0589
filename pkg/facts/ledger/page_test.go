package ledger

import (
	"testing"

	"github.com/ihmt/ihmt/pkg/internal/page"
)

func TestMarksAreDocumented(t *testing.T) {
	page.Compare(t, "Marks of the timeline", mark{})
}
