package bub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/log/tape"
)

// TestBubPlugin has the agent of each version of Bub work on a tape to which
// our command hands off: with the package of sdk/python and our server, with
// the package and the files of its home, and without the package.
func TestBubPlugin(t *testing.T) {
	venvs := needs.Folder(t, "HANDOFF_BUB_VENVS")
	program := built(t)
	for _, version := range versions {
		for _, mode := range []string{"server", "files", "without"} {
			t.Run(version+"/"+mode, func(t *testing.T) {
				t.Parallel()
				a := newAgent(t, venvs, version, mode, program)
				testStateReachesModel(t, a)
				if starts := a.starts(); mode == "files" && (starts[0] == "" || len(starts) > 2*2) { // two turns
					t.Errorf("%d processes of ours in two turns, at most 2 a turn are wanted: %q", len(starts), starts)
				}
				if mode != "without" {
					testWritersTogether(t, a)
				}
			})
		}
	}
}

// built is the command, built from this tree.
func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "handoff")
	if out, err := exec.Command("go", "build", "-o", program, "handoff/cmd/handoff").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// installed is a folder for PYTHONPATH with the package: the wheel
// HANDOFF_BUB_WHEEL, else the sources as pip would install them.
func installed(t *testing.T, pip string) string {
	t.Helper()
	folder := t.TempDir()
	if wheel := os.Getenv("HANDOFF_BUB_WHEEL"); wheel != "" {
		if out, err := exec.Command(pip, "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", "--target", folder, wheel).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return folder
	}
	source := must(filepath.Abs(filepath.Join("..", "..", "..", "sdk", "python")))(t)
	project := string(must(os.ReadFile(filepath.Join(source, "pyproject.toml")))(t))
	point := regexp.MustCompile(`(?s)\[project\.entry-points\.bub\]\nhandoff = "([^"]+)"`).FindStringSubmatch(project)
	if point == nil {
		t.Fatal("pyproject.toml has no entry point for Bub")
	}
	info := filepath.Join(folder, "handoff_bub-0.1.0.dist-info")
	err := os.Mkdir(info, 0o755)
	for name, text := range map[string]string{"METADATA": "Metadata-Version: 2.1\nName: handoff-bub\nVersion: 0.1.0\n", "entry_points.txt": "[bub]\nhandoff = " + point[1] + "\n"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(info, name), []byte(text), 0o644)
		}
	}
	if err == nil {
		err = os.CopyFS(filepath.Join(folder, "handoff_bub"), os.DirFS(filepath.Join(source, "src", "handoff_bub")))
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// agent is an agent of Bub with its model and its tape.
type agent struct {
	t                 *testing.T
	version, mode     string
	bub, program      string
	home, ws, address string // address is that of our server, "" without one
	counted           string // file with a line for each process of ours that Bub has started
	env               []string
	model             *model
	server            *exec.Cmd // that was started last
}

func newAgent(t *testing.T, venvs, version, mode, program string) *agent {
	t.Helper()
	bin := filepath.Join(venvs, version, "bin")
	a := &agent{t: t, version: version, mode: mode, bub: filepath.Join(bin, "bub"), program: program, home: t.TempDir(), ws: t.TempDir()}
	a.model = &model{silent: version < "bub-0.4"}
	server := httptest.NewServer(a.model)
	t.Cleanup(server.Close)
	a.env = append(os.Environ(), "PYTHONPATH=", "HOME="+a.home, "BUB_HOME="+a.home, "BUB_MODEL="+chatModel(version),
		"BUB_API_KEY=none", "BUB_API_BASE="+server.URL+"/v1", "BUB_SPILL_THRESHOLD=100", "HANDOFF_BINARY="+program, "HANDOFF_URL=", "HANDOFF_TOKEN_FILE=")
	if mode != "without" {
		a.env = append(a.env, "PYTHONPATH="+installed(t, filepath.Join(bin, "pip")))
	}
	if mode == "files" {
		counted := filepath.Join(t.TempDir(), "handoff")
		script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>%q\nexec %q \"$@\"\n", counted+".starts", program)
		if err := os.WriteFile(counted, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		a.counted, a.env = counted+".starts", append(a.env, "HANDOFF_BINARY="+counted)
	}
	if mode == "server" {
		a.address = a.serve("127.0.0.1:0")
		a.env = append(a.env, "HANDOFF_URL="+a.address)
	}
	return a
}

// serve starts a server in the workspace, and returns its address. It has a token.
func (a *agent) serve(listen string) string {
	t := a.t
	t.Helper()
	cmd := exec.Command(a.program, "-C", a.ws, "serve", "--listen", listen)
	cmd.Env = a.env // the home folder in which the plugin finds the server's token
	talk := must(cmd.StderrPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	a.server = cmd
	var first strings.Builder
	for b := make([]byte, 1); !strings.HasSuffix(first.String(), "\n"); first.Write(b) {
		if _, err := talk.Read(b); err != nil {
			t.Fatalf("the server printed %q: %v", first.String(), err)
		}
	}
	go io.Copy(io.Discard, talk)
	return strings.TrimSpace(strings.TrimPrefix(first.String(), "handoff listening on "))
}

// starts are the arguments of the processes of ours that Bub has started.
func (a *agent) starts() []string {
	src, _ := os.ReadFile(a.counted) // none yet
	return strings.Split(strings.TrimSpace(string(src)), "\n")
}

// run is one turn of Bub.
func (a *agent) run(text string) error {
	cmd := exec.Command(a.bub, "run", "--session-id", "cli:ours", text)
	cmd.Dir, cmd.Env = a.ws, a.env
	out, err := cmd.CombinedOutput()
	if err == nil && !strings.Contains(string(out), "All done.") {
		err = fmt.Errorf("it did not answer")
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// tape runs our command on the agent's tape, and returns its output.
func (a *agent) tape(arguments ...string) (string, error) {
	where := []string{"--bub", a.home, "--tape", "cli:ours"}
	if a.mode == "server" {
		where = []string{"--tape", must(SessionName(a.ws, "cli:ours"))(a.t)}
	}
	return a.command(append(arguments, where...)...)
}

func (a *agent) command(arguments ...string) (string, error) {
	cmd := exec.Command(a.program, append([]string{"-C", a.ws, "tape"}, arguments...)...)
	var talk strings.Builder
	cmd.Stderr, cmd.Env = &talk, a.env // with the home folder in which the token of the server is
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%q: %w: %s", arguments, err, talk.String())
	}
	return string(out), err
}

// entries is all entries of the tape, whose ids must be unique.
func (a *agent) entries() (entries []tape.Entry) {
	a.t.Helper()
	last := int64(0)
	for line := range strings.Lines(must(a.tape("read"))(a.t)) {
		e := must(tape.Parse([]byte(line)))(a.t)[0]
		if e.ID <= last {
			a.t.Errorf("id %d after %d: %s", e.ID, last, line)
		}
		last = e.ID
		entries = append(entries, e)
	}
	return entries
}

const (
	stateSays = `"summary": "größe 17"`
	spilled   = "1499\n1500\n1501\n" // of seq 1 3000, far from both ends
)

var spillHandle = regexp.MustCompile(`handle='([0-9a-f]{32})'`)

// testStateReachesModel hands off with our command, and has Bub take two turns
// of two requests, the first of which spills a result.
func testStateReachesModel(t *testing.T, a *agent) {
	must(a.tape("handoff", "phase/by-command", "--summary", "größe 17"))(t)
	call := func(name, arguments string) string {
		return fmt.Sprintf(`{"role": "assistant", "content": null, "tool_calls": [{"index": 0, "id": "call_%s", "type": "function", "function": {"name": %q, "arguments": %q}}]}`, name, name, arguments)
	}
	a.model.answers(func(n int, request object) string {
		switch found := spillHandle.FindStringSubmatch(string(encoded(t, request))); {
		case n == 0:
			return call("bash", shellArgument(t, request, "seq 1 3000"))
		case n == 2 && found != nil:
			return call("spill_read", `{"handle": "`+found[1]+`"}`)
		case n == 2:
			return call("bash", shellArgument(t, request, "echo nothing is spilled"))
		}
		return `{"role": "assistant", "content": "All done."}`
	})
	for _, text := range []string{"What is next?", "And now?"} {
		if err := a.run(text); err != nil {
			t.Fatal(err)
		}
	}
	asked := a.model.requests()
	if len(asked) != 4 {
		t.Fatalf("the model was asked %d times", len(asked))
	}
	for i, request := range asked {
		if n := strings.Count(plainText(request["messages"]), stateSays); n != 1 {
			t.Errorf("request %d has the state %d times: %s", i+1, n, encoded(t, request["messages"]))
		}
	}
	if spills := a.version >= "bub-0.5"; spills != spillHandle.MatchString(plainText(asked[1]["messages"])) {
		t.Errorf("spilled: %v: %s", !spills, encoded(t, asked[1]["messages"]))
	}
	if !strings.Contains(plainText(asked[3]["messages"]), spilled) {
		t.Errorf("the spilled result cannot be read: %s", encoded(t, asked[3]["messages"]))
	}
	a.entries()
}

// shellArgument is the name of the argument of the tool bash in this version of
// Bub.
func shellArgument(t *testing.T, request object, line string) string {
	var asked struct {
		Tools []struct {
			Function struct {
				Name       string
				Parameters struct{ Properties object }
			}
		}
	}
	if err := json.Unmarshal(encoded(t, request), &asked); err != nil {
		t.Error(err)
	}
	for _, tool := range asked.Tools {
		for _, name := range []string{"cmd", "command"} {
			if tool.Function.Name == "bash" && tool.Function.Parameters.Properties[name] != nil {
				return string(encoded(t, object{name: line}))
			}
		}
	}
	t.Errorf("no tool bash: %s", encoded(t, request["tools"]))
	return "{}"
}

// plainText is all text in a value.
func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v + "\n"
	case []any:
		var all strings.Builder
		for _, item := range v {
			all.WriteString(plainText(item))
		}
		return all.String()
	case object:
		return plainText(v["content"]) + plainText(v["text"])
	}
	return ""
}

// testWritersTogether has two processes of Bub, our command and HTTP write to
// one tape at once; without a server a second command instead of HTTP.
func testWritersTogether(t *testing.T, a *agent) {
	before := len(a.entries())
	asked, over := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(asked) }) // Bub writes its turn when the model has answered
	a.model.answers(func(int, object) string { begin(); return `{"role": "assistant", "content": "All done."}` })
	said := map[string]bool{}
	var mu sync.Mutex
	var agents, others sync.WaitGroup
	for _, text := range []string{"I am the first.", "I am the second."} {
		said[text] = false
		agents.Go(func() {
			if err := a.run(text); err != nil {
				t.Error(err)
			}
		})
	}
	for _, who := range []string{"command", "http"} {
		var more []string
		if who == "http" && a.mode == "server" {
			more = []string{"--server", a.address}
		}
		others.Go(func() {
			<-asked
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				text := fmt.Sprint(who, " ", n)
				mu.Lock()
				said[text] = false
				mu.Unlock()
				if _, err := a.tape(append([]string{"append", text}, more...)...); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	agents.Wait()
	begin()
	close(over)
	others.Wait()
	for _, e := range a.entries()[before:] {
		var message struct{ Role, Content string }
		if e.Kind != tape.KindMessage || json.Unmarshal(e.Payload, &message) != nil || message.Role != "user" {
			continue
		}
		for text := range said {
			if strings.HasSuffix(strings.TrimSpace(message.Content), text) {
				if said[text] {
					t.Errorf("%q occurs twice", text)
				}
				said[text] = true
			}
		}
	}
	for text, there := range said {
		if !there {
			t.Errorf("%q is lost", text)
		}
	}
}
