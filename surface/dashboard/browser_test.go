package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/internal/text/say"
)

// tab is a tab of a real Chromium. At the end of the test it fails if the page wrote an
// error, or asked another server.
type tab struct {
	t   *testing.T
	ctx context.Context
	s   *site

	mu   sync.Mutex
	bad  []string
	most int // requests that were seen
}

// browse opens a tab on a site.
func browse(t *testing.T, s *site) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(needs.Chromium(t)), chromedp.UserDataDir(t.TempDir()))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	alloc, end := chromedp.NewExecAllocator(waittest.Context(t), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	b := &tab{t: t, ctx: ctx, s: s}
	t.Cleanup(func() {
		chromedp.Cancel(ctx)
		cancel()
		end()
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.most == 0 {
			t.Error("no request was seen, so foreign ones would not be seen either")
		}
		for _, text := range b.bad {
			t.Error(text)
		}
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	b.call("network", func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err })
	b.call("log", func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err })
	b.call("runtime", func() error { _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); return err })
	return b
}

func (b *tab) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		b.bad = append(b.bad, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			b.bad = append(b.bad, fmt.Sprintf("console: %s %s", e.Type, texts(e.Args)))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			b.bad = append(b.bad, fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		b.most++
		if u := e.Request.URL; !strings.HasPrefix(u, b.s.url+"/") && !strings.HasPrefix(u, "data:") {
			b.bad = append(b.bad, "foreign request: "+u)
		}
	}
}

func texts(args []*runtime.RemoteObject) string {
	var list []string
	for _, a := range args {
		list = append(list, a.Description+string(a.Value))
	}
	return strings.Join(list, " ")
}

func (b *tab) call(what string, f func() error) {
	b.t.Helper()
	if err := f(); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.call(what, func() error { return chromedp.Do(b.ctx, steps...) })
}

// open opens a page, and waits until it is connected.
func (b *tab) open(path string) {
	b.t.Helper()
	b.do(path, chromedp.Navigate(b.s.url+path))
	b.until("it is connected", `document.querySelector("#content")?._htmx?.sse?.reader != null`)
}

// until waits for an expression to be true, also over a change of the page.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	waittest.Until(b.t, what, func() bool {
		so, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		return err == nil && so
	})
}

func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression[:min(len(expression), 80)], err)
	}
	return v
}

// press presses a key as a person does: what it types is lost if the page handles it.
// [chromedp.KeyEvent] types it in any case.
func (b *tab) press(key string) {
	b.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		p := input.DispatchKeyEventParams{Type: kind, Key: key}
		if kind == input.DispatchKeyEventTypeKeyDown {
			p.Text = key
		}
		b.call(key, func() error { _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, p); return err })
	}
}

