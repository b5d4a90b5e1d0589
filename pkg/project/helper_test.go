package project

import (
	"sync"
	"testing"

	"github.com/ihmt/ihmt/pkg/text"
)

var english = sync.OnceValues(func() (*text.Analyzer, error) { return text.NewAnalyzer([]string{"en"}) })

func analyzer(t *testing.T) *text.Analyzer {
	a, err := english()
	if err != nil {
		t.Fatal(err)
	}
	return a
}
