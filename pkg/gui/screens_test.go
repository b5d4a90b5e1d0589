package gui

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// screens are what is looked at: a name, where it is, and when it is there.
var screens = []struct{ name, hash, there string }{
	{"explore", "#/explore", `document.querySelector('.legend')?.textContent && document.querySelectorAll('[role=treeitem]').length > 0`},
	{"leaf", "#/explore/LEAF", `document.querySelector('article.leaf .details') && document.querySelector('[aria-selected=true]')`},
	{"diagnose", "#/diagnose?q=Luis", `document.querySelectorAll('.results > li').length > 1`},
	{"timeline", "#/timeline", `document.querySelectorAll('.value').length > 5`},
	{"activity", "#/activity", `document.querySelectorAll('.feed li').length > 5`},
	{"setup", "#/setup", `document.querySelectorAll('.agentlist li').length > 5`},
}

// Every screen, in every language, wide and narrow, light and dark: it is
// there, says nothing on the console, fits, and axe-core has nothing serious
// against it.
func TestScreens(t *testing.T) {
	home := demo(t)
	leaf := ids(t, tool(t, "ihmt-nav", "search", "Madrid", "-k", "1", "--json", "--path", home), "leaf_id")[0]
	p := open(t, home, 1280, 860)
	for i, language := range []string{"en", "es", "zh"} {
		for j, s := range screens {
			for k, width := range []int64{1280, 360} {
				scheme := []string{"light", "dark"}[(i+j+k)%2]
				where := fmt.Sprintf("%s, %s, %d wide, %s", s.name, language, width, scheme)
				p.look(width, 800, scheme)
				if k == 0 {
					p.goTo(language, strings.Replace(s.hash, "LEAF", leaf, 1))
				}
				p.until(s.there)
				if said := p.text(`document.documentElement.lang`); said != language {
					t.Errorf("%s: lang=%s", where, said)
				}
				p.fits(where)
				p.accessible(where)
				p.quiet(where)
			}
		}
	}
}

// TestScreenshots writes the pictures that the documents show, with -update.
func TestScreenshots(t *testing.T) {
	if !*update {
		t.Skip("give -update to make docs/screens anew")
	}
	home := demo(t)
	// An agent saved something, so that there is something to see.
	saved := filepath.Join(t.TempDir(), "ada")
	if err := os.CopyFS(saved, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	save(t, saved,
		`{"kind":"chunk","source":"s1","position":0,"data_type":"PERSONAL","domain":"work.decisions","title":"SQLite for the queue","timestamp":"2026-02-03","agent":"claude-code","project":"shop","content":"2026-02-03: We chose SQLite over Postgres for the queue, because one machine is enough."}`,
		`{"kind":"chunk","source":"s2","position":0,"data_type":"PERSONAL","domain":"work.decisions","title":"Reservations last half an hour","timestamp":"2026-02-05","agent":"codex","project":"shop","content":"2026-02-05: Reservations last thirty minutes now, because people walk away from the checkout."}`)
	leaf := ids(t, tool(t, "ihmt-nav", "search", "cuaderno ascensor Lavapiés", "-k", "1", "--json", "--path", saved), "leaf_id")[0]
	for _, agent := range []string{".cursor", ".codex"} {
		if err := os.MkdirAll(filepath.Join(os.Getenv("HOME"), agent), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(filepath.Join(os.Getenv("HOME"), agent)) })
	}
	docs := filepath.Join("..", "..", "docs", "screens")
	if err := os.MkdirAll(docs, 0o755); err != nil {
		t.Fatal(err)
	}
	p := open(t, saved, 1280, 800)
	for _, s := range screens {
		for _, scheme := range []string{"light", "dark"} {
			p.look(1280, 800, scheme)
			p.goTo("en", strings.Replace(s.hash, "LEAF", leaf, 1))
			p.until(s.there)
			if s.name == "setup" {
				p.eval(`document.querySelector('[data-agent=cursor]').click()`)
				p.until(`document.querySelector('#plan-cursor .change')`)
			}
			p.settle()
			p.eval(fmt.Sprintf(`const folders = [[%q, '/home/ada/.ihmt'], [%q, '/home/ada']]
				const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
				while (texts.nextNode()) for (const [from, to] of folders) texts.currentNode.data = texts.currentNode.data.replaceAll(from, to)`, saved, os.Getenv("HOME")))
			p.picture(filepath.Join(docs, s.name+map[string]string{"light": "", "dark": "-dark"}[scheme]+".png"))
		}
	}
	p.look(360, 740, "light")
	p.goTo("es", "#/explore")
	p.until(screens[0].there)
	p.settle()
	p.picture(filepath.Join(docs, "explore-narrow.png"))
	p.look(360, 740, "dark")
	p.goTo("zh", "#/timeline")
	p.until(screens[3].there)
	p.picture(filepath.Join(docs, "timeline-narrow.png"))
}

