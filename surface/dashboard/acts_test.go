package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

const waits = "specs/12_parser/handoffs/phase-2-handoff-20260212T090000Z.md" // of populated

// browser is a client with a cookie jar of its own.
type browser struct {
	*site
	client http.Client
}

func (s *site) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &browser{site: s, client: http.Client{Jar: jar}}
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)

// form opens the page of an act, and returns the hidden fields of its form and the page.
func (b *browser) form(do string, at ...string) (url.Values, string) {
	b.t.Helper()
	q := url.Values{"do": {do}}
	for i := 0; i < len(at); i += 2 {
		q.Set(at[i], at[i+1])
	}
	r, err := b.client.Get(b.url + actPath + "?" + q.Encode())
	if err != nil {
		b.t.Fatal(err)
	}
	text := b.body(r)
	form := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(text, -1) {
		form.Set(m[1], unescape.Replace(m[2]))
	}
	return form, text
}

var unescape = strings.NewReplacer("&amp;", "&", "&#43;", "+", "&#34;", `"`)

// send sends a form, with more fields.
func (b *browser) send(form url.Values, more ...string) (status int, text string) {
	b.t.Helper()
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	r, err := b.client.PostForm(b.url+actPath, form)
	if err != nil {
		b.t.Fatal(err)
	}
	return r.StatusCode, b.body(r)
}

// last is the last step of a handoff, as another process reads it from the disk.
func (s *site) last(path string) receipt.Step {
	s.t.Helper()
	_, life, err := s.book().Life(s.t.Context(), receipts.Target{Dir: s.root, Ref: path})
	if err != nil {
		s.t.Fatal(err)
	}
	if life.Last() == nil {
		return receipt.Step{}
	}
	return *life.Last()
}

// TestActs: a person claims, gives back, takes over and finishes by forms, as commands and routes do. A
// refusal is shown in the words of the route, above the form.
func TestActs(t *testing.T) {
	s := populated(t, nil)
	ann, bob := s.browser(), s.browser()
	form, text := ann.form("claim", "ref", waits, "to", "/?state=waiting")
	if !strings.Contains(text, "Claims phase 2 of task 12 for you for 2 hours: others are told") || !strings.Contains(text, "handoff claim "+waits) {
		t.Errorf("the page does not say what it will do:\n%s", text)
	}
	if status, text := ann.send(form, "name", "ann"); status != 303 {
		t.Fatalf("%d\n%s", status, text)
	}
	if step := s.last(waits); step.Kind != receipt.StepClaimed || step.By != "ann" {
		t.Errorf("%+v", step)
	}
	if status, _ := ann.send(form); status != 303 || s.last(waits).Token != 1 {
		t.Errorf("a form that is sent twice: %d, %+v", status, s.last(waits))
	}
	late, _ := bob.form("claim", "ref", waits)
	if late.Get("do") != takeOver {
		t.Errorf("what is held is claimed by %q", late.Get("do"))
	}
	late.Set("do", "claim") // of a page that was opened before
	if status, text := bob.send(late, "name", "bob"); status != 409 || !strings.Contains(text, "another claim holds the handoff") || !strings.Contains(text, "Holder: ann") || !strings.Contains(text, "Nothing was done") {
		t.Errorf("%d\n%s", status, text)
	}
	if _, text := bob.form("release", "ref", waits); !strings.Contains(text, "Gives phase 2 of task 12 back") {
		t.Errorf("release:\n%s", text)
	}
	form, _ = bob.form("release", "ref", waits)
	if status, text := bob.send(form, "why", "not mine"); status != 409 && status != 400 || s.last(waits).Kind != receipt.StepClaimed {
		t.Errorf("a release of the claim of another browser: %d\n%s", status, text)
	}
	if rows := bob.page("/"); !strings.Contains(rows, `aria-label="take over 12/2"`) || strings.Contains(rows, `aria-label="release 12/2"`) {
		t.Error("another browser is offered the acts of the holder, or not those of others")
	}
	if rows := ann.page("/"); !strings.Contains(rows, `aria-label="release 12/2"`) || strings.Contains(rows, `aria-label="take over 12/2"`) {
		t.Error("the holder is not offered to release")
	}
	form, text = ann.form("release", "ref", waits)
	if status, body := ann.send(form, "why", "out of time"); status != 303 || !strings.Contains(text, "may be empty") {
		t.Errorf("%d\n%s", status, body)
	}
	if step := s.last(waits); step.Kind != receipt.StepReleased || step.Why != "out of time" {
		t.Errorf("%+v", step)
	}
	form, text = bob.form("claim", "ref", waits)
	if !strings.Contains(text, "for bob") {
		t.Error("the name is asked again")
	}
	bob.send(form, "name", "bob")
	form, text = ann.form("claim", "ref", waits)
	if status, body := ann.send(form, "name", "ann"); status != 400 || !strings.Contains(text, "Takes phase 2 of task 12 over for ann from bob") {
		t.Errorf("taken over without a reason: %d\n%s", status, body)
	}
	if status, body := ann.send(form, "name", "ann", "why", "bob is ill"); status != 303 || s.last(waits).By != "ann" || s.last(waits).Why != "bob is ill" {
		t.Errorf("%d %+v\n%s", status, s.last(waits), body)
	}
	form, _ = ann.form("done", "ref", waits)
	if status, body := ann.send(form); status != 303 || s.last(waits).Kind != receipt.StepDone || s.last(waits).By != "ann" {
		t.Errorf("%d %+v\n%s", status, s.last(waits), body)
	}
	if status, where := bob.send(form); status != 403 {
		t.Errorf("a form of another browser: %d\n%s", status, where)
	}
}

