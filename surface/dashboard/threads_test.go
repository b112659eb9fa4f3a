package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"handoff/internal/testing/needs"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// talk is a workspace with a thread of two messages, whose texts are hostile, and two
// tapes.
type talk struct {
	*site
	id       string
	messages []string
}

func talking(t *testing.T) talk {
	s := newSite(t, nil)
	v := talk{site: s}
	s.threads(func(all *threads.Threads) {
		title := "Fix <the> parser"
		info, _, err := all.Create(t.Context(), thread.CreateRequest{Title: &title})
		if err != nil {
			t.Fatal(err)
		}
		v.id = info.ThreadID
	})
	v.post("Why does `TestScan` fail?")
	v.post("Try again.\n<script>document.title = 'taken over'</script>\nreversed \u202e txet")
	v.tapes(func(one *tape.Tape) {
		for _, tokens := range []int64{12_000, 81_200, 40_000} {
			if _, err := one.Append(t.Context(), call(tokens)); err != nil {
				t.Fatal(err)
			}
		}
		v.anchor(one, "phase-1", `{"summary": "<b>done</b>"}`)
		if _, err := one.Fork(t.Context(), tape.ForkRequest{To: "side"}); err != nil {
			t.Fatal(err)
		}
		v.anchor(one, overflow, `{"summary": "the context was full"}`)
	})
	return v
}

func (s *site) threads(do func(*threads.Threads)) {
	s.t.Helper()
	ws, err := s.open()
	if err != nil {
		s.t.Fatal(err)
	}
	all, err := threads.In(s.t.Context(), ws, true)
	if err != nil {
		s.t.Fatal(err)
	}
	defer all.Close()
	do(all)
}

func (s *site) tapes(do func(*tape.Tape)) {
	s.t.Helper()
	ws, err := s.open()
	if err != nil {
		s.t.Fatal(err)
	}
	all, err := tapes.In(ws, "", true)
	if err != nil {
		s.t.Fatal(err)
	}
	defer all.Close()
	one, err := all.Store.Tape("main")
	if err != nil {
		s.t.Fatal(err)
	}
	do(one)
}

func (v *talk) post(text string) {
	v.t.Helper()
	v.threads(func(all *threads.Threads) {
		e, err := all.PostMessage(v.t.Context(), v.id, thread.MessageRequest{Content: text, ActorID: "user", Origin: "test"})
		if err != nil {
			v.t.Fatal(err)
		}
		v.messages = append(v.messages, e.ID)
	})
}

func (v *talk) anchor(one *tape.Tape, name, state string) {
	v.t.Helper()
	if _, err := one.Handoff(v.t.Context(), name, json.RawMessage(state), nil); err != nil {
		v.t.Fatal(err)
	}
}

// send sends a form, and returns the page that it leads to.
func (s *site) send(form url.Values) (*http.Response, string) {
	s.t.Helper()
	r, err := http.PostForm(s.url+cutPath, form)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Body.Close()
	_, text := s.get(r.Request.URL.RequestURI())
	return r, text
}

// key is that of the forms of a page.
func (v *talk) key(message string) string {
	v.t.Helper()
	_, rest, _ := strings.Cut(v.content(cutURL(v.id, message, "")), `name="key" value="`)
	key, _, ok := strings.Cut(rest, `"`)
	if !ok || thread.CheckID(key) != nil {
		v.t.Fatalf("the form has the key %q", key)
	}
	return key
}

// pages are the pages of a talk, and what each must show.
func (v *talk) pages() [][3]string {
	return [][3]string{
		{"threads", threadsPath, "Fix <the> parser"},
		{"thread", threadURL(v.id), "continue from here"},
		{"cut", cutURL(v.id, v.messages[1], "4000"), "of 4,000"},
		{"tapes", tapesPath, "side"},
		{"tape", tapeURL("main"), "compaction"},
	}
}

