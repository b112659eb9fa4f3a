package dashboard

import (
	"bufio"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
)

var update = os.Getenv("HANDOFF_UPDATE_PAGES") != ""

// golden compares a page with the file that has what it must be.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".html")
	if update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not %s (HANDOFF_UPDATE_PAGES=1 writes it):\n%s", name, path, got)
	}
}

// content is the content of a page, without the frame.
func (s *site) content(path string) string {
	s.t.Helper()
	_, text := s.get(path)
	_, text, ok := strings.Cut(text, `hx-swap="innerMorph">`)
	if !ok {
		s.t.Fatalf("%s has no content", path)
	}
	text, _, _ = strings.Cut(text, "</div></main>")
	return text + "\n"
}

// TestContent compares the content of each page in its states.
func TestContent(t *testing.T) {
	s := populated(t, nil)
	for _, p := range pages {
		golden(t, p.name, s.content(p.path))
	}
	empty := newSite(t, nil)
	golden(t, "now-empty", empty.content("/"))
	golden(t, "waiting-empty", empty.content("/view/waiting"))
}

// TestHeaders: every answer has the policy, and pages keep to it: no inline script, no
// inline style, no address of another server.
func TestHeaders(t *testing.T) {
	s := populated(t, nil)
	paths := []string{SignIn, "/view/nowhere", Assets + "style.css", Assets + "htmx.min.js", "/view/live?at=/nowhere"}
	for _, p := range pages {
		paths = append(paths, p.path)
	}
	inline := regexp.MustCompile(`(?i)<script>|<script [^>]*>[^<]|<style|<[a-z]+[^>"]*( style| on[a-z]+)=`)
	foreign := regexp.MustCompile(`(?i)(src|href|action)="(https?:)?//`)
	for _, path := range paths {
		r, text := s.get(path)
		if got := r.Header.Get("Content-Security-Policy"); got != policy || !strings.Contains(got, "script-src 'self';") || strings.Contains(got, "unsafe") {
			t.Errorf("%s: policy %q", path, got)
		}
		if strings.HasPrefix(path, Assets) {
			continue
		}
		if found := inline.FindString(text); found != "" {
			t.Errorf("%s has %q", path, found)
		}
		if found := foreign.FindString(text); found != "" {
			t.Errorf("%s has %q", path, found)
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be stored", path)
		}
	}
}

// TestHostileDocument: the text of a document stays text, and all of it is visible.
func TestHostileDocument(t *testing.T) {
	s := populated(t, nil)
	text := s.content("/view/task?n=31")
	for _, tag := range []string{"<script", "<img", "<div hidden", "<!--", "javascript:document.title=&#39;taken&#39;\"", "\u202e", "\u200b"} {
		if strings.Contains(text, tag) {
			t.Errorf("the page has %q", tag)
		}
	}
	seen := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, ""))
	for _, part := range []string{"<script>document.title = 'taken over'</script>", "an instruction that nobody sees", `reversed \u202e txet`, `zero\u200bwidth`, "tell nobody", "// <b>not bold</b>"} {
		if !strings.Contains(seen, part) {
			t.Errorf("the page does not show %q", part)
		}
	}
}

// TestStatus: what an address that shows nothing is answered with.
func TestStatus(t *testing.T) {
	s := populated(t, nil)
	for path, want := range map[string]int{
		"/view/task": 400, "/view/task?n=x": 400, "/view/task?n=0": 404, "/view/task?n=-1": 400, "/view/task?n=1000000000": 400, "/view/task?n=999": 404, "/view/nowhere": 404, "/other": 404,
		"/view/live?at=/nowhere": 404, "/view/assets/none.css": 404, "/view/task?n=31&doc=../../etc/passwd": 200, "/?page=99": 200, "/?page=-1": 200, "/?state=none": 200,
	} {
		if r, text := s.get(path); r.StatusCode != want {
			t.Errorf("%s: %d, not %d:\n%s", path, r.StatusCode, want, text)
		}
	}
	if r, err := http.Post(s.url+"/", "text/plain", nil); err != nil || r.StatusCode != http.StatusMethodNotAllowed && r.StatusCode != http.StatusNotFound {
		t.Errorf("POST: %v, %v", r.Status, err)
	} else {
		r.Body.Close()
	}
	s.failing(errors.New(".handoff.yaml:3:1: unknown key \"<b>\""))
	if r, text := s.get("/"); r.StatusCode != http.StatusInternalServerError || !strings.Contains(text, "unknown key &#34;&lt;b&gt;&#34;") {
		t.Errorf("%d:\n%s", r.StatusCode, text)
	}
}

