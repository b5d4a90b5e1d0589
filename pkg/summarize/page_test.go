package summarize

import (
	"testing"

	"github.com/ihmt/ihmt/pkg/internal/page"
)

// What docs/FORMAT.md says of programs that write summaries is what they get
// and may answer.
func TestTheProtocolIsDocumented(t *testing.T) {
	page.Compare(t, "Children of a branch", Request{})
	page.Compare(t, "Summary of a branch", Summary{})
}