// TestBranchByForm creates threads by the forms, each as the request of the command does.
func TestBranchByForm(t *testing.T) {
	v := talking(t)
	form := url.Values{"key": {v.key(v.messages[0])}, "do": {"branch"}, "thread": {v.id}, "message": {v.messages[0]}, "title": {"Second try"}}
	r, text := v.send(form)
	child := r.Request.URL.Query().Get("id")
	if child == "" || child == v.id || !strings.Contains(text, "Second try") || !strings.Contains(text, "branched from") {
		t.Fatalf("%s:\n%s", r.Request.URL, text)
	}
	v.threads(func(all *threads.Threads) {
		info, err := all.Get(t.Context(), child)
		if err != nil || info.Parent == nil || info.Parent.Kind != thread.ByBranch || info.Parent.MessageID == nil || *info.Parent.MessageID != v.messages[0] {
			t.Errorf("%+v, %v", info, err)
		}
	})
	form = url.Values{"key": {v.key(v.messages[1])}, "do": {"handoff"}, "thread": {v.id}, "message": {v.messages[1]}, "summary": {"Left: `TestScan`."}}
	r, text = v.send(form)
	if !strings.Contains(text, "handed off from") || !strings.Contains(text, "--summary-file") {
		t.Errorf("%s:\n%s", r.Request.URL, text)
	}
	count := func() (n int) {
		v.threads(func(all *threads.Threads) {
			list, err := all.List(t.Context())
			if err != nil {
				t.Error(err)
			}
			n = len(list)
		})
		return n
	}
	before := count()
	// The same form again, as by a second click.
	if again, _ := v.send(form); again.Request.URL.String() != r.Request.URL.String() || count() != before {
		t.Errorf("a form that is sent twice leads to %s, then to %s; %d threads, then %d", r.Request.URL, again.Request.URL, before, count())
	}
	if one, two := v.key(v.messages[1]), v.key(v.messages[1]); one == two {
		t.Errorf("a page that was opened twice has the key %s each time", one)
	}
	for name, c := range map[string]struct {
		change url.Values
		want   int
	}{
		"no summary": {url.Values{"summary": {" "}}, 400}, "no thread": {url.Values{"thread": {"none"}}, 404}, "no message": {url.Values{"message": {"none"}}, 400},
		"no key": {url.Values{"key": nil}, 400}, "another content": {url.Values{"summary": {"Left: nothing."}}, 409},
		"nothing to do": {url.Values{"do": {"delete"}}, 400}, "too large": {url.Values{"summary": {strings.Repeat("x", maxForm)}}, 413},
	} {
		bad := url.Values{}
		for key, value := range form {
			bad[key] = value
		}
		if name != "another content" {
			bad.Set("key", v.key(v.messages[1]))
		}
		for key, value := range c.change {
			bad[key] = value
		}
		if r, err := http.PostForm(v.url+cutPath, bad); err != nil || r.StatusCode != c.want {
			t.Errorf("%s: %v, %v", name, r.Status, err)
		} else {
			r.Body.Close()
		}
	}
	if after := count(); after != before {
		t.Errorf("refused forms created %d threads", after-before)
	}
}

// TestThreadPages: what the pages show without a browser.
func TestThreadPages(t *testing.T) {
	v := talking(t)
	for _, p := range v.pages() {
		text := v.content(p[1])
		for _, bad := range []string{"<script", "\u202e", "<b>done", "%!"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", p[0], bad)
			}
		}
	}
	if text := v.content(tapeURL("main")); !strings.Contains(text, `aria-label="Context of 3 calls: at most 81,200 tokens, 40,000 in the last"`) || !strings.Contains(text, "81,200") {
		t.Errorf("the tape has no curve:\n%s", text)
	}
	if text := v.content(cutURL(v.id, v.messages[1], "1")); !strings.Contains(text, "the budget of 1 is too small") {
		t.Errorf("a budget that is too small:\n%s", text)
	}
	if text := v.content(cutURL(v.id, v.messages[1], "x")); !strings.Contains(text, "must be a number of tokens") {
		t.Errorf("no budget:\n%s", text)
	}
	for path, want := range map[string]int{threadURL("none"): 404, cutURL(v.id, "none", ""): 400, cutPath: 400, threadURL("../x"): 400, tapeURL("none"): 404, tapeURL("../x"): 400} {
		if r, text := v.get(path); r.StatusCode != want {
			t.Errorf("%s: %d, not %d:\n%s", path, r.StatusCode, want, text)
		}
	}
	empty := newSite(t, nil)
	for path, want := range map[string]string{threadsPath: "No threads yet", tapesPath: "No tapes yet"} {
		if text := empty.content(path); !strings.Contains(text, want) {
			t.Errorf("%s does not show %q:\n%s", path, want, text)
		}
	}
}

