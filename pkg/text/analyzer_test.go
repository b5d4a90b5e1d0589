package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func analyzer(t testing.TB, codes ...string) *Analyzer {
	t.Helper()
	a, err := NewAnalyzer(codes)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// finds tells whether every word of a query that has to be found is.
func finds(a *Analyzer, query, content string) bool {
	terms := a.Profile(Fields{Content: content}).Terms
	for _, w := range a.Query(query).Words {
		has := terms[w.Folded] > 0
		for _, group := range w.Forms {
			for _, term := range group {
				has = has || terms[term] > 0
			}
		}
		if !has && !w.Optional {
			return false
		}
	}
	return true
}

func TestWordFormsFindEachOther(t *testing.T) {
	a := analyzer(t, "en", "es")
	for _, c := range []struct{ query, content string }{
		{"deploy", "Deployments are frozen"},
		{"vaccination", "the cat was vaccinated"},
		{"running tests", "we run a test"},
		{"migracion", "Las migraciones"},
		{"migraciones", "la migración"},
		{"reunion", "Reuniones aplazadas"},
		{"REUNIÓN", "reunion"},
		{"policia", "las policías"},
		{"policías", "la policia"},
		{"camiones", "El camión"},
		{"nino", "los niños"},
		{"ciguenal", "El cigüeñal"},
		{"resume", "The résumé"},
		{"strasse", "Hauptstraße, Straße"},
		{"Straße", "strasse"},
		{"oslo smorrebrod", "Smørrebrød in Oslo"},
		{"настройка", "Тёмная тема в настройках"},
		{"темная", "тёмная"},
		{"Αθηνα", "Αθήνα"},
		{"ﬁle", "file"},
		{"ＡＢＣ", "abc"},
		{"cafe\u0301", "café"},
		{"Ana", "Ana's desk, Ana’s chair"},
		{"dont", "don't"},
		{"refresh access token", "refreshAccessToken()"},
		{"refreshAccessToken", "refresh_access_token"},
		{"refresh-access-token", "REFRESH_ACCESS_TOKEN"},
		{"http server timeout", "HTTPServerTimeout"},
		{"url api uuid", "parseURLs of APIs, UUIDv7"},
		{"dispatcher.go", "in internal/queue/dispatcher.go,"},
		{"queue", "internal\\queue\\worker.go"},
		{"NoIdentityMatchError", "returns age.NoIdentityMatchError"},
		{"8.15.1", "pinned to 8.15.1."},
		{"8.15", "libvips-8.15.1"},
		{"1.26.0", "since v1.26.0"},
		{"v1.26", "since 1.26.0"},
		{"129/82", "pressure 129/82 at 3:10"},
		{"3:10", "at 3:10."},
		{"2025-03-14", "on 2025-03-14: outage"},
		{"C++ C#", "ported from C# to C++."},
		{"e2e", "all e2e cases"},
		{"email", "e-mail"},
		{"init", "def __init__(self)"},
		{"__init__", "the init method"},
		{"报修", "三楼打印机卡纸，已经报修。"},
		{"Redis 分布式锁", "用Redis做分布式锁"},
		{"会議室", "会議室の予約"},
		{"비밀번호", "회의실 비밀번호는"},
		{"กรุงเทพ", "ไปกรุงเทพพรุ่งนี้"},
		{"東京 facturas", "La clienta de 東京 quiere las facturas"},
	} {
		if !finds(a, c.query, c.content) {
			t.Errorf("%q does not find %q: %v in %v", c.query, c.content, a.Query(c.query).Words,
				slices.Sorted(maps.Keys(a.Profile(Fields{Content: c.content}).Terms)))
		}
	}
}

func TestDifferentThingsStayApart(t *testing.T) {
	a := analyzer(t, "en", "es")
	for _, c := range []struct{ query, content string }{
		{"8.15.2", "8.15.1"},
		{"5433", "54331 5432"},
		{"13", "2026-02-13"},
		{"12", "1.2"},
		{"C", "C++ and C#"},
		{"йод", "иод"},
		{"数据", "据数"},
		{"कि", "की"},
		{"date", "2025-03-14"},
	} {
		if finds(a, c.query, c.content) {
			t.Errorf("%q finds %q", c.query, c.content)
		}
	}
}

func TestConfiguredLanguagesAreStemmed(t *testing.T) {
	for _, c := range []struct{ code, query, content string }{
		{"de", "Häuser", "das Haus"},
		{"de", "hauser", "Häuser"},
		{"fr", "journaux", "un journal"},
		{"it", "città", "citta"},
		{"pt", "reuniões", "reunioes"},
		{"sv", "bilarna", "bilar"},
		{"tr", "kitaplar", "kitap"},
	} {
		if !finds(analyzer(t, c.code), c.query, c.content) {
			t.Errorf("%s: %q does not find %q", c.code, c.query, c.content)
		}
	}
}

func TestStopWordsAreLeftOutUnlessAlone(t *testing.T) {
	a := analyzer(t, "en", "es")
	for _, c := range []struct{ query, want string }{
		{"when can't we deploy to production?", "deploy production"},
		{"¿dónde está la reunión?", "reunión"},
		{"who is it", "who is it"},
		{"to be or not to be", "to be or not"},
		{"连接池改成多少", "连接 接池 池改 改成"},
		{"会議室の予約", "会議 議室 予約"},
		{"2026-01-08 发生了什么", ""},
		{"deploy Deploy deploy", "deploy"},
	} {
		var got []string
		for _, w := range a.Query(c.query).Words {
			if !w.Optional {
				got = append(got, w.Text)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %q, want %q", c.query, s, c.want)
		}
	}
}

func TestWhatIsAskedAndSaid(t *testing.T) {
	a := analyzer(t, "en", "es")
	for q, want := range map[string]bool{
		"When did Ana move?": true, "how long have they been married": true, "¿Cuándo llega?": true, "en que año nació": true,
		"什么时候搬家": true, "Когда поезд?": true, "wann kommt er": true, "where does Ana live": false, "the whenever bug": false, "how longer": false,
	} {
		if got := a.Query(q).When; got != want {
			t.Errorf("%q asks when: %v", q, got)
		}
	}
	for s, want := range map[string]bool{
		"I saw her yesterday.": true, "We met last week": true, "5 years already": true, "hace 3 días": true, "la semana que viene": true,
		"昨天去了医院": true, "last but not least": false, "a week": false, "Se mudó.": false,
	} {
		if got := a.Profile(Fields{Content: s}).Temporal; got != want {
			t.Errorf("%q says when: %v", s, got)
		}
	}
	for s, want := range map[string]bool{
		"How are you?": true, "Really?! ": false, "“Why?”": true, "好吗？\n": true, "Look? [shares a photo]": true, "Ok.": false, "": false,
	} {
		if got := a.Profile(Fields{Content: s}).Question; got != want {
			t.Errorf("%q asks: %v", s, got)
		}
	}
}

func TestSizeIsCountedAsTyped(t *testing.T) {
	a := analyzer(t, "en", "es")
	for q, want := range map[string]int{
		"": 0, "the Sam": 1, "getUserProfile": 1, "pre-commit hook": 2, "dispatcher.go": 1, "小王": 1, "王小明": 1, "统一管理": 2,
		"connection 连接池": 2, "where did I go on 2025-03-14": 1, "who is it": 3, "Ana Ana López": 2,
	} {
		if got := a.Query(q).Size; got != want {
			t.Errorf("%q: %d, want %d", q, got, want)
		}
	}
}

func TestPhrases(t *testing.T) {
	a := analyzer(t, "en", "es")
	for _, c := range []struct {
		query, content string
		want           bool
	}{
		{`"red team"`, "The Red Team found it", true},
		{`"red team"`, "The team painted it red", false},
		{`“alta médica”`, "Alta medica de mi padre", true},
		{`"统一管理"`, "由总部统一管理。", true},
		{`"统一管理"`, "管理统一", false},
		{`"access token"`, "refreshAccessToken", true},
		{`"go 1.26.0"`, "needs Go 1.26.0 now", true},
	} {
		phrases := a.Query(c.query).Phrases
		if len(phrases) != 1 || a.HasPhrase(c.content, phrases[0]) != c.want {
			t.Errorf("%s in %q: %v, want %v", c.query, c.content, phrases, c.want)
		}
	}
	for _, q := range []string{`no phrase: "one" and 5" screens`, `when did I read "The Lean Startup"?`, `"one" two "`} {
		if p := a.Query(q).Phrases; len(p) != 0 {
			t.Errorf("%s: phrases %v", q, p)
		}
	}
	if p := a.Query(`where is the "red team"?`).Phrases; len(p) != 1 {
		t.Errorf("phrases %v", p)
	}
}

func TestLongWordsAreBoundedAndToldApart(t *testing.T) {
	a := analyzer(t, "en")
	long := strings.Repeat("ñandú", 200)
	if !finds(a, long, "x "+long+" y") {
		t.Error("a long word is not found")
	}
	if finds(a, long+"a", long) {
		t.Error("two long words that begin alike are one")
	}
}

func TestWordsInsideLongPathsAreFound(t *testing.T) {
	a := analyzer(t, "en")
	path := strings.Repeat("/some/folder", 60) + "/needle.go"
	if !finds(a, "needle", "see "+path) {
		t.Error("not found")
	}
}

func TestUnknownLanguageNamesTheKnown(t *testing.T) {
	_, err := NewAnalyzer([]string{"en", "xx"})
	if err == nil || !strings.Contains(err.Error(), `"xx"`) || !strings.Contains(err.Error(), "en, es") {
		t.Errorf("got %v", err)
	}
}

func FuzzAnalyzer(f *testing.F) {
	for _, s := range []string{"Deployments of refreshAccessToken", "用Redis做分布式锁 v1.2.3", "don't ’s l'eau", "\xff\xfe a\u0301\u0301 e\u200d", `"a b" «c d»`, "ﬁ①Ⅷ㎏", "İıſK"} {
		f.Add(s)
	}
	a, err := NewAnalyzer([]string{"en", "es", "de", "tr"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for term, n := range a.Profile(Fields{Title: s, Content: s, Author: s, Tags: []string{s}}).Terms {
			if term == "" || len(term) > MaxTerm || !utf8.ValidString(term) || n <= 0 ||
				strings.ContainsFunc(term, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == ':' }) {
				t.Errorf("term %q of %q", term, s)
			}
		}
		if !finds(a, s, s) {
			t.Errorf("%q does not find itself", s)
		}
		for _, phrase := range a.Query(s).Phrases {
			if !a.HasPhrase(s, phrase) {
				t.Errorf("phrase %q is not in %q", phrase, s)
			}
		}
	})
}

func ExampleAnalyzer_Profile() {
	a, _ := NewAnalyzer([]string{"en", "es"})
	p := a.Profile(Fields{Content: "Las migraciones usan refreshToken"})
	fmt.Println(slices.Sorted(maps.Keys(p.Terms)), p.Length)
	// Output: [las migraciones refresh refreshtoken token usan ~migracion ~tok] 5
}

func ExampleAnalyzer_Query() {
	a, _ := NewAnalyzer([]string{"en", "es"})
	q := a.Query("when did we deploy 8.15.1?")
	for _, w := range q.Words {
		fmt.Println(w.Text, w.Forms)
	}
	fmt.Println("asks when:", q.When)
	// Output:
	// deploy [[deploy ~deploy]]
	// 8.15.1 [[8.15.1]]
	// asks when: true
}