// settle waits until the picture has the titles that it asked for.
func (p *tab) settle() {
	p.until(`performance.getEntriesByType('resource').every(e => e.responseEnd > 0) && (window.lastCount === performance.getEntriesByType('resource').length ? ++window.sameCount > 8 : (window.lastCount = performance.getEntriesByType('resource').length, window.sameCount = 0, false))`)
}

// A leaf that was replaced says by what, and what it states is answered by
// what is newer.
func TestALeafThatWasReplaced(t *testing.T) {
	home := t.TempDir()
	save(t, home, chunkLine("a", "work", "GENERIC", "2024-01-05", "The queue is Postgres."))
	old := ids(t, tool(t, "ihmt-store", "ls", "--json", "--path", home), "leaf_id")[0]
	save(t, home, fmt.Sprintf(`{"kind":"chunk","source":"b","position":0,"domain":"work","timestamp":"2025-01-05","replaces":%q,"title":"The queue","content":"The queue is SQLite now."}`, old))
	p := open(t, home, 1280, 860)
	p.goTo("en", "#/explore/"+old)
	p.until(`document.querySelector('.note.warn')?.textContent.includes('Replaced on January 5, 2025 by The queue')`)
	p.eval(`document.querySelector('.note.warn a').click()`)
	p.until(`document.querySelector('article .text').textContent === 'The queue is SQLite now.' && document.querySelector('.note.info a').textContent === '` + old + `'`)
	p.quiet("replaced")
}

// The language is the browser's until somebody chooses another.
func TestTheLanguageIsChosen(t *testing.T) {
	p := open(t, demo(t), 1280, 860)
	p.eval(`localStorage.clear(); Object.defineProperty(navigator, 'languages', {get: () => ['fr']})`)
	p.goTo("en", "#/diagnose")
	p.eval(`const s = document.querySelector('select'); s.value = 'es'; s.dispatchEvent(new Event('change'))`)
	p.until(`document.documentElement.lang === 'es' && document.querySelector('h1')?.textContent === 'Diagnóstico'`)
	p.eval(`document.querySelector('.choices button').click()`)
	if !p.holds(`document.documentElement.dataset.theme === 'dark' && getComputedStyle(document.body).backgroundColor === 'rgb(18, 22, 20)'`) {
		t.Error("the colours were not switched")
	}
	p.eval(`localStorage.clear()`)
	p.quiet("switching")
}

