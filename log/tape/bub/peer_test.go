package bub

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// versions is the Python environments with Bub, in the folder
// HANDOFF_BUB_VENVS: see CONTRIBUTING.md.
var versions = []string{"bub-0.3.4", "bub-0.4.3", "bub-0.5.1", "bub-0.6.0a3"}

// TestBub runs the tests below with each version of Bub, each in its own home.
func TestBub(t *testing.T) {
	venvs := needs.Folder(t, "HANDOFF_BUB_VENVS")
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time it waits for Python
			process := start(t, filepath.Join(venvs, version))
			for _, test := range []struct {
				name string
				run  func(*testing.T, *Home, *peer)
			}{
				{"reads", testBubReads}, {"begins", testBubBegins}, {"hands off", testBubHandsOff}, {"crashed", testBubCrashed}, {"fixed", testBubFixed}, {"converts", testBubConverts}, {"together", testBubTogether},
			} {
				t.Run(test.name, func(t *testing.T) {
					h := open(t, t.TempDir())
					p := &peer{process, t, h.folder}
					p.restart()
					test.run(t, h, p)
				})
			}
		})
	}
}

// peer is a Python process with Bub, and the folder of a home.
type peer struct {
	*process
	t      testing.TB
	folder string
}

type process struct {
	in  io.Writer
	out *bufio.Reader
}

func start(t testing.TB, venv string) *process {
	t.Helper()
	cmd := exec.Command(filepath.Join(venv, "bin", "python"), filepath.Join("testdata", "peer.py"))
	cmd.Env = append(os.Environ(), "PYTHONPATH=", "BUB_HOME="+t.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(20*time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		hung.Stop()
	})
	return &process{in, bufio.NewReader(out)}
}

// restart clears Bub's caches.
func (p *peer) restart() { p.t.Helper(); p.get("open", object{"folder": p.folder}) }

// object is a JSON object.
type object = map[string]any

// ask is Bub's answer, decoded, or its error.
func (p *peer) ask(do string, arguments object) (any, *bubError) {
	p.t.Helper()
	request := object{"do": do}
	for k, v := range arguments {
		request[k] = v
	}
	line, err := json.Marshal(request)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	var answer struct {
		OK    any
		Error *bubError
	}
	if err == nil {
		if line, err = p.out.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &answer)
		}
	}
	if err != nil {
		p.t.Fatalf("%s: %v", do, err)
	}
	return answer.OK, answer.Error
}

type bubError struct{ Kind, Message string }

func (e *bubError) String() string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("[%s] %s", e.Kind, e.Message)
}

// get is the answer; an error fails the test.
func (p *peer) get(do string, arguments object) any {
	p.t.Helper()
	answer, err := p.ask(do, arguments)
	if err != nil {
		p.t.Fatalf("%s %v: %s", do, arguments, err)
	}
	return answer
}

// same compares Bub's answer with ours, both as JSON.
func same(t testing.TB, what string, bubs any, ours any) {
	t.Helper()
	if got, want := decoded(t, ours), decoded(t, bubs); !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n%s\nBub says\n%s", what, encoded(t, got), encoded(t, want))
	}
}

func decoded(t testing.TB, v any) (decoded any) {
	t.Helper()
	if err := json.Unmarshal(encoded(t, v), &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