// TestThreadsByPage: of many threads and tapes, only those of the page are shown.
func TestThreadsByPage(t *testing.T) {
	s := newSite(t, func(c *Config) { c.PageSize = 2 })
	s.threads(func(all *threads.Threads) {
		for n := range 5 {
			title := fmt.Sprintf("subject-%d", n)
			if _, _, err := all.Create(t.Context(), thread.CreateRequest{Title: &title}); err != nil {
				t.Fatal(err)
			}
		}
	})
	shown := map[string]int{}
	for number := 1; number <= 3; number++ {
		text := s.content(fmt.Sprintf("%s?page=%d", threadsPath, number))
		count := 0
		for n := range 5 {
			if title := fmt.Sprintf("subject-%d", n); strings.Contains(text, title) {
				shown[title]++
				count++
			}
		}
		if want := min(2, 5-2*(number-1)); count != want {
			t.Errorf("page %d shows %d threads, want %d", number, count, want)
		}
	}
	if len(shown) != 5 {
		t.Errorf("the pages show %v", shown)
	}
}

// TestThreadsInBrowser opens the pages as TestPages does, branches and hands off by the
// forms, and keeps what a person types while the page changes.
func TestThreadsInBrowser(t *testing.T) {
	axe := needs.File(t, "HANDOFF_AXE")
	v := talking(t)
	v.answer(v.messages[0], "Because the scanner keeps the sign.")
	b := browse(t, v.site)
	for _, p := range v.pages() {
		for _, width := range []int64{1280, 360} {
			for _, theme := range []string{"light", "dark"} {
				name := fmt.Sprintf("%s-%d-%s", p[0], width, theme)
				b.theme(theme)
				b.do("size", chromedp.EmulateViewport(width, 800))
				b.open(p[1])
				b.until(name+" shows "+p[2], `document.body.textContent.includes(`+strconv.Quote(p[2])+`)`)
				b.picture(name)
				if got := eval[int64](b, `document.documentElement.scrollWidth`); got > width {
					t.Errorf("%s: %d pixels wide", name, got)
				}
				b.accessible(name, axe)
			}
		}
	}
	b.open(threadURL(v.id))
	v.post("One more thing.")
	b.until("the new message is shown", `document.querySelector(".messages").textContent.includes("One more thing.")`)
	b.open(tapeURL("main"))
	v.tapes(func(one *tape.Tape) { v.anchor(one, "phase-9", `{}`) })
	b.until("the new anchor is shown", `document.querySelector(".marks").textContent.includes("phase-9")`)

	// The forms do not change when the page does, and neither does the key: otherwise a
	// second click would be another request.
	last := v.messages[len(v.messages)-1]
	b.open(cutURL(v.id, last, ""))
	key := `document.querySelector("form[aria-labelledby=handoff] [name=key]").value`
	before := eval[string](b, key)
	b.do("type", chromedp.SendKeys(chromedp.CSS("textarea"), "Left: the scanner."))
	v.at(3 * time.Hour) // the age of the message changes
	v.post("Yet another.")
	b.until("the page has changed", `document.querySelector(".from").textContent.includes("h ago")`)
	if got := eval[string](b, `document.querySelector("textarea").value`); got != "Left: the scanner." {
		t.Errorf("the text became %q", got)
	}
	if after := eval[string](b, key); after != before || after == "" {
		t.Errorf("the key of the form was %q, and is %q", before, after)
	}
	b.do("hand off", chromedp.Click(chromedp.CSS(`form[aria-labelledby="handoff"] button:not([data-copy])`)))
	b.until("the successor is open", `location.pathname === "/view/threads" && document.body.textContent.includes("handed off from")`)
	b.picture("successor")
}