// Everything can be done with the keyboard alone.
func TestKeyboardOnly(t *testing.T) {
	p := open(t, demo(t), 1280, 860)
	p.goTo("en", "#/explore")
	p.until(screens[0].there)
	// The first stop leads past the navigation.
	p.press(kb.Tab)
	if !p.holds(`document.activeElement.className === 'skip'`) {
		t.Error("the first stop is not the link to the content")
	}
	p.press(kb.Tab, kb.Tab)
	if !p.holds(`document.activeElement.dataset.screen === 'explore' && getComputedStyle(document.activeElement).outlineStyle !== 'none'`) {
		t.Error("the navigation does not follow, or its focus is not seen")
	}
	// Down the tree to a leaf.
	p.eval(`document.querySelector('[role=tree] [tabindex="0"]').focus()`)
	p.press(kb.ArrowRight)
	p.until(`document.querySelectorAll('[aria-level="2"]').length > 1`)
	for range 8 {
		if p.holds(`document.activeElement.classList.contains('leafrow')`) {
			break
		}
		p.press(kb.ArrowDown, kb.ArrowRight)
		p.until(`!document.querySelector('[role=group] > .hint')`)
	}
	p.press(kb.Enter)
	p.until(`document.querySelector('article.leaf') && location.hash.startsWith('#/explore/L-')`)
	p.press(kb.ArrowLeft, kb.ArrowLeft, kb.Home)
	if !p.holds(`document.activeElement.getAttribute('aria-level') === '1'`) {
		t.Error("Home does not lead to the first domain")
	}
	// The picture.
	p.eval(`location.hash = '#/explore'`)
	p.until(`document.querySelector('.stage') && document.querySelector('.legend').textContent`)
	p.eval(`document.querySelector('.stage').focus()`)
	p.press(kb.ArrowRight)
	p.until(`/personal, 21 memories/.test(document.querySelector('.unseen[role=status]').textContent)`)
	p.press(kb.Enter, kb.Enter, "o")
	p.until(`location.hash.length > '#/explore/'.length`)
	// A search, and the way to its first result.
	p.eval(`location.hash = '#/diagnose'`)
	p.until(`document.activeElement.name === 'q'`)
	p.press("r", "e", "s", "e", "r", "v", "e", " ", "s", "t", "o", "c", "k", kb.Enter)
	p.until(`document.querySelector('.verdict.good')`)
	// The date slides.
	p.eval(`location.hash = '#/timeline'`)
	p.until(screens[3].there)
	before := p.text(`document.querySelector('.said').textContent`)
	p.eval(`document.querySelector('[type=range]').focus()`)
	p.press(kb.PageDown)
	if after := p.text(`document.querySelector('.said').textContent`); after == before {
		t.Errorf("the slider did not move: %s", after)
	}
	p.quiet("keyboard")
}

// Agents save while somebody looks at a part of the picture.
func TestASaveDoesNotMoveThePicture(t *testing.T) {
	home := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(home, os.DirFS(demo(t))); err != nil {
		t.Fatal(err)
	}
	p := open(t, home, 1280, 800)
	p.eval(`document.querySelector('.stage').focus()`)
	p.press(kb.ArrowRight, kb.Enter, kb.Enter)
	p.until(`document.querySelector('.stage.deep')`)
	looksAt := p.text(`document.querySelector('.unseen[role=status]').textContent`)

	save(t, home, chunkLine("n1", "medicine.clinical", "note", "2026-11-02", "The harbour clinic opens at eight."))
	p.until(`/41 memories/.test(document.querySelector('.picturehead').textContent)`)
	if !p.holds(`document.querySelector('.stage.deep') !== null`) {
		t.Error("it shows the whole memory again")
	}
	p.press("o")
	p.until(`document.querySelector('article.node .children')`)
	if holds := p.text(`document.querySelectorAll('article.node .children li').length + ' memories'`); !strings.Contains(looksAt, ", "+holds+" ") {
		t.Errorf("it opens one that holds %s, after it said %q", holds, looksAt)
	}

	p.eval(`document.querySelector('[role=treeitem][data-id="personal"]').focus()`)
	save(t, home, chunkLine("n2", "medicine.clinical", "note", "2026-11-03", "The harbour clinic closes at four."))
	p.until(`document.querySelector('[role=treeitem][data-id="medicine.clinical"] .number').textContent === '8' && document.activeElement.dataset.id === 'personal'`)
	p.goTo("en", "#/timeline")
	p.eval(`const f = document.querySelector('[type=search]'); f.focus(); f.value = 'luis'; f.select(); document.querySelector('.subjects').replaceChildren()`)
	save(t, home, chunkLine("n3", "medicine.clinical", "note", "2026-11-04", "The harbour clinic has two doctors."))
	p.until(`document.querySelector('.subjects').children.length > 0`)
	if !p.holds(`document.activeElement.type === 'search' && document.activeElement.value === 'luis'`) {
		t.Error("the filter that somebody types into is lost")
	}
	p.quiet("saved")
}

