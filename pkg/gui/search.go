package gui

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
)

// maxResults is how many results the page may ask for.
const maxResults = 50

// search answers a query as an agent's search is answered. The query travels
// as a record on standard input, so that its words do not show in the list of
// processes.
func (w *Window) search(r *http.Request) (any, error) {
	form := r.URL.Query()
	q := record.Query{Query: form.Get("q"), Clues: form["clue"], K: 5, Explain: true, Filters: record.Filters{
		Domain: form.Get("domain"), Type: form.Get("type"), Tag: form.Get("tag"), Agent: form.Get("agent"), Project: form.Get("project"),
		Since: form.Get("since"), Until: form.Get("until"), At: form.Get("at"), History: form.Has("history")}}
	if n, err := strconv.Atoi(form.Get("k")); err == nil {
		q.K = min(max(n, 1), maxResults)
	}
	p := pipeline.New(w.stage("ihmt-nav", "ask", "-"))
	p.Input = record.New(record.KindQuery, q).String() + "\n"
	a, err := collect(r.Context(), p)
	q.Explain = false
	p.Input = record.New(record.KindQuery, q).String() + "\n"
	p.Stages[0] = w.stage("ihmt-nav", "ask", "-")
	a.Shell = p.Line()
	return a, err
}

// activity returns the leaves that were saved last.
func (w *Window) activity(r *http.Request) (any, error) {
	k, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("k"), "30"))
	if err != nil || k < 1 || k > 500 {
		return nil, refusal{http.StatusNotFound, "k is to be 1 to 500"}
	}
	return w.run(r.Context(), "ihmt-nav", "saved", "-k", strconv.Itoa(k))
}

// growth returns how many leaves were saved on each day.
func (w *Window) growth(r *http.Request) (any, error) {
	return w.run(r.Context(), "ihmt-nav", "saved", "--by-day")
}

// body reads what a request asks for.
func body(r *http.Request, v any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return refusal{http.StatusBadRequest, "the request is not what docs/GUI.md describes: " + err.Error()}
	}
	return nil
}
