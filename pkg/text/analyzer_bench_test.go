package text

import (
	"strings"
	"testing"
)

func BenchmarkProfile(b *testing.B) {
	a, err := NewAnalyzer([]string{"en", "es"})
	if err != nil {
		b.Fatal(err)
	}
	notes := strings.Split(strings.TrimSpace(benchNotes), "\n")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Profile(Fields{Content: notes[i%len(notes)]})
	}
}

func BenchmarkNewAnalyzer(b *testing.B) {
	for b.Loop() {
		if _, err := NewAnalyzer([]string{"en", "es"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	a, _ := NewAnalyzer([]string{"en", "es"})
	for b.Loop() {
		a.Query("when did we move the token refresh to internal/auth/session.go?")
	}
}

const benchNotes = `
Reader now tolerates a missing header: the first record decides the number of fields, and later records that are shorter are padded with empty values instead of being dropped.
Moved the token refresh into internal/auth/session.go; refreshAccessToken retries twice and then signs the user out. Regression test for the clock that runs four minutes fast.
Las migraciones se ejecutan antes de arrancar el servicio, y el índice compuesto evita el recorrido completo de la tabla de envíos que veíamos los lunes por la mañana.
Bump the parser to 8.15.1 because 8.15.2 breaks the thumbnails. Also: drop support for the old configuration keys, which nobody has used since March.
`