// TestActsOfOthers: a form without the token of its browser does nothing, an address leads nowhere else, and
// pages that may not act offer nothing.
func TestActsOfOthers(t *testing.T) {
	s := populated(t, nil)
	ann := s.browser()
	form, _ := ann.form("claim", "ref", waits, "to", "//evil.example/")
	if form.Get("to") != "/" {
		t.Errorf("it leads to %q", form.Get("to"))
	}
	for _, token := range []string{"", "x", strings.Repeat("0", 64)} {
		bad := url.Values{"do": {"claim"}, "ref": {waits}, "name": {"eve"}, "key": form["key"], "token": {token}}
		if status, _ := ann.send(bad); status != 403 || s.last(waits).Kind != "" {
			t.Errorf("token %q: %d, %+v", token, status, s.last(waits))
		}
		if status, _ := s.browser().send(bad); status != 403 {
			t.Errorf("token %q without a cookie: %d", token, status)
		}
	}
	for what, want := range map[string]int{"../../etc/passwd": 404, "specs/12_parser/.return-meta.json": 404, "999/1": 404} {
		if r, err := ann.client.Get(s.url + actPath + "?" + url.Values{"do": {"claim"}, "ref": {what}}.Encode()); err != nil || r.StatusCode != want {
			t.Errorf("%s: %v %v", what, r.Status, err)
		} else {
			r.Body.Close()
		}
	}
	only := populated(t, func(c *Config) { c.Acts = Acts{} })
	for _, path := range []string{"/", "/view/waiting", "/view/task?n=12"} {
		if text := only.content(path); strings.Contains(text, actPath) {
			t.Errorf("%s of a page that only shows offers an act", path)
		}
	}
	for _, one := range acts() {
		r, _ := only.get(actPath + "?" + url.Values{"do": {one.name}, "ref": {waits}}.Encode())
		if r.StatusCode != 403 {
			t.Errorf("%s: %s", one.name, r.Status)
		}
	}
}