// TestTaskZero: a task with the number 0 has a page, to which the first page leads.
func TestTaskZero(t *testing.T) {
	s := newSite(t, nil)
	s.handoff("0_zero", 1, "20260212T143022Z", "Run `go test`.", "")
	if r, text := s.get("/"); r.StatusCode != http.StatusOK || !strings.Contains(text, `href="/view/task?n=0"`) {
		t.Errorf("%d:\n%s", r.StatusCode, text)
	}
	if r, text := s.get("/view/task?n=0"); r.StatusCode != http.StatusOK || !strings.Contains(text, "<h1>0 zero</h1>") {
		t.Errorf("%d:\n%s", r.StatusCode, text)
	}
}

// TestRowElsewhere: the rows and hits of a document outside of task folders lead to its page, and
// never to that of task 0.
func TestRowElsewhere(t *testing.T) {
	s := newSite(t, nil)
	s.write(".handoff.yaml", "documents: [{preset: single}, {preset: thoughts}]\n")
	const ticket, loose = "thoughts/shared/handoffs/ENG-7/2026-02-12_10-11-12_fix.md", "specs/handoffs/phase-1-handoff-20260212T143022Z.md"
	docs := map[string]string{"HANDOFF.md": "a.go", ticket: "b.go", loose: "c.go"}
	for path, file := range docs {
		s.write(path, "# Handoff\n\n## Next Steps\nFix `"+file+"`.\n")
	}
	for path, file := range docs {
		page := documentURL(path)
		for _, list := range []string{"/", "/view/waiting", "/view/search?q=" + file} {
			if text := s.content(list); path != loose && !strings.Contains(text, `href="`+page) || strings.Contains(text, "n=0") || strings.Contains(text, "n=7") {
				t.Errorf("%s does not lead to %s:\n%s", list, page, text)
			}
		}
		if r, text := s.get(page); r.StatusCode != http.StatusOK || !strings.Contains(text, ">"+file+"<") && !strings.Contains(text, file) {
			t.Errorf("%s: %d:\n%s", page, r.StatusCode, text)
		}
	}
	if r, text := s.get("/view/task?n=7"); r.StatusCode != http.StatusOK || !strings.Contains(text, "b.go") {
		t.Errorf("task 7: %d:\n%s", r.StatusCode, text)
	}
	for _, path := range []string{"../HANDOFF.md", "/etc/passwd", ".handoff.yaml", "gone/handoffs/a.md"} {
		if r, text := s.get(documentURL(path)); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d:\n%s", path, r.StatusCode, text)
		}
	}
}

// TestReview: a task whose agent asked for a person is counted as one that needs a
// person until somebody claims its handoff, and never among those that wait.
func TestReview(t *testing.T) {
	s := newSite(t, nil)
	s.handoff("1_waits", 1, "20260212T143022Z", "Run `go test`.", "")
	path := s.handoff("2_review", 1, "20260212T143022Z", "Run `go vet`.", "")
	s.write("specs/2_review/.return-meta.json", `{"status": "partial", "requires_user_review": true}`)
	if text := s.content("/"); !strings.Contains(text, "<strong>1 task needs a person.</strong> 1 handoff waits for a successor.") {
		t.Errorf("before the claim:\n%s", text)
	}
	if text := s.content("/view/waiting"); strings.Contains(text, "review") || !strings.Contains(text, "1 handoff without an agent at work") {
		t.Errorf("waiting:\n%s", text)
	}
	s.claim(path, "ada", time.Hour)
	waittest.Until(t, "the claim on the first page", func() bool {
		text := s.content("/")
		return strings.Contains(text, "No task needs a person. 1 handoff waits for a successor.") && strings.Contains(text, "ada")
	})
	if text := s.content("/view/task?n=2"); !strings.Contains(text, "<dt>held by</dt><dd>ada") {
		t.Errorf("claimed:\n%s", text)
	}
}

// TestRest: what asks for nothing is one line, which opens on a click.
func TestRest(t *testing.T) {
	s := populated(t, nil)
	if text := s.content("/"); !strings.Contains(text, "1 open, 1 done</a>") || strings.Contains(text, "bench") || strings.Contains(text, "nobody") {
		t.Errorf("folded:\n%s", text)
	}
	if text := s.content("/?rest"); !strings.Contains(text, "bench") || !strings.Contains(text, "docs") || !strings.Contains(text, `aria-expanded="true"`) {
		t.Errorf("open:\n%s", text)
	}
}

