package facts

import (
	"testing"

	"github.com/ihmt/ihmt/pkg/internal/page"
)

func TestKindsAreDocumented(t *testing.T) {
	page.Compare(t, "rule", Rule{})
	page.Compare(t, "statement", Statement{})
	page.Compare(t, "Timeline", Source{})
}
