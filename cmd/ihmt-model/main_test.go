package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ihmt-model": main})
}

func TestScripts(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(api.Close) // the scripts run in parallel, after this function
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("API", api.URL)
			return nil
		},
	})
}

// answer is what both APIs would say of any question.
func answer(w http.ResponseWriter, r *http.Request) {
	const text = `"{\"title\":\"Valencia\",\"summary\":\"A move to the sea.\",\"keywords\":[\"Valencia\"]}"`
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		io.WriteString(w, `{"choices":[{"message":{"content":`+text+`}}]}`)
		return
	}
	io.WriteString(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":`+text+`}]}`)
}