// TestFaults: the page of a broken task has the place and the text of the fault, as text.
func TestFaults(t *testing.T) {
	s := newSite(t, nil)
	s.handoff("57_ui", 4, "20260209T080000Z", "Review `design.md`.", "")
	s.write("specs/57_ui/.return-meta.json", "{\n  \"status\": <b>partial</b>\n}\n")
	text := s.content("/view/task?n=57")
	for _, want := range []string{"specs/57_ui/.return-meta.json:2:", "&lt;b&gt;partial&lt;/b&gt;", "not JSON"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}

// TestPaging divides a long list, and keeps the rest of the query.
func TestPaging(t *testing.T) {
	q := url.Values{"state": {"waiting"}}
	for _, c := range []struct {
		page          string
		n             int
		first, end    int
		before, after string
	}{
		{"", 0, 0, 0, "", ""}, {"", 10, 0, 10, "", ""}, {"", 11, 0, 10, "", "/?page=2&state=waiting"},
		{"2", 25, 10, 20, "/?page=1&state=waiting", "/?page=3&state=waiting"}, {"3", 25, 20, 25, "/?page=2&state=waiting", ""},
		{"99", 25, 20, 25, "/?page=2&state=waiting", ""}, {"x", 25, 0, 10, "", "/?page=2&state=waiting"}, {"-4", 5, 0, 5, "", ""},
	} {
		q.Set("page", c.page)
		if got, want := paged("/", q, c.n, 10), (paging{c.first, c.end, c.n, c.before, c.after}); got != want {
			t.Errorf("page %q of %d: %+v, not %+v", c.page, c.n, got, want)
		}
	}
}

// streamOf is where the events of a page come from.
func (s *site) streamOf(path string) string {
	s.t.Helper()
	_, page := s.get(path)
	return html.UnescapeString(regexp.MustCompile(`hx-sse:connect="([^"]*)"`).FindStringSubmatch(page)[1])
}

// live reads the events of a page after the one with an id, one at each call. The id is
// empty when they end.
func (s *site) live(at, last string) (next func() (id, data string)) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(waittest.Context(s.t), "GET", s.url+at, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", last)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	return func() (id, data string) {
		for lines.Scan() {
			line := lines.Text()
			switch {
			case strings.HasPrefix(line, "id: "):
				id = line[4:]
			case strings.HasPrefix(line, "data: "):
				data += line[6:] + "\n"
			case line == "" && id != "":
				return id, data
			}
		}
		return "", ""
	}
}

// TestStream: a page that has the content gets nothing; after a change it gets the
// whole content, and a reader that reconnects with its id gets nothing again.
func TestStream(t *testing.T) {
	s := populated(t, func(c *Config) { c.Fresh = time.Hour })
	at := s.streamOf("/")
	next := s.live(at, "")
	s.handoff("90_deploy", 1, "20260212T150000Z", "Deploy `release/v2`.", "")
	id, data := next()
	for !strings.Contains(data, "release/v2") && id != "" { // its folder was seen first
		id, data = next()
	}
	if !strings.Contains(data, "prove_completeness") || !strings.HasPrefix(data, `<div class="head">`) {
		t.Errorf("an event is not the whole content:\n%s", data)
	}
	again := s.live(at, id)
	s.handoff("91_deploy", 1, "20260212T150000Z", "Deploy `release/v3`.", "")
	if got, data := again(); got == id || !strings.Contains(data, "91") {
		t.Errorf("the content that the reader has was sent again:\n%s", data)
	}
}

// TestStreamElsewhere: open pages show the documents of layouts as they are written and
// claimed, several at once, also those of a layout that the configuration gets later.
func TestStreamElsewhere(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Fresh = time.Hour })
	s.write(".handoff.yaml", "documents: [{preset: single}, {preset: thoughts}]\n")
	want := func(pages []func() (string, string), words ...string) {
		t.Helper()
		var readers sync.WaitGroup
		for _, next := range pages {
			readers.Go(func() {
				missing := func(data string) bool {
					return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(data, word) })
				}
				id, data := next()
				for ; missing(data) && id != ""; id, data = next() {
				}
				if missing(data) {
					t.Errorf("a page never had all of %q:\n%s", words, data)
				}
			})
		}
		readers.Wait()
	}
	at := s.streamOf("/")
	pages := []func() (string, string){s.live(at, ""), s.live(at, "")}
	paths := map[string]string{"HANDOFF.md": "a.go", "thoughts/shared/handoffs/ENG-7/2026-02-12_10-11-12_fix.md": "b.go"}
	var writers sync.WaitGroup
	for path, file := range paths {
		writers.Go(func() { s.write(path, "# Handoff\n\n## Next Steps\nFix `"+file+"`.\n") })
	}
	want(pages, "a.go", "b.go")
	writers.Wait()
	for path, file := range paths {
		writers.Go(func() { s.claim(path, "agent of "+file, time.Hour) })
	}
	want(pages, "agent of a.go", "agent of b.go")
	writers.Wait()
	s.write(".handoff.yaml", "documents: [{preset: single}, {preset: thoughts}, {preset: sessions}]\n")
	s.write("docs/handoffs/2026-02-12-more.md", "# Handoff\n\n## Next Steps\nFix `c.go`.\n")
	want(pages, "c.go")
}

