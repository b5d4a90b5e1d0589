package record_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
)

// A tool reads the kinds that it knows and passes on the rest; fields that it
// does not know stay as they were spelled.
func Example() {
	in := record.NewReader(strings.NewReader(`{"kind":"query","query":"gate","mine":1.50}
{"kind":"mystery","n":1}
`))
	out := record.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		r, err := in.Read()
		if err != nil {
			return // io.EOF, or a *record.LineError
		}
		if r.Kind() == record.KindQuery {
			r.Set("k", 3)
		}
		out.Write(r)
	}
	// Output:
	// {"kind":"query","query":"gate","mine":1.50,"k":3}
	// {"kind":"mystery","n":1}
}

func ExampleRecord_Decode() {
	r, err := record.Parse([]byte(`{"kind":"query","query":7}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var q record.Query
	fmt.Println(r.Decode(&q))
	// Output: field "query" of a query record is a number, want string
}

func ExampleNew() {
	fmt.Println(record.New(record.KindSkipped, record.Skipped{Source: "photo.jpg", Reason: "binary"}))
	// Output: {"kind":"skipped","source":"photo.jpg","reason":"binary"}
}
