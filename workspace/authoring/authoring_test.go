package authoring

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/once"
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
	return Request{Request: create.Request{Values: templates.Values{Task: 7, Phase: 1}, Slug: "small", Draft: true}, Key: key, Sum: once.Sum(1)}
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
		"before": func(r *Request) { r.Begin = func(*create.Request) error { runtime.Goexit(); return nil } },
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
	_, _, err := once.Do(t.Context(), ws, once.Request{What: "handoff 7", Key: "k", Sum: req.Sum}, func(_ *once.File, intend func(*once.File) error) (stored, error) {
		return stored{}, errors.Join(intend(once.Of("specs/7_small/handoffs/phase-1-handoff-20260212T143022Z.md", []byte("x"))), killed)
	})
	if !errors.Is(err, killed) {
		t.Fatal(err)
	}
	if r, err := Run(t.Context(), ws, req); err != nil || r.Existed || count(t, ws) != 1 {
		t.Errorf("%+v, %v, %d handoffs", r, err, count(t, ws))
	}
}

// TestBegin: Begin is called for a request that writes, and can refuse it; it is not called
// for a repetition. Other values are refused, without a key nothing is compared.
func TestBegin(t *testing.T) {
	ws := open(t)
	stale := errors.New("stale")
	req := request("k")
	req.Begin = func(*create.Request) error { return stale }
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
	req.Sum = once.Sum(2)
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