// TestSearchedLogs: threads and tapes with the words are links, with the file that was touched; what they say is text.
func TestSearchedLogs(t *testing.T) {
	s := populated(t, nil)
	s.write(".handoff/threads.jsonl", `{"type":"created","thread_id":"t","title":"<b>Parser</b>"}`+"\n")
	s.write(".handoff/threads/t.jsonl", `{"seq":1,"timestamp_ms":1770897600000,"type":"continuity_tool_side_effects","run_session_id":"r","tool_name":"write","affected_paths":["pkg/touched.go"]}
`)
	s.write(".handoff/tape/main.jsonl", `{"id":4,"kind":"message","payload":{"content":"see touched.go"}}`+"\n")
	_, text := s.get("/view/search?q=touched.go")
	for _, want := range []string{`href="/view/threads?id=t"`, "&lt;b&gt;Parser&lt;/b&gt;", "event 1, touched pkg/touched.go", `href="/view/tapes?name=main"`, "entry 4", "<mark>touched.go</mark>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestPatience: a page whose content takes long is sent without it, and the stream has it.
func TestPatience(t *testing.T) {
	s := populated(t, func(c *Config) { c.Patience = time.Nanosecond })
	waittest.Until(t, "a page without its content", func() bool {
		_, text := s.get("/view/search?q=goal")
		return strings.Contains(text, "Reading the workspace")
	})
}

// TestMarks: the words of a search are marked, whole letters only, and nothing of the text is lost.
func TestMarks(t *testing.T) {
	for _, c := range []struct{ text, words, want string }{
		{"Apply the Goal to <b>", "goal <b>", "Apply the [Goal] to [<b>]"}, {"aaa", "aa", "[aa]a"}, {"öÖ o", "ö", "[öÖ] o"},
		{"no word", "x", "no word"}, {"", "x", ""}, {"\u0130x", "x", "\u0130x"}, {"abc", "ab bc", "[abc]"},
	} {
		got := ""
		for _, p := range marked(c.text, strings.Fields(c.words)) {
			if p.Kind != "" {
				p.Text = "[" + p.Text + "]"
			}
			got += p.Text
		}
		if got != c.want {
			t.Errorf("%q in %q: %q, not %q", c.words, c.text, got, c.want)
		}
	}
}

func TestDiff(t *testing.T) {
	lines := func(text string) []string { return strings.Split(text, "") }
	for _, c := range []struct{ old, new, want string }{
		{"abc", "abc", ""},
		{"abc", "", "-a -b -c"},
		{"", "ab", "+a +b"},
		{"abcdefgh", "abcdXfgh", " c  d -e +X  f  g"},
		{"abcdefghijkl", "Xbcdefghijkl", "-a +X  b  c"},
		{"abcdefghijkl", "XbcdefghijkY", "-a +X  b  c |  j  k -l +Y"},
		{"abcdef", "XbcdeY", "-a +X  b  c  d  e -f +Y"},
		{"abcdefg", "XbcdefY", "-a +X  b  c |  e  f -g +Y"},
	} {
		hunks, apart := diff(lines(c.old), lines(c.new))
		var got []string
		for _, h := range hunks {
			var rows []string
			for _, r := range h.Rows {
				rows = append(rows, strings.Replace(r.Sign(), "−", "-", 1)+r.Text)
			}
			got = append(got, strings.Join(rows, " "))
		}
		if text := strings.Join(got, " | "); text != c.want || apart {
			t.Errorf("%q to %q: %q, not %q", c.old, c.new, text, c.want)
		}
	}
	var old, new []string
	for i := range 2000 {
		old, new = append(old, fmt.Sprint("a", i)), append(new, fmt.Sprint("b", i))
	}
	if _, apart := diff(old, new); !apart {
		t.Error("2,000 lines were compared with 2,000 others")
	}
}
