package site

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a tab of a real Chromium on the site. What it logs, and a request of another server, fails the test.
type tab struct {
	t       *testing.T
	ctx     context.Context
	address string

	mu   sync.Mutex
	seen int
}

// TestBrowser opens pages of each kind, light and dark, wide and narrow: axe finds nothing, nothing is
// wider than the window, and no error is logged. Then it searches.
func TestBrowser(t *testing.T) {
	axe, err := os.ReadFile(needed(t, "HANDOFF_AXE"))
	if err != nil {
		t.Fatal(err)
	}
	b := browse(t, needed(t, "HANDOFF_CHROMIUM"))
	for _, page := range []string{"index.html", "manual.html", "start.html", "commands/handoff-tape.html", "configuration.html", "rules.html", "rules/secret.html", "deep/er/unknown"} {
		for _, width := range []int64{1280, 360} {
			for _, theme := range []string{"light", "dark"} {
				name := fmt.Sprintf("site-%s-%d-%s", strings.ReplaceAll(strings.TrimSuffix(page, ".html"), "/", "-"), width, theme)
				b.open(page, width, theme)
				if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > width {
					t.Errorf("%s is %d pixels wide", name, wide)
				}
				b.accessible(name, axe)
				b.picture(name)
			}
		}
	}
	for _, width := range []int64{1280, 360} {
		b.open("rules/secret.html", width, "light")
		b.search(axe)
	}
	b.menu()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == 0 {
		t.Error("no request was seen, so foreign ones would not be seen either")
	}
}

// search types words, follows the first result, and is told when there is none.
func (b *tab) search(axe []byte) {
	const find = `(text) => { q.focus(); q.value = text; q.dispatchEvent(new Event("input", {bubbles: true})); }`
	eval[bool](b, `(`+find+`)("fencing token"), true`)
	b.until(`document.querySelectorAll("#found a").length > 2`)
	b.accessible("search", axe)
	b.picture("site-search")
	eval[bool](b, `(`+find+`)("zzyzx"), true`)
	b.until(`found.innerText.includes("Nothing has all these words")`)
	eval[bool](b, `(`+find+`)("git stores clones"), true`)
	eval[bool](b, `(`+find+`)("leases and fencing"), true`)
	b.until(`document.querySelector("#found a")?.href.includes("receipts.html#leases-and-fencing-tokens")`)
	eval[bool](b, `document.querySelector("#found a").click(), true`)
	b.until(`location.pathname.endsWith("/receipts.html") && document.querySelector("h1")?.innerText === "Receipts"`)
}

// menu: without scripts there is no search, and on a narrow screen the list of pages is behind a button.
func (b *tab) menu() {
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.must(err)
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(360, 800)))
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.address+"start.html")))
	const shown = `document.getElementById("pages").checkVisibility()`
	if eval[bool](b, shown) || eval[bool](b, `document.querySelector("search").checkVisibility()`) {
		b.t.Error("the list of pages covers a narrow screen, or there is a search that needs a script")
	}
	eval[bool](b, `document.querySelector(".menu").click(), true`)
	b.until(shown)
	b.picture("site-menu")
}

// needed returns the file that a variable names. In CI it is an error if there is none.
func needed(t *testing.T, variable string) string {
	t.Helper()
	name := os.Getenv(variable)
	if _, err := exec.LookPath(name); err != nil && filepath.Ext(name) != ".js" {
		if os.Getenv("HANDOFF_CI") != "" {
			t.Fatalf("%s=%s: %v", variable, name, err)
		}
		t.Skipf("%s names no file: see .ci/chromium and .ci/axe", variable)
	}
	return name
}

func browse(t *testing.T, program string) *tab {
	t.Helper()
	out := filepath.Join(t.TempDir(), "site")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := filepath.Join(out, filepath.FromSlash(filepath.Clean("/"+r.URL.Path)))
		if _, err := os.Stat(file); err != nil {
			file = filepath.Join(out, "404.html") // as GitHub Pages; the browser would log its status
		}
		http.ServeFile(w, r, file)
	}))
	t.Cleanup(server.Close)
	if err := (Site{Source: "../..", Address: server.URL, Repository: "https://code.example.org/handoff", Summary: "passes work on"}).Build(out); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	limit, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	alloc, end := chromedp.NewExecAllocator(limit, options...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		chromedp.Cancel(ctx)
		cancel()
		end()
		stop()
	})
	b := &tab{t: t, ctx: ctx, address: server.URL + "/"}
	b.must(chromedp.Do(ctx))
	b.must(chromedp.Listen(ctx, b.event))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	b.must(err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	b.must(err)
	_, err = chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
	b.must(err)
	return b
}

func (b *tab) event(ev any) {
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		b.t.Errorf("exception: %s", e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.t.Errorf("console: %s", e.Type)
	case *log.EventEntryAdded:
		b.t.Errorf("log: %s %s", e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		b.mu.Lock()
		b.seen++
		b.mu.Unlock()
		if !strings.HasPrefix(e.Request.URL, b.address) {
			b.t.Errorf("foreign request: %s", e.Request.URL)
		}
	}
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) open(page string, width int64, theme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
	b.must(err)
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 800)))
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.address+page)))
	b.until(`document.readyState === "complete" && !document.querySelector("search").hidden`)
}

func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.80s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true, also over a change of the page.
func (b *tab) until(expression string) {
	b.t.Helper()
	for range 200 {
		if so, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && so {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("never: %s", expression)
}

func (b *tab) accessible(name string, axe []byte) {
	b.t.Helper()
	eval[bool](b, string(axe)+"; true")
	found := eval[string](b, `axe.run(document).then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html + " " + n.failureSummary)])))`)
	var list [][]any
	b.must(json.Unmarshal([]byte(found), &list))
	for _, v := range list {
		b.t.Errorf("%s: axe: %v", name, v)
	}
}

// picture keeps a screenshot in the folder that HANDOFF_SCREENSHOTS names, if it names one.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("HANDOFF_SCREENSHOTS")
	if dir == "" {
		return
	}
	b.must(os.MkdirAll(dir, 0o755))
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	b.must(os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}