// What the date shows as true is what ihmt-facts at says.
func TestTheDateShowsWhatWasTrue(t *testing.T) {
	home := demo(t)
	p := open(t, home, 1280, 860)
	p.goTo("en", "#/timeline")
	p.until(screens[3].there)
	for _, day := range []string{"2024-01-13", "2024-01-14", "2024-04-09", "2024-12-31", "2025-03-01", "2025-03-02", "2025-07-08", "2026-01-01"} {
		p.eval(fmt.Sprintf(`const d = document.querySelector('[type=date]'); d.value = %q; d.dispatchEvent(new Event('change'))`, day))
		shown := p.list(`[...document.querySelectorAll('.value.holds')].map(e => e.textContent)`)
		want := ids(t, tool(t, "ihmt-facts", "at", day, "--json", "--path", home), "value")
		slices.Sort(shown)
		slices.Sort(want)
		if !slices.Equal(shown, want) {
			t.Errorf("%s: %q, want %q", day, shown, want)
		}
	}
	p.eval(`const f = document.querySelector('[type=search]'); f.value = 'CELIACA'; f.dispatchEvent(new Event('input'))`)
	p.until(`document.querySelectorAll('.lane').length === 1 && document.querySelector('.subject').textContent.includes('enfermedad celíaca')`)
}

// Long histories fold, hundreds of subjects come in parts, and two values of
// one day are marked.
func TestManyFacts(t *testing.T) {
	home := t.TempDir()
	var chunks []string
	for i := range 200 {
		chunks = append(chunks, chunkLine(fmt.Sprintf("visit-%d", i), "medicine", "CLINICAL", "2024-05-02", fmt.Sprintf("Patient: Ann %s\n2024-05-02\nDiagnosis: malady %d\n", name(i), i)))
	}
	for i := range 40 {
		date := fmt.Sprintf("20%02d-03-01", 10+i%15)
		if i >= 15 {
			date = fmt.Sprintf("20%02d-%02d-15", 10+i%15, 4+i/15)
		}
		chunks = append(chunks, chunkLine(fmt.Sprintf("home-%d", i), "personal", "PERSONAL", date, fmt.Sprintf("%s: I live in %s.", date, name(i))))
	}
	save(t, home, chunks...)
	p := open(t, home, 1280, 860)
	p.goTo("en", "#/timeline")
	p.until(`document.querySelectorAll('.subject').length === 30`)
	if n := p.list(`[...document.querySelectorAll('.lane')].slice(0, 1).flatMap(l => [String(l.querySelectorAll('.value').length), String(l.querySelectorAll('.values li').length), l.querySelector('.more').textContent])`); !slices.Equal(n, []string{"40", "8", "Show 32 earlier values"}) {
		t.Errorf("a history of 40: %q", n)
	}
	p.eval(`const f = document.querySelector('[type=search]'); f.value = 'malady 123'; f.dispatchEvent(new Event('input'))`)
	p.until(`document.querySelectorAll('.lane').length === 1`)
	p.quiet("many facts")
}

// name is the i-th of many names.
func name(i int) string {
	return string([]rune{rune('A' + i/26%26), rune('a' + i%26), 'o', 'r', 'i', 'n'})
}

func chunkLine(source, domain, dataType, date, content string) string {
	line, _ := json.Marshal(map[string]any{"kind": "chunk", "source": source, "position": 0, "data_type": dataType, "domain": domain, "timestamp": date, "content": content})
	return string(line)
}

// While an agent saves, what it saved arrives.
func TestActivityIsLive(t *testing.T) {
	home := t.TempDir()
	save(t, home, chunkLine("a", "personal", "PERSONAL", "2026-01-01", "The first one."))
	p := open(t, home, 1280, 860)
	p.goTo("en", "#/activity")
	p.until(`document.querySelectorAll('.feed li').length === 1`)
	save(t, home, `{"kind":"chunk","source":"b","position":0,"data_type":"PERSONAL","domain":"personal","timestamp":"2026-01-02","title":"From an agent","agent":"codex","content":"The second one."}`)
	p.until(`document.querySelectorAll('.feed li').length === 2 && document.querySelector('.feed li.fresh a').textContent === 'From an agent' && document.querySelector('.feed li .tag').textContent === 'codex'`)
	p.until(`document.querySelector('.memory strong').textContent === '2 memories'`)
	p.quiet("live")
}

