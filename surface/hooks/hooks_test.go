package hooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/agents/host"
	"handoff/internal/testing/waittest"
	"handoff/lint/rules"
	"handoff/log/engine"
	"handoff/log/receipt"
	"handoff/surface/hooks"
	"handoff/workspace"
	"handoff/workspace/draft"
	"handoff/workspace/notes"
	"handoff/workspace/spawn/prompt"
	"handoff/workspace/trust"
	"handoff/workspace/unreported"
)

var update = flag.Bool("update", false, "write the answers into the archives")

const example = "../../specs/example/specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"

var now = time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)

// treeOf is a workspace in which one handoff waits. With bad, an agent has just written another
// one, which has errors.
func treeOf(t testing.TB, bad bool) (root string) {
	t.Helper()
	src, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	put(t, root, "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md", string(src))
	if bad {
		put(t, root, badPath, "# Phase 1\n\n## Immediate Next Action\nContinue.\n")
	}
	return root
}

const badPath = "specs/2_bad/handoffs/phase-1-handoff-20260212T144500Z.md"

func put(t testing.TB, root, path, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// patience lets a busy machine take its time.
var patience = hooks.Times{Answer: time.Minute, Record: time.Minute}

func options() workspace.Options {
	return workspace.Options{Rules: rules.All, Now: func() time.Time { return now }}
}

// answered is the answer to a call with the texts of the program.
func answered(ctx context.Context, c hooks.Call) []byte {
	c.Texts = hooks.Texts{
		Show: prompt.Shown,
		Died: func(ctx context.Context, ws *workspace.Workspace, own receipt.Session) (string, error) {
			return unreported.Name(ctx, ws, own, c.Getenv)
		},
		Draft: func(ws *workspace.Workspace, e hooks.Ended) func(context.Context) error {
			s := draft.Session{Agent: e.Agent, Handoff: e.Handoff, Format: e.Format, Path: draft.Source(ws.Root, c.Getenv("HOME"), e.Path),
				Transcript: e.Transcript, Before: e.Before, Why: e.Why}
			if !s.Worked(ws) {
				return nil
			}
			return func(ctx context.Context) error {
				_, err := s.Write(ctx, ws)
				return err
			}
		},
	}
	return hooks.Answer(ctx, c)
}

func answer(ctx context.Context, dir, name string, event host.Event, stdin string) string {
	return string(answered(ctx, hooks.Call{Within: patience, Event: event, Host: name, Dir: dir, Stdin: strings.NewReader(stdin),
		Getenv: func(string) string { return "" }, Options: options()}))
}

// TestGolden has each host run the hook of each event that it has.
func TestGolden(t *testing.T) {
	for _, h := range host.All() {
		if len(h.Hooks) == 0 {
			continue
		}
		file := filepath.Join("testdata", h.Name+".txtar")
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		seen := map[host.Event]bool{}
		for i, f := range a.Files {
			if name, ok := strings.CutSuffix(f.Name, ".json"); ok {
				event, _, _ := strings.Cut(name, "+")
				seen[host.Event(event)] = true
				t.Run(h.Name+" "+name, func(t *testing.T) {
					got := golden(t, h, host.Event(event), a.Files[0], f.Data)
					if want := &a.Files[i+1]; *update {
						want.Data = []byte(got)
					} else if got != string(want.Data) {
						t.Errorf("prints\n%swant\n%s", got, want.Data)
					}
				})
			}
		}
		for _, k := range h.Hooks {
			if !seen[k.Event] {
				t.Errorf("%s: no case of %s", h.Name, k.Event)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func golden(t *testing.T, h host.Host, event host.Event, transcript txtar.File, payload []byte) string {
	root := treeOf(t, event == host.ToolUse)
	file := filepath.Join(t.TempDir(), "session.jsonl")
	if transcript.Name == "transcript.jsonl" {
		put(t, filepath.Dir(file), filepath.Base(file), string(transcript.Data))
	}
	quoted := func(path string) string { return strings.ReplaceAll(path, `\`, `\\`) }
	stdin := strings.NewReplacer("$DIR", quoted(filepath.ToSlash(root)), "$TRANSCRIPT", quoted(file)).Replace(string(payload))
	got := answer(t.Context(), t.TempDir(), h.Name, event, stdin)
	checkAnswer(t, h, event, got)
	checkFaults(t, root, 0)
	if again := answer(t.Context(), t.TempDir(), h.Name, event, stdin); again != "" && event != host.ToolUse {
		if _, both := h.Hook(event); both && h.Name != "kiro" {
			t.Errorf("a second time: %s", again)
		}
	}
	return got
}

// checkAnswer checks that an answer is nothing, or one JSON object whose text is
// within the limit.
func checkAnswer(t *testing.T, h host.Host, event host.Event, got string) {
	t.Helper()
	k, ok := h.Hook(event)
	switch {
	case got == "":
		return
	case !ok || k.Form == host.Silent:
		t.Errorf("%s %s: prints %q, want nothing", h.Name, event, got)
	case k.Form == host.Plain:
		if !h.Limit.Fits(got) {
			t.Errorf("%s %s: %d bytes", h.Name, event, len(got))
		}
	default:
		d := json.NewDecoder(strings.NewReader(got))
		d.DisallowUnknownFields()
		var form struct {
			Specific *struct {
				Event string `json:"hookEventName"`
				Text  string `json:"additionalContext"`
			} `json:"hookSpecificOutput"`
			Camel    string `json:"additionalContext"`
			Snake    string `json:"additional_context"`
			Context  string `json:"context"`
			Followup string `json:"followup_message"`
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
		}
		if err := d.Decode(&form); err != nil || d.More() {
			t.Errorf("%s %s: %v in %q", h.Name, event, err, got)
		}
		text := form.Camel + form.Snake + form.Context + form.Followup + form.Reason
		if form.Specific != nil {
			if text += form.Specific.Text; form.Specific.Event != k.Native {
				t.Errorf("%s %s: %q", h.Name, event, got)
			}
		}
		if text == "" || !h.Limit.Fits(text) {
			t.Errorf("%s %s: a text of %d bytes", h.Name, event, len(text))
		}
	}
}

func checkFaults(t *testing.T, root string, want int) (text string) {
	t.Helper()
	l, err := notes.OpenLog(root)
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.Read()
	if err != nil || len(list) != want {
		t.Errorf("errors %+v, %v; want %d", list, err, want)
	}
	if len(list) > 0 {
		text = list[len(list)-1].Error
	}
	return text
}

// TestErrors: an error prints nothing and is recorded.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, host, stdin, want string }{
		{"no JSON", "claude", "garbage", "want one JSON object"},
		{"empty", "claude", "", "want one JSON object"},
		{"unknown host", hooks.Auto, `{"session_id":"a"}`, "unknown host: name it with --host"},
		{"wrong host", "nobody", `{"session_id":"a"}`, `no agent "nobody"`},
		{"a session that is no line", "claude", `{"session_id":"a\nb"}`, "want one line"},
		{"a long id", "claude", `{"session_id":"` + strings.Repeat("x", 400) + `"}`, "more than 200 bytes"},
		{"long input", "claude", `{"session_id":"` + strings.Repeat("x", 17<<20) + `"}`, "more than 16777216 bytes"},
	} {
		root := treeOf(t, false)
		if got := answer(t.Context(), root, c.host, host.SessionStart, c.stdin); got != "" {
			t.Errorf("%s: prints %q", c.name, got)
		}
		if text := checkFaults(t, root, 1); !strings.Contains(text, c.want) {
			t.Errorf("%s: recorded %q, want %q", c.name, text, c.want)
		}
	}
}

func TestBrokenConfiguration(t *testing.T) {
	root := treeOf(t, false)
	put(t, root, ".handoff.yaml", "max_lines: many\n")
	if got := answer(t.Context(), root, "claude", host.SessionStart, `{"session_id":"a"}`); got != "" {
		t.Errorf("prints %q", got)
	}
	if text := checkFaults(t, root, 1); !strings.Contains(text, ".handoff.yaml:1:12: want a whole number") {
		t.Errorf("recorded %q", text)
	}
}

// Outside of a workspace nothing is printed or written, whatever the input is.
func TestNoWorkspace(t *testing.T) {
	for _, stdin := range []string{`{"session_id":"a","source":"startup"}`, "garbage"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, e := range host.Events {
			if got := answer(t.Context(), dir, "claude", e, stdin); got != "" {
				t.Errorf("%s: prints %q", e, got)
			}
		}
		list, err := os.ReadDir(dir)
		git, bad := os.ReadDir(filepath.Join(dir, ".git"))
		if err != nil || bad != nil || len(list) != 1 || len(git) != 0 {
			t.Errorf("wrote %v, %v", list, git)
		}
	}
}

// endless is an input that never ends.
type endless struct{ stop <-chan struct{} }

func (e endless) Read([]byte) (int, error) { <-e.stop; return 0, os.ErrClosed }

// A host that does not close standard input gets no answer at the deadline.
func TestDeadline(t *testing.T) {
	root := treeOf(t, false)
	begun := time.Now()
	got := answered(t.Context(), hooks.Call{Within: hooks.Times{Record: time.Minute}, Event: host.SessionEnd, Host: "claude", Dir: root, Stdin: endless{t.Context().Done()},
		Getenv: func(string) string { return "" }, Options: options()})
	if took := time.Since(begun); got != nil || took < time.Second || took > time.Minute {
		t.Errorf("%q after %s", got, took)
	}
	if text := checkFaults(t, root, 1); !strings.Contains(text, "stopped after 1s") {
		t.Errorf("recorded %q", text)
	}
}

// TestPanic: a panic would end the process with status 2, which stops the agent.
func TestPanic(t *testing.T) {
	root := treeOf(t, false)
	got := answered(t.Context(), hooks.Call{Within: patience, Event: host.SessionStart, Host: "claude", Dir: root, Stdin: nil,
		Getenv: func(string) string { return "" }, Options: options()})
	if got != nil {
		t.Errorf("%q", got)
	}
	if text := checkFaults(t, root, 1); !strings.Contains(text, "panic") {
		t.Errorf("recorded %q", text)
	}
}

// TestOtherHosts: Cursor and Copilot run the hooks of Claude Code's settings too, and
// get their own envelope. A session of theirs is one, by whichever hook it is seen.
func TestOtherHosts(t *testing.T) {
	for _, c := range []struct{ stdin, own, want string }{
		{`{"conversation_id":"c","session_id":"s","cursor_version":"2","hook_event_name":"sessionStart"}`, "cursor", `{"additional_context":`},
		{`{"sessionId":"s","source":"new"}`, "copilot", `{"additionalContext":`},
		{`{"session_id":"s","transcript_path":"/h/.copilot/session-state/s/events.jsonl"}`, "copilot", `{"additionalContext":`},
		{`{"session_id":"s","hook_event_name":"SessionStart"}`, "claude", `{"hookSpecificOutput":`},
	} {
		root := treeOf(t, false)
		if got := answer(t.Context(), root, "claude", host.SessionStart, c.stdin); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", c.stdin, got)
		}
		if got := answer(t.Context(), root, c.own, host.SessionStart, c.stdin); got != "" {
			t.Errorf("%s: also by its own hook: %q", c.stdin, got)
		}
	}
}

// FuzzStdin: any input gets a valid answer or none.
func FuzzStdin(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i, one := range a.Files {
			if strings.HasSuffix(one.Name, ".json") {
				f.Add(byte(i), byte(i), bytes.ReplaceAll(one.Data, []byte("$DIR"), []byte(".")))
			}
		}
	}
	f.Add(byte(0), byte(0), []byte(`{"session_id":1,"cwd":"\u0000","tool_input":{"file_path":"../../../etc/passwd"}}`))
	root := treeOf(f, true)
	f.Fuzz(func(t *testing.T, name, event byte, stdin []byte) {
		all := host.All()
		h, e := all[int(name)%len(all)], host.Events[int(event)%len(host.Events)]
		if bytes.Contains(stdin, []byte(`"cwd"`)) {
			return // elsewhere: other folders of this machine are irrelevant here
		}
		in, err := host.Read(stdin)
		if other := host.Proven(in); err == nil && h.Name == "claude" && other != "" && other != "claude" {
			return // has the form of another host: see TestOtherHosts
		}
		checkAnswer(t, h, e, answer(t.Context(), root, h.Name, e, string(stdin)))
	})
}

// TestSilentStore: a store that accepts the connection and does not answer costs a hook
// only its patience: the copy is read, and what the hook records waits.
func TestSilentStore(t *testing.T) {
	root := treeOf(t, false)
	put(t, root, ".handoff.yaml", "store: nats://127.0.0.1:1/SILENT\n")
	var asked atomic.Int32 // also while the copy is kept up to date
	hook := func(session string) string {
		o := options()
		o.Trust = trust.All
		o.OpenStore = func(ctx context.Context, _ string, _ engine.Address) (engine.Engine, error) {
			asked.Add(1)
			select {
			case <-ctx.Done():
				return nil, fmt.Errorf("no greeting: %w", engine.ErrUnavailable)
			case <-t.Context().Done(): // without a limit, the hook would wait until its deadline
				return nil, t.Context().Err()
			}
		}
		return string(answered(t.Context(), hooks.Call{Within: hooks.Times{Answer: waittest.Limit / 2, Record: time.Minute}, Event: host.SessionStart, Host: "claude", Dir: root,
			Stdin: strings.NewReader(`{"session_id": "` + session + `", "hook_event_name": "SessionStart", "source": "startup"}`), Getenv: func(string) string { return "" }, Options: o}))
	}
	if got := hook("a"); !strings.Contains(got, "259") {
		t.Errorf("delivered %q", got)
	}
	if got := hook("b"); got != "" {
		t.Errorf("delivered again: %q", got)
	}
	if n := asked.Load(); n > 2 {
		t.Errorf("the store was asked %d times by two hooks", n)
	}
	ws, err := workspace.Open(root, options())
	if err != nil {
		t.Fatal(err)
	}
	box, err := ws.Outbox()
	if err != nil {
		t.Fatal(err)
	}
	if size, err := box.Size(); err != nil || size.Requests != 1 {
		t.Errorf("%+v, %v, want the delivery", size, err)
	}
}
