package model

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ihmt/ihmt/pkg/summarize"
)

// A server stands for an API: handle answers its one endpoint.
type server struct {
	name string
	path string // of the endpoint
	wrap func(text string) string
	base string // what follows the server's address in the base URL
}

var servers = []server{
	{summarize.Anthropic, "/v1/messages", func(text string) string {
		return `{"id":"m","type":"message","role":"assistant","model":"x","stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1},"content":[{"type":"text","text":` + quote(text) + `}]}`
	}, ""},
	{summarize.OpenAI, "/v1/chat/completions", func(text string) string {
		return `{"choices":[{"message":{"role":"assistant","content":` + quote(text) + `}}]}`
	}, "/v1"},
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

var nodes = []summarize.Node{{Text: "Vivo en Valencia, <cerca> del mar."}, {Text: strings.Repeat("mar ", materialSize)}}

func ask(t *testing.T, s server, timeout time.Duration, handle http.HandlerFunc) (summarize.Summary, error) {
	t.Helper()
	t.Setenv("ANTHROPIC_API_KEY", "test-key")
	t.Setenv("OPENAI_API_KEY", "test-key")
	fake := httptest.NewServer(handle)
	t.Cleanup(fake.Close)
	b, err := New(summarize.Settings{Backend: s.name, Model: "m", BaseURL: fake.URL + s.base, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return b.Summarize(context.Background(), "personal", 1, nodes)
}

func TestAGoodAnswerIsTaken(t *testing.T) {
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			got, err := ask(t, s, time.Minute, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var sent struct {
					Model    string
					Messages []json.RawMessage
				}
				if r.URL.Path != s.path || json.Unmarshal(body, &sent) != nil || sent.Model != "m" || len(sent.Messages) == 0 {
					t.Errorf("%s got %.300s", r.URL.Path, body)
				}
				if key := r.Header.Get("X-Api-Key") + r.Header.Get("Authorization"); !strings.Contains(key, "test-key") {
					t.Errorf("key %q", key)
				}
				if len(body) > 2*materialSize || !strings.Contains(string(body), "Vivo en Valencia") || !strings.Contains(string(body), "language that most of the texts") {
					t.Errorf("%d bytes: %.300s", len(body), body)
				}
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, s.wrap("```json\n{\"title\":\"Valencia\",\"summary\":\"Vive\\u001b[2J cerca del mar.\",\"keywords\":[\"mar\"]}\n```"))
			})
			if err != nil || got.Title != "Valencia" || got.Summary != "Vive[2J cerca del mar." || len(got.Keywords) != 1 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestEveryWayAServerCanFail(t *testing.T) {
	for _, s := range servers {
		for _, c := range []struct {
			name   string
			kind   summarize.FailureKind
			handle http.HandlerFunc
		}{
			{"internal error", summarize.Failed, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "boom", 500) }},
			{"bad key", summarize.Failed, func(w http.ResponseWriter, r *http.Request) {
				http.Error(w, `{"error":{"message":"bad key"}}`, http.StatusUnauthorized)
			}},
			{"redirect", summarize.Failed, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
			}},
			{"slow", summarize.TimedOut, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // else the server does not notice that the client left
				<-r.Context().Done()
			}},
			{"garbage", "", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "\x00\xff<html>")
			}},
			{"no completion", summarize.Unusable, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{}")
			}},
			{"words only", summarize.Unusable, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, s.wrap("I am sorry, I cannot."))
			}},
			{"cut answer", summarize.Unusable, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, s.wrap(`{"title":"t","summary":"cut in the mid`))
			}},
			{"cut connection", "", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", "5000")
				io.WriteString(w, s.wrap("x")[:20])
			}},
			{"huge", "", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				for range 64 {
					if _, err := io.WriteString(w, strings.Repeat("a", 1<<20)); err != nil {
						return
					}
				}
			}},
			{"huge answer", summarize.Unusable, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, s.wrap(`{"summary":"`+strings.Repeat("a", 100<<10)+`"}`))
			}},
		} {
			t.Run(s.name+"/"+c.name, func(t *testing.T) {
				got, err := ask(t, s, 500*time.Millisecond, c.handle)
				var f *summarize.Failure
				if !errors.As(err, &f) || c.kind != "" && f.Kind != c.kind {
					t.Errorf("got %+v and %v (kind %v), want a failure of kind %q", got, err, f, c.kind)
				}
			})
		}
	}
}

func TestWithoutAKeyNothingIsSent(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	t.Setenv("OPENAI_API_KEY", "")
	for _, s := range servers {
		b, err := New(summarize.Settings{Backend: s.name, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Summarize(context.Background(), "personal", 1, nodes)
		var f *summarize.Failure
		if !errors.As(err, &f) || f.Kind != summarize.NoKey {
			t.Errorf("%s: got %v", s.name, err)
		}
	}
}

func TestALocalEndpointNeedsNoKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a key was sent")
		}
		io.WriteString(w, servers[1].wrap(`{"summary":"s"}`))
	}))
	defer fake.Close()
	b, err := New(summarize.Settings{Backend: summarize.OpenAI, Model: "m", BaseURL: fake.URL + "/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := b.Summarize(context.Background(), "personal", 2, nodes); err != nil || s.Summary != "s" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestABadBaseURLIsNamed(t *testing.T) {
	for _, base := range []string{"localhost:11434", "ftp://x/v1", "http://"} {
		if _, err := New(summarize.Settings{Backend: summarize.OpenAI, Model: "m", BaseURL: base}); err == nil || !strings.Contains(err.Error(), base) {
			t.Errorf("%s: %v", base, err)
		}
	}
}