// A folder without a memory leads to the set-up, where one can be made.
func TestCreatingAMemory(t *testing.T) {
	home := filepath.Join(t.TempDir(), "new folder's")
	if err := os.MkdirAll(filepath.Join(home, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := open(t, home, 1280, 860)
	p.until(`location.hash === '#/setup' && document.querySelector('.verdict.warn h2').textContent.startsWith('There is no memory')`)
	p.accessible("no memory")
	p.eval(`document.querySelector('#choose').click()`)
	p.until(`[...document.querySelectorAll('.folders bdi')].some(b => b.textContent === 'below')`)
	p.accessible("choosing a folder")
	p.eval(`document.querySelector('#create').click()`)
	p.until(`document.querySelector('.where-it-is .tag.good')`)
	if _, err := os.Stat(filepath.Join(home, "ihmt_memory", "ihmt.config.json")); err != nil {
		t.Error(err)
	}
	for _, s := range []string{"explore", "diagnose", "timeline", "activity"} {
		p.goTo("en", "#/"+s)
		p.fits("empty " + s)
		p.accessible("empty " + s)
		p.quiet("empty " + s)
	}
	p.goTo("en", "#/diagnose?q=anything")
	p.until(`document.querySelector('.verdict.none')`)
	p.quiet("searching nothing")
}

// Whether everything works is told with the way to mend what does not.
func TestCheckingEverything(t *testing.T) {
	home := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(home, os.DirFS(demo(t))); err != nil {
		t.Fatal(err)
	}
	leaf := filepath.Join(home, "ihmt_memory", "layer_0", "personal", ids(t, tool(t, "ihmt-nav", "search", "limonero", "-k", "1", "--json", "--path", home), "leaf_id")[0]+".txt")
	p := open(t, home, 1280, 860)
	p.goTo("es", "#/setup")
	p.eval(`document.querySelector('#check').click()`)
	p.until(`document.querySelectorAll('.health li').length > 4 && document.querySelector('.health .shell')`)
	p.accessible("checked")
	p.must(os.Remove(leaf))
	p.eval(`document.querySelector('#check').click()`)
	p.until(`document.querySelector('.health .note.bad') && document.querySelector('.health li.problem .hint').textContent.length > 5`)
	p.accessible("something wrong")
	p.quiet("checking")
}

// Connecting shows what would be written first, and says how it went.
func TestConnectingAnAgent(t *testing.T) {
	agentHome := filepath.Join(os.Getenv("HOME"), ".cursor")
	if err := os.MkdirAll(agentHome, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(agentHome) })
	p := open(t, demo(t), 1280, 860)
	p.goTo("en", "#/setup")
	p.until(`document.querySelector('[data-agent=cursor]')`)
	p.eval(`for (const d of document.querySelectorAll('details')) d.open = true; document.querySelector('[data-agent=cursor]').click()`)
	p.until(`document.querySelector('#plan-cursor .change .added') && /ihmt setup cursor/.test(document.querySelector('#plan-cursor .shell').textContent)`)
	p.accessible("what would be written")
	if _, err := os.Stat(filepath.Join(agentHome, "mcp.json")); err == nil {
		t.Error("looking wrote the file")
	}
	p.eval(`document.querySelector('[data-do=cursor]').click()`)
	p.until(`/^It works/.test(document.querySelector('#works h2').textContent)`)
	p.accessible("connected")
	if _, err := os.Stat(filepath.Join(agentHome, "mcp.json")); err != nil {
		t.Error(err)
	}
	p.quiet("connecting")
}

// Whatever a memory holds is shown as text.
func TestHostileMemory(t *testing.T) {
	home := t.TempDir()
	script := `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"><a href="javascript:hacked=1">x</a>`
	hostile := []map[string]any{
		{"title": script, "content": script + "\n\n[x](javascript:alert(1)) {{7*7}} ${hacked=1}", "agent": script, "project": script, "author": script, "tags": []string{script}},
		{"title": strings.Repeat("x", 3000), "content": strings.Repeat("long", 20000), "agent": strings.Repeat("agent", 50)},
		{"title": "\u202egpj.exe\u202c", "content": "abc \u202edcba\u202c \u2066x\u2069 \u0007bell \x1b[31mred\x1b[0m \u0000nul \u0085 \u2028 end", "agent": "\u202eagent"},
		{"title": "שלום עולם مرحبا", "content": "مرحبا بالعالم — שלום עולם — English in between.", "agent": "عميل"},
		{"title": "𝕿𝖍𝖊 🧨 ̶z̶a̶l̶g̶o̶" + strings.Repeat("\u0301", 300), "content": strings.Repeat("a"+strings.Repeat("\u0301", 40), 50)},
		{"title": "code", "content": "</code></pre>" + script + strings.Repeat("(", 3000), "data_type": "CODE", "language": "javascript"},
		{"title": "fact", "content": "2024-01-01: I live in " + script + "."},
		{"title": "__proto__", "content": "constructor toString __proto__", "agent": "__proto__"},
	}
	var lines []string
	for i, h := range hostile {
		h["kind"], h["source"], h["position"], h["domain"] = "chunk", fmt.Sprintf("%s %d", script, i), 0, "personal"
		if h["timestamp"] == nil {
			h["timestamp"] = "2024-01-01"
		}
		line, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	save(t, home, lines...)
	// A value that no rule would read, as a user may state it.
	add := exec.Command("ihmt-facts", "add", "user", "location", script+"\u202e", "--path", home)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tool(t, "ihmt-summarize", "--force", "--path", home)
	leaves := ids(t, tool(t, "ihmt-store", "ls", "--json", "--path", home), "leaf_id")
	p := open(t, home, 360, 740)
	hashes := []string{"#/explore", "#/explore/personal", "#/diagnose?q=hacked", "#/diagnose?q=" + strings.Repeat("%3Cb%3E", 20), "#/timeline", "#/activity", "#/setup", "#/explore/%3Cscript%3E", "#/explore/L-personal-0000-ffffffffff", "#/" + script}
	for _, id := range leaves {
		hashes = append(hashes, "#/explore/"+id)
	}
	for _, branch := range ids(t, tool(t, "ihmt-nav", "map", "--json", "--path", home), "node_id") {
		if branch != "" {
			hashes = append(hashes, "#/explore/"+branch)
		}
	}
	seen := ""
	for _, hash := range hashes {
		p.goTo("en", hash)
		p.eval(`for (const d of document.querySelectorAll('details')) d.open = true`)
		where := fmt.Sprintf("%.60s", hash)
		if p.holds(`window.hacked !== undefined || !!document.querySelector('main script, main img:not([alt=""]), main [onerror], main a[href^="javascript:"]')`) {
			t.Errorf("%s: markup of a memory became markup", where)
		}
		if bad := p.text(`(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.exec(document.body.textContent) ?? [''])[0]`); bad != "" {
			t.Errorf("%s: a control code %q is on the page", where, bad)
		}
		p.fits(where)
		seen += p.text(`document.querySelector('main').textContent`)
		p.mu.Lock()
		// That a leaf or folder does not exist is answered with an error, which
		// browsers report.
		p.complaints = slices.DeleteFunc(p.complaints, func(c string) bool { return strings.Contains(c, "Failed to load resource") })
		p.mu.Unlock()
		p.quiet(where)
	}
	for _, want := range []string{script, "[U+202E]gpj.exe", "␇bell ␛[31mred", "␀nul", "שלום עולם"} {
		if !strings.Contains(seen, want) {
			t.Errorf("%q is nowhere to be read", want)
		}
	}
}

// A large memory is shown level by level.
func TestLargeMemory(t *testing.T) {
	home := large(t)
	p := open(t, home, 1280, 860)
	for i, language := range []string{"en", "es", "zh"} {
		for _, s := range []struct{ hash, there string }{
			{"#/explore", screens[0].there},
			{"#/diagnose?q=needle+haystack", `document.querySelector('.verdict.good') && document.querySelectorAll('.results > li').length >= 1`},
			{"#/timeline", `document.querySelectorAll('.value').length > 0`},
			{"#/activity", screens[4].there}, {"#/setup", screens[5].there},
		} {
			p.look(1280, 860, []string{"light", "dark"}[i%2])
			p.goTo(language, s.hash)
			p.until(s.there)
			where := s.hash + " " + language
			p.fits(where)
			p.quiet(where)
			if i == 0 {
				p.accessible(where)
			}
		}
	}
	p.goTo("en", "#/explore")
	p.until(screens[0].there)
	if n := p.text(`String(document.querySelectorAll('[role=treeitem]').length)`); n != fmt.Sprint(largeDomains) {
		t.Errorf("%s rows before anything was opened, want the %d domains", n, largeDomains)
	}
	// Down one branch after the other to a leaf.
	p.eval(`document.querySelector('[role=treeitem] .twist').dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
	for level := 2; level < 9; level++ {
		p.until(fmt.Sprintf(`document.querySelector('[aria-level="%d"]')`, level))
		if p.holds(fmt.Sprintf(`document.querySelector('[aria-level="%d"]').classList.contains('leafrow')`, level)) {
			break
		}
		p.eval(fmt.Sprintf(`document.querySelector('[aria-level="%d"] .twist').dispatchEvent(new MouseEvent('click', {bubbles: true}))`, level))
	}
	p.eval(`document.querySelector('.leafrow .row').click()`)
	p.until(`document.querySelector('article.leaf .text').textContent.length > 10`)
	p.quiet("down the tree")
}

// The page's first view is small.
func TestTheFirstViewIsSmall(t *testing.T) {
	size := 0
	for _, name := range []string{"index.html", "icon.svg", "app.css", "app.js", "dom.js", "words.js", "explore.js", "leaf.js", "picture.js", "zh.json"} {
		data, err := web.ReadFile("web/" + name)
		if err != nil {
			t.Fatal(err)
		}
		size += len(data)
	}
	t.Logf("%d bytes", size)
	if size > 150<<10 {
		t.Errorf("%d bytes", size)
	}
}

// Every phrase stands in every language, with the same places to fill, and
// every phrase that the page asks for exists.
func TestEveryPhraseIsTranslated(t *testing.T) {
	languages := map[string]map[string]any{}
	for _, code := range []string{"en", "es", "zh"} {
		data, err := web.ReadFile("web/" + code + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var phrases map[string]any
		if err := json.Unmarshal(data, &phrases); err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		languages[code] = phrases
	}
	places := func(phrase any) []string {
		text, _ := json.Marshal(phrase)
		found := regexp.MustCompile(`\{\w+\}`).FindAllString(string(text), -1)
		found = slices.DeleteFunc(found, func(s string) bool { return s == "{n}" }) // a form may spell the number out
		slices.Sort(found)
		return slices.Compact(found)
	}
	for code, phrases := range languages {
		for key, phrase := range languages["en"] {
			if phrases[key] == nil {
				t.Errorf("%s lacks %s", code, key)
			} else if !slices.Equal(places(phrase), places(phrases[key])) {
				t.Errorf("%s, %s: %q, want the places of %q", code, key, phrases[key], phrase)
			}
		}
		for key := range phrases {
			if languages["en"][key] == nil {
				t.Errorf("%s has %s, which English has not", code, key)
			}
		}
	}
	entries, err := web.ReadDir("web")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".js") {
			continue
		}
		data, err := web.ReadFile("web/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bt\('([\w.]+)'[,)]`).FindAllStringSubmatch(string(data), -1) {
			if languages["en"][m[1]] == nil {
				t.Errorf("%s asks for %s, which nobody says", e.Name(), m[1])
			}
		}
		if m := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser`).Find(data); m != nil {
			t.Errorf("%s uses %s", e.Name(), m)
		}
	}
}