// TestAnswer: the question of a relay is shown, and the answer goes to what continues it.
func TestAnswer(t *testing.T) {
	var got string
	s := populated(t, func(c *Config) {
		c.Continue = func(_ context.Context, _ *workspace.Workspace, id string) (Continuation, error) {
			return Continuation{Says: "Continues " + id + ".", Command: "handoff relay --answer", Answer: func(_ context.Context, text string) error { got = id + ": " + text; return nil }}, nil
		}
	})
	const id = "7c1e0000-0000-4000-8000-000000000000"
	s.write(".handoff/relays/"+id+".jsonl", "")
	s.write(".handoff/relays/"+id+".asks", fmt.Sprintf(`{"relay": %q, "task": 12, "agent": "claude", "question": "Which <database>?", "at": "2026-02-12T16:00:00Z"}`, id))
	if text := s.content("/"); !strings.Contains(text, `aria-label="answer parser"`) {
		t.Errorf("no answer is offered:\n%s", text)
	}
	ann := s.browser()
	form, text := ann.form("answer", "task", "12")
	if !strings.Contains(text, "Which &lt;database&gt;?") || !strings.Contains(text, "Continues "+id) {
		t.Errorf("the page:\n%s", text)
	}
	if status, _ := ann.send(form, "text", " "); status != 400 || got != "" {
		t.Errorf("an empty answer: %d %q", status, got)
	}
	form.Set("relay", "other")
	if status, _ := ann.send(form, "text", "eu-west"); status != 409 || got != "" {
		t.Errorf("an answer to another question: %d %q", status, got)
	}
	form.Set("relay", id)
	if status, _ := ann.send(form, "text", "The one in eu-west."); status != 303 || got != id+": The one in eu-west." {
		t.Errorf("%d %q", status, got)
	}
}

// worked is a repository with a handoff and work that was kept with it and is lost.
func worked(t *testing.T) (s *site, lost string) {
	s = newSite(t, nil)
	ref := s.handoff("12_parser", 2, "20260212T090000Z", "Run `go test ./parse`.", "")
	s.metadata("12_parser", "partial", 1, 4)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = s.root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
	}
	lost = filepath.Join(s.root, "parse.go")
	s.write("parse.go", "package parse\n")
	ws, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if _, err := ws.Options.Work.Keep(t.Context(), ws, workspace.WorkOf{Task: 12, Handoff: ref, By: "SessionEnd"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	return s, lost
}

// TestRestoreAct: kept work comes back, as it was shown, and not otherwise.
func TestRestoreAct(t *testing.T) {
	s, lost := worked(t)
	if text := s.content("/view/task?n=12"); !strings.Contains(text, ">restore</a>") {
		t.Errorf("restore is not offered:\n%s", text)
	}
	ann := s.browser()
	form, text := ann.form("restore", "ref", waits)
	if !strings.Contains(text, "Brings back 1 file") || !strings.Contains(text, "write parse.go") {
		t.Errorf("the page:\n%s", text)
	}
	s.write("parse.go", "package other\n") // since the page was shown
	if status, text := ann.send(form); status != 409 || !strings.Contains(text, "The tree has changed since this was shown") {
		t.Errorf("%d\n%s", status, text)
	}
	if got, err := os.ReadFile(lost); string(got) != "package other\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	os.Remove(lost)
	form, _ = ann.form("restore", "ref", waits)
	if status, text := ann.send(form); status != 303 {
		t.Errorf("%d\n%s", status, text)
	}
	if got, err := os.ReadFile(lost); string(got) != "package parse\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, text := ann.form("restore", "ref", waits); !strings.Contains(text, "Nothing is to be restored") || strings.Contains(text, `name="token"`) {
		t.Errorf("restored again:\n%s", text)
	}
}

// TestPersonExpires: what a browser has claimed is its own as long as the lease lasts.
func TestPersonExpires(t *testing.T) {
	s := populated(t, nil)
	ann := s.browser()
	form, _ := ann.form("claim", "ref", waits)
	ann.send(form, "name", "ann")
	s.at(3 * time.Hour)
	if rows := ann.page("/"); strings.Contains(rows, `aria-label="release 12/2"`) || !strings.Contains(rows, `aria-label="claim 12/2"`) {
		t.Error("a claim whose lease has ended is offered to be released")
	}
}

func (b *browser) page(path string) string {
	b.t.Helper()
	r, err := b.client.Get(b.url + path)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.body(r)
}
