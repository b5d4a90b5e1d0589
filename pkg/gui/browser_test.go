package gui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show something.
const patience = 20 * time.Second

// chromium starts the one browser of all tests.
var chromium = sync.OnceValues(func() (context.Context, error) {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "ihmt-chromium-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Flag("disable-component-update", true), chromedp.Env("TZ=UTC"))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser, _ := chromedp.NewContext(allocator)
	closers = append(closers, func() {
		chromedp.Cancel(browser)
		stop()
		os.RemoveAll(dir)
	})
	return browser, chromedp.Do(browser)
})

var closers []func()

func closeBrowser() {
	for _, f := range closers {
		f()
	}
}

// A tab shows a window in the browser, and remembers what it complained about.
type tab struct {
	t   *testing.T
	ctx context.Context
	w   *Window

	mu         sync.Mutex
	complaints []string
}

// open opens a window on a memory, at a width and a height.
func open(t *testing.T, home string, width, height int64) *tab {
	t.Helper()
	browser, err := chromium()
	if err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	if browser == nil {
		t.Skip("no Chromium on PATH: apt-get install chromium")
	}
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx, w: serve(t, home, "")}
	p.must(chromedp.Do(ctx))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.complaints = append(p.complaints, fmt.Sprint(m))
			p.mu.Unlock()
		}
	}()
	p.look(width, height, "light")
	p.must(chromedp.Do(ctx, chromedp.Navigate(p.w.Address())))
	p.ready()
	return p
}

func (p *tab) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// look sets the size of the screen and the colours that the reader prefers.
func (p *tab) look(width, height int64, scheme string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	p.must(err)
	_, err = chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	p.must(err)
}

// goTo shows a screen in a language, on a page that is loaded anew.
func (p *tab) goTo(language, hash string) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`localStorage.setItem('language', %q); delete document.documentElement.dataset.ready; location.hash = %q; location.reload()`, language, hash))
	p.ready()
}

// ready waits until a screen is whole.
func (p *tab) ready() {
	p.t.Helper()
	p.until(`!!document.documentElement.dataset.ready && !document.querySelector('[aria-busy]') && document.querySelector('main .screen')?.children.length > 0`)
}

// until waits for something to be true on the page.
func (p *tab) until(condition string) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("(() => { try { return !!("+condition+") } catch { return false } })()"))
		if err == nil && ok {
			return
		}
		time.Sleep(40 * time.Millisecond)
	}
	p.t.Fatalf("it did not become true that %s\nthe page: %.1500s", condition, p.text("document.body?.innerText ?? ''"))
}

func (p *tab) eval(script string) {
	p.t.Helper()
	p.must(chromedp.Do(p.ctx, chromedp.Evaluate[chromedp.Void]("{"+script+"}")))
}

func (p *tab) text(expression string) string {
	p.t.Helper()
	s, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](expression))
	p.must(err)
	return s
}

func (p *tab) holds(expression string) bool {
	p.t.Helper()
	ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression))
	p.must(err)
	return ok
}

func (p *tab) list(expression string) []string {
	p.t.Helper()
	l, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](expression))
	p.must(err)
	return l
}

// press presses keys, as they are called in package kb or as characters.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.must(chromedp.Do(p.ctx, chromedp.KeyEvent(k)))
	}
}

func (p *tab) picture(file string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	p.must(err)
	p.must(os.WriteFile(file, png, 0o644))
}

// quiet fails where the page complained on its console.
func (p *tab) quiet(where string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.complaints {
		p.t.Errorf("%s: the console says %s", where, c)
	}
	p.complaints = nil
}

// fits fails where the page is wider than the screen.
func (p *tab) fits(where string) {
	p.t.Helper()
	wide := p.list(`(() => {
		const main = document.querySelector('main')
		if (document.documentElement.scrollWidth <= innerWidth && main.scrollWidth <= main.clientWidth + 1) return []
		return [...main.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, pre, .shell, .track, .tree')).slice(0, 5).map(e => e.tagName + '.' + e.getAttribute('class') + ' ' + e.textContent.slice(0, 40))
	})()`)
	for _, e := range wide {
		p.t.Errorf("%s: %s is wider than the screen", where, e)
	}
}

// axeSource is the accessibility checker, by Deque Systems; see
// testdata/axe-core.
var axeSource = sync.OnceValues(func() (string, error) {
	data, err := os.ReadFile("testdata/axe-core/axe.min.js")
	return string(data), err
})

// accessible fails where axe-core finds a serious violation.
func (p *tab) accessible(where string) {
	p.t.Helper()
	source, err := axeSource()
	p.must(err)
	if !p.holds(`!!window.axe`) {
		p.must(chromedp.Do(p.ctx, chromedp.Evaluate[chromedp.Void](source)))
	}
	found := p.list2(`axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | ')))`)
	for _, v := range found {
		p.t.Errorf("%s: %s", where, v)
	}
}

// list2 is list for a promise.
func (p *tab) list2(expression string) []string {
	p.t.Helper()
	l, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](expression, chromedp.EvalAwaitPromise))
	p.must(err)
	return l
}

// ids returns a field of every record that a tool printed.
func ids(t *testing.T, lines, field string) []string {
	t.Helper()
	var found []string
	for line := range strings.Lines(lines) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if v, ok := r[field].(string); ok {
			found = append(found, v)
		}
	}
	return found
}