// theme selects light or dark, with or without motion.
func (b *tab) theme(name string) {
	b.t.Helper()
	b.call(name, func() error {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
}

// picture keeps a screenshot in the folder that HANDOFF_SCREENSHOTS names, if it names one.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("HANDOFF_SCREENSHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	// A page that was just opened has its text before it has a size, and Chromium refuses
	// to draw it then.
	var png []byte
	var err error
	waittest.Until(b.t, "a picture of "+name, func() bool {
		png, err = chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		return err == nil || !strings.Contains(err.Error(), "0 width")
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// The pages of a populated workspace, and what each must show.
var pages = []struct{ name, path, shows string }{
	{"now", "/", "2 tasks need a person"},
	{"now-rest", "/?rest", "bench"},
	{"now-waiting", "/?state=waiting", "parser"},
	{"waiting", "/view/waiting", "go test ./parse"},
	{"task", "/view/task?n=31", "an instruction that nobody sees"},
	{"task-broken", "/view/task?n=57", "repair the metadata"},
	{"task-empty", "/view/task?n=71", "No handoffs yet"},
	{"search", "/view/search?q=goal", "prove_completeness"},
	{"search-none", "/view/search?q=zzz", "No handoff, thread or tape has all these words"},
	{"search-empty", "/view/search", "Search all handoffs"},
}

// TestPages opens every view in both themes and on a narrow screen: it shows its content,
// contacts no other server, logs no error, needs no sideways scrolling, and axe finds
// nothing.
func TestPages(t *testing.T) {
	axe := needs.File(t, "HANDOFF_AXE")
	b := browse(t, populated(t, nil))
	for _, p := range pages {
		for _, size := range []struct {
			name          string
			width, height int64
		}{{"", 1280, 800}, {"-360", 360, 740}} {
			for _, theme := range []string{"light", "dark"} {
				b.theme(theme)
				b.do("size", chromedp.EmulateViewport(size.width, size.height))
				b.open(p.path)
				b.until(p.name+" shows "+p.shows, `document.body.innerText.includes(`+strconv.Quote(p.shows)+`)`)
				b.picture(p.name + size.name + "-" + theme)
				if width := eval[int64](b, `document.documentElement.scrollWidth`); width > size.width {
					t.Errorf("%s: %d pixels wide in a window of %d", p.name, width, size.width)
				}
				b.accessible(p.name+size.name+"-"+theme, axe)
			}
		}
	}
	if title := eval[string](b, `document.title`); strings.Contains(title, "taken") {
		t.Error(title)
	}
}

// accessible runs axe-core in the page.
func (b *tab) accessible(name string, axe []byte) {
	b.t.Helper()
	eval[bool](b, string(axe)+"; true")
	found := eval[string](b, `axe.run(document).then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html + " " + n.failureSummary)])))`)
	var list [][]any
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range list {
		b.t.Errorf("%s: axe: %v", name, v)
	}
}

// TestLive changes files while pages are open, and measures until they show it.
func TestLive(t *testing.T) {
	s := populated(t, nil)
	b := browse(t, s)
	change := func(what, path, shows string, do func()) {
		t.Helper()
		b.open(path)
		b.until("rows", `document.querySelector("a[data-row]")`)
		eval[bool](b, `document.querySelector("a[data-row]").focus(), window.mine = document.activeElement, true`)
		began := time.Now()
		do()
		b.until(what, fmt.Sprintf(`document.querySelector("#content").innerText.includes(%s)`, strconv.Quote(shows)))
		t.Logf("%s: shown after %d ms", what, time.Since(began).Milliseconds())
		if !eval[bool](b, `document.activeElement === window.mine && document.contains(window.mine)`) {
			t.Errorf("%s: the focus is lost", what)
		}
	}
	change("a new handoff", "/", "Deploy", func() {
		s.handoff("90_deploy", 1, "20260212T150000Z", "Deploy `release/v2` to the canary.", "")
		s.metadata("90_deploy", "partial", 0, 2)
	})
	change("new metadata", "/", "2 done", func() { s.metadata("71_bench", "completed", 20, 20) })
	change("a claim", "/", "gemini 1d1d", func() {
		s.claim("specs/12_parser/handoffs/phase-2-handoff-20260212T090000Z.md", "gemini 1d1d", time.Hour)
	})
	change("a changed document", "/view/task?n=90", "Roll back", func() {
		s.handoff("90_deploy", 1, "20260212T150000Z", "Roll back `release/v2`.", "")
	})
	change("the next handoff", "/view/task?n=90", "90/2", func() {
		s.handoff("90_deploy", 2, "20260212T160000Z", "Deploy `release/v3`.", "")
	})
	change("a wait", "/view/waiting", "release/v4", func() {
		s.handoff("91_more", 1, "20260212T160000Z", "Deploy `release/v4`.", "")
		s.metadata("91_more", "partial", 0, 2)
	})
}

// TestKeys uses the dashboard without a mouse.
func TestKeys(t *testing.T) {
	b := browse(t, populated(t, nil))
	b.open("/")
	b.until("rows", `document.querySelectorAll("[data-row]").length > 1`)
	row := `document.activeElement.textContent`
	b.do("j", chromedp.KeyEvent("j"))
	first := eval[string](b, row)
	b.do("j", chromedp.KeyEvent("j"))
	if second := eval[string](b, row); first == second || !strings.Contains(first, "ui") {
		t.Errorf("j went from %q to %q", first, second)
	}
	b.do("k", chromedp.KeyEvent("k"))
	if back := eval[string](b, row); back != first {
		t.Errorf("k went to %q, not %q", back, first)
	}
	if !eval[bool](b, `getComputedStyle(document.activeElement).outlineStyle === "solid"`) {
		t.Error("the focus cannot be seen")
	}
	b.do("?", chromedp.KeyEvent("?"))
	b.until("the help is open", `document.querySelector("#keys").open`)
	b.picture("keys")
	b.do("Escape", chromedp.KeyEvent("\x1b"))
	b.until("the help is closed", `!document.querySelector("#keys").open`)
	b.do("g w", chromedp.KeyEvent("g"), chromedp.KeyEvent("w"))
	b.until("Waiting is open", `location.pathname === "/view/waiting" && document.readyState === "complete"`)
	b.press("/")
	b.do("words", chromedp.KeyEvent("goal"), chromedp.KeyEvent("\r"))
	b.until("the search is open", `location.search === "?q=goal" && document.querySelectorAll(".hits li").length > 0`)
	b.until("the keys are ready", `document.readyState === "complete"`)
	b.do("j Enter", chromedp.KeyEvent("j"), chromedp.KeyEvent("\r"))
	b.until("the handoff is open", `location.pathname === "/view/task" && document.readyState === "complete"`)
	b.do("reload", chromedp.Navigate(b.s.url+"/"))
	b.do("Tab", chromedp.KeyEvent("\t"))
	if text := eval[string](b, row); text != "Skip to the content" {
		t.Errorf("Tab goes to %q first", text)
	}
}

// TestCopy copies the command of a page.
func TestCopy(t *testing.T) {
	b := browse(t, populated(t, nil))
	b.open("/view/waiting")
	// The button shows that only for a moment, so the test records its texts.
	eval[bool](b, `navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() },
		window.said = [], new MutationObserver(() => said.push(document.querySelector(".head [data-copy]")?.textContent)).observe(document.querySelector("#content"), {subtree: true, childList: true, characterData: true}), true`)
	b.do("c", chromedp.KeyEvent("c"))
	b.until("it is copied", `window.copied === "handoff next" && said.includes("copied")`)
}

// TestManyTasks opens a workspace of many tasks, and measures the first paint. HANDOFF_TASKS
// is how many.
func TestManyTasks(t *testing.T) {
	n := 300
	if text := os.Getenv("HANDOFF_TASKS"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	s := newSite(t, func(c *Config) { c.Patience = 0 })
	for i := range n {
		task := fmt.Sprintf("%d_task", i+1)
		s.handoff(task, 1, "20260212T090000Z", fmt.Sprintf("Run `go test ./pkg%d`.", i), "")
		s.metadata(task, "partial", 1, 4)
	}
	b := browse(t, s)
	for _, path := range []string{"/", "/", "/view/waiting", "/view/task?n=" + strconv.Itoa(n), "/view/search?q=pkg7"} {
		began := time.Now()
		b.open(path)
		b.until("it has content", `document.querySelector("#content h1")?.textContent.length > 0`)
		t.Logf("%d tasks, %s: first paint after %.0f ms, content after %d ms", n, path,
			eval[float64](b, `new Promise(r => new PerformanceObserver(l => r(l.getEntries()[0].startTime)).observe({type: "paint", buffered: true}))`), time.Since(began).Milliseconds())
	}
	b.open("/?rest")
	b.until("the first part is there", fmt.Sprintf(`document.querySelectorAll(".row").length === 100 && document.body.innerText.includes("1–100 of %s")`, say.Number(n)))
	b.picture("many")
	b.do("after", chromedp.Click(chromedp.CSS(`a[rel="next"]`)))
	b.until("the second part is there", fmt.Sprintf(`document.body.innerText.includes("101–200 of %s")`, say.Number(n)))
	b.open("/?state=done")
	for _, task := range []int{77, 78, 79} {
		began := time.Now()
		s.metadata(fmt.Sprintf("%d_task", task), "completed", 4, 4)
		b.until("the task is done", fmt.Sprintf(`document.querySelectorAll(".row").length === %d`, task-77+1))
		t.Logf("%d tasks: a change is shown after %d ms", n, time.Since(began).Milliseconds())
	}
}
