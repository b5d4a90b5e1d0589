package facts

import "testing"

func TestBundledRulesAreRead(t *testing.T) {
	r := Bundled()
	t.Logf("%d rules, %d nodes, %d words, %d lists", len(r.List()), len(r.classes), len(r.starts), len(r.classOf))
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := With("x", "[location]\nsays my base camp is _"); err != nil {
			b.Fatal(err)
		}
	}
}
