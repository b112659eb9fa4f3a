package authoring

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/receipt"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/once"
	"handoff/workspace/receipts"
)

func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	ws, err := workspace.Open(t.TempDir(), workspace.Options{})
	if err == nil {
		err = os.Mkdir(ws.Specs(), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func request(key string) Request {
	return Request{Request: create.Request{Values: templates.Values{Task: 7, Phase: 1}, Slug: "small", Draft: true}, Key: key}
}

// count is how many handoffs there are.
func count(t *testing.T, ws *workspace.Workspace) int {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(ws.Specs(), "*/handoffs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestKilled: a request whose process was killed, before or after the file was created, is
// carried out once. What is to be done after it is done again.
func TestKilled(t *testing.T) {
	for name, kill := range map[string]func(*Request){
		"before": func(r *Request) { r.Prepare = func(*create.Request) error { runtime.Goexit(); return nil } },
		"after":  func(r *Request) { r.Written = func(string) { runtime.Goexit() } },
	} {
		ws := open(t)
		req := request("k")
		kill(&req)
		done := make(chan struct{})
		go func() {
			defer close(done)
			Run(t.Context(), ws, req)
		}()
		<-done
		left := count(t, ws)
		if want := map[string]int{"before": 0, "after": 1}[name]; left != want {
			t.Errorf("%s: the killed process left %d handoffs", name, left)
		}
		written := 0
		req = request("k")
		req.Written = func(string) { written++ }
		var paths []string
		for range 2 {
			r, err := Run(t.Context(), ws, req)
			if err != nil || r.Existed != (left > 0 || len(paths) > 0) {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			paths = append(paths, r.Path)
		}
		if paths[0] == "" || paths[1] != paths[0] || written != 1 || count(t, ws) != 1 {
			t.Errorf("%s: %q, %d calls of Written, %d handoffs", name, paths, written, count(t, ws))
		}
	}
}

// TestIntended: a file that was only intended, or is another one by now, is written.
func TestIntended(t *testing.T) {
	ws := open(t)
	killed := errors.New("killed")
	req := request("k")
	asked := Asked{Values: req.Values, Slug: req.Slug, Draft: req.Draft}
	_, _, err := once.Do(t.Context(), ws, once.Request{What: Room(req.Values), Key: "k", Sum: asked.Sum()}, func(_ *once.File, intend func(*once.File) error) (struct{}, error) {
		return struct{}{}, errors.Join(intend(once.Of("specs/7_small/handoffs/phase-1-handoff-20260212T143022Z.md", []byte("x"))), killed)
	})
	if !errors.Is(err, killed) {
		t.Fatal(err)
	}
	if r, err := Run(t.Context(), ws, req); err != nil || r.Existed || count(t, ws) != 1 {
		t.Errorf("%+v, %v, %d handoffs", r, err, count(t, ws))
	}
}

// TestPrepare: Prepare is called for a request that writes, and can refuse it; it is not called
// for a repetition. Other values are refused, without a key nothing is compared.
func TestPrepare(t *testing.T) {
	ws := open(t)
	stale := errors.New("stale")
	req := request("k")
	req.Prepare = func(*create.Request) error { return stale }
	if _, err := Run(t.Context(), ws, req); !errors.Is(err, stale) || count(t, ws) != 0 {
		t.Errorf("%v, %d handoffs", err, count(t, ws))
	}
	first, err := Run(t.Context(), ws, request("k"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Run(t.Context(), ws, req); err != nil || again.Path != first.Path {
		t.Errorf("%+v, %v", again, err)
	}
	req.Values.NextAction = "Run it."
	if _, err := Run(t.Context(), ws, req); !errors.As(err, new(*once.OtherError)) {
		t.Error(err)
	}
	for range 2 {
		if _, err := Run(t.Context(), ws, request("")); err != nil {
			t.Error(err)
		}
	}
	if n := count(t, ws); n != 3 {
		t.Errorf("%d handoffs", n)
	}
}

// TestClaims: a handoff of a task that somebody else works on is written only by force, which takes that over, or as a
// report of a closed phase. The holder's own next one supersedes what it holds; a replaced claim may write nothing.
func TestClaims(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Request, ann, eve receipts.Record)
		other  bool // refused, because somebody else holds it
		fails  bool
		state  receipt.State // of the first handoff then
	}{
		"by somebody":  {func(*Request, receipts.Record, receipts.Record) {}, true, true, receipt.Claimed},
		"a completion": {func(r *Request, _, _ receipts.Record) { r.Values.Profile = "completion" }, false, false, receipt.Claimed},
		"by force": {func(r *Request, _, _ receipts.Record) {
			r.Force = &receipt.ClaimRequest{By: "bob", TTL: time.Hour, Force: true, Why: "it hangs"}
		}, false, false, receipt.Claimed},
		"by its holder":       {func(r *Request, _, eve receipts.Record) { r.Who.Claim = eve.Claim }, false, false, receipt.Superseded},
		"by a replaced claim": {func(r *Request, ann, _ receipts.Record) { r.Who.Claim = ann.Claim }, false, true, receipt.Claimed},
		"in its place":        {func(r *Request, _, eve receipts.Record) { r.Replace, r.Who.Claim = "7/1", eve.Claim }, false, false, receipt.Superseded},
	} {
		t.Run(name, func(t *testing.T) {
			ws := open(t)
			first, err := Run(t.Context(), ws, request(""))
			if err != nil {
				t.Fatal(err)
			}
			b, err := receipts.Open(ws)
			if err != nil {
				t.Fatal(err)
			}
			target := receipts.Target{Dir: ws.Root, Ref: first.Path}
			ann, err := b.Claim(t.Context(), target, receipt.ClaimRequest{By: "ann", TTL: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			eve, err := b.Claim(t.Context(), target, receipt.ClaimRequest{By: "eve", TTL: time.Hour, Force: true, Why: "ann is away"})
			if err != nil {
				t.Fatal(err)
			}
			req := request("")
			req.Values.Phase, req.Values.NextAction, req.How = 2, "Run `go test` once.", "a test"
			c.change(&req, ann, eve)
			made, err := Run(t.Context(), ws, req)
			claimed, is := errors.AsType[*ClaimedError](err)
			if (err != nil) != c.fails || is != c.fails || is && claimed.Other != c.other || len(made.Undone) > 0 {
				t.Errorf("%+v, %v", made.Undone, err)
			}
			life, _, err := b.Life(t.Context(), target)
			if err != nil || life.State != c.state || name == "by force" && life.By != "bob" {
				t.Errorf("the first one is %s by %s, %v", life.State, life.By, err)
			}
			if want := map[bool]int{true: 1, false: 2}[c.fails]; count(t, ws) != want {
				t.Errorf("%d handoffs", count(t, ws))
			}
		})
	}
}
