package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/log/thread/compile"
	"handoff/log/thread/compile/render"
	"handoff/log/thread/runner"
)

// bench is a workspace with a thread.
type bench struct {
	*testing.T
	root, folder string
	store        *thread.Store
	blobs        *artifact.Store
	thread       string
}

func newBench(t *testing.T) *bench {
	needs.Tool(t, "sh")
	return openBench(t, t.TempDir())
}

func openBench(t *testing.T, root string) *bench {
	t.Helper()
	b := &bench{T: t, root: root, folder: filepath.Join(root, ".handoff")}
	var err error
	if b.blobs, err = artifact.Open(root); err != nil {
		t.Fatal(err)
	}
	if b.store, err = thread.Open(b.folder, thread.Options{Artifacts: b.blobs}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.store.Close(); b.blobs.Close() })
	id, err := b.store.Ensure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.thread = id.ThreadID
	return b
}

// options run a shell script for a message.
func (b *bench) options(content, script string) runner.Options {
	o := runner.Options{Store: b.store, Blobs: b.blobs, Folder: b.folder, Workspace: b.root, ThreadID: b.thread, Content: content,
		ActorID: "alice", Origin: "test", Dir: b.root}
	if script != "" {
		o.Command = []string{"sh", "-c", script}
	}
	return o
}

func (b *bench) run(o runner.Options) runner.Result {
	b.Helper()
	r, err := runner.Do(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// types are those of the thread's events.
func (b *bench) types() (types []string) {
	b.Helper()
	for e, err := range b.store.Events(b.thread, 1) {
		if err != nil {
			b.Fatal(err)
		}
		types = append(types, strings.TrimPrefix(e.Payload.Type(), "continuity_"))
	}
	return types
}

// session is the content of a run's stream: input, output and reason.
func (b *bench) session(id string) (input, output, reason string) {
	b.Helper()
	for e, err := range b.store.StreamEvents(thread.Session, id, 0) {
		if err != nil {
			b.Fatal(err)
		}
		switch p := e.Payload.(type) {
		case *thread.SessionStarted:
			input = p.Input
		case *thread.OutputDelta:
			if len(p.Delta) > 32<<10 {
				b.Errorf("a frame of %d bytes", len(p.Delta))
			}
			output += p.Delta
		case *thread.SessionEnded:
			reason = p.Reason
		}
	}
	return input, output, reason
}

// ended is the outcome of a run in the thread.
func (b *bench) ended(id string) (reasons []string) {
	b.Helper()
	for e, err := range b.store.Events(b.thread, 0) {
		if err != nil {
			b.Fatal(err)
		}
		if p, ok := e.Payload.(*thread.RunEnded); ok && p.RunSessionID == id {
			reasons = append(reasons, p.Reason)
		}
	}
	return reasons
}

// held are the existing files of runs.
func (b *bench) held() (names []string) {
	entries, _ := os.ReadDir(filepath.Join(b.folder, "runs"))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRun(t *testing.T) {
	b := newBench(t)
	var out, talk bytes.Buffer
	o := b.options("what is <it>?", `cat; echo "said é"; env | grep -E "^HANDOFF_(BUNDLE|FROM|MESSAGE|RUN|THREAD|WORKSPACE)" | sort >&2; pwd >&2`)
	o.Stdout, o.Stderr = &out, &talk
	r := b.run(o)
	if r.Reason != "completed" || r.ExitCode != 0 {
		t.Errorf("%+v", r)
	}
	want := []string{"message_appended", "run_spawned", "context_selection_decided", "context_compiled", "run_ended"}
	if got := b.types(); !slices.Equal(got, want) {
		t.Errorf("frames %q, want %q", got, want)
	}
	input, output, reason := b.session(r.RunID)
	if input != "what is <it>?" || output != out.String() || reason != "completed" {
		t.Errorf("session %q %q %q, want what was printed: %q", input, output, reason, out.String())
	}
	id, err := artifact.ParseID(r.BundleID)
	if err != nil {
		t.Fatal(err)
	}
	src, err := b.blobs.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := bundle.ParseContext(src)
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := render.Prompt(c, render.Options{})
	if err != nil || out.String() != string(prompt.Bytes)+"said é\n" {
		t.Errorf("the command was given\n%s\nwant\n%s (%v)", out.String(), prompt.Bytes, err)
	}
	env := fmt.Sprintf("HANDOFF_BUNDLE_ID=%s\nHANDOFF_FROM_SEQ=2\nHANDOFF_MESSAGE_ID=%s\nHANDOFF_RUN_ID=%s\nHANDOFF_THREAD_ID=%s\nHANDOFF_WORKSPACE=%s\n%[6]s\n",
		r.BundleID, r.MessageID, r.RunID, b.thread, b.root, b.root)
	if talk.String() != env {
		t.Errorf("the command's environment\n%swant\n%s", talk.String(), env)
	}
	if held := b.held(); len(held) > 0 {
		t.Errorf("left: %q", held)
	}

	// The next run's context has this one's output, in the requested format.
	chat, _ := render.FormatOf("chat")
	out.Reset()
	o = b.options("and then?", "cat")
	o.Stdout, o.Render = &out, chat
	b.run(o)
	var given struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(out.Bytes(), &given); err != nil {
		t.Fatal(err)
	}
	if n := len(given.Messages); n != 3 || given.Messages[1].Role != "assistant" || !strings.HasSuffix(given.Messages[1].Content, "said é\n") || given.Messages[2].Content != "and then?" {
		t.Errorf("given: %+v", given.Messages)
	}
}

// TestFailedAnswer: later runs are told that an answer is of a run that failed, in each form; the message itself is answered anew.
func TestFailedAnswer(t *testing.T) {
	b := newBench(t)
	failed := b.run(b.options("do it", `printf 'I began but cra'; exit 3`))
	again := b.options("", "cat")
	again.MessageID = failed.MessageID
	for _, form := range []string{"prompt", "anthropic", "chat", "openresponses"} {
		o := b.options("go on", "cat")
		o.Render, _ = render.FormatOf(form)
		if o.Render.Render == nil {
			t.Fatal(form)
		}
		r := b.run(o)
		if _, told, _ := b.session(r.RunID); !strings.Contains(told, "the run of this answer failed: exit status 3]") {
			t.Errorf("%s:\n%s", form, told)
		}
	}
	r := b.run(again)
	if _, told, _ := b.session(r.RunID); strings.Contains(told, "cra") || strings.Contains(told, "failed") {
		t.Errorf("told of its own answer:\n%s", told)
	}
}

// TestStub does what RIP does without a provider.
func TestStub(t *testing.T) {
	b := newBench(t)
	r := b.run(b.options("hello", ""))
	if got, want := b.types(), []string{"message_appended", "run_spawned", "run_ended"}; !slices.Equal(got, want) {
		t.Errorf("frames %q, want %q", got, want)
	}
	if input, output, reason := b.session(r.RunID); input != "hello" || output != "ack: hello" || reason != "completed" {
		t.Errorf("session %q %q %q", input, output, reason)
	}
	next := b.run(b.options("go on", "cat"))
	if _, told, _ := b.session(next.RunID); !strings.Contains(told, "hello") || strings.Contains(told, "ack:") {
		t.Errorf("the next run is told of the acknowledgement:\n%s", told)
	}
}

func TestReasons(t *testing.T) {
	b := newBench(t)
	small := b.options("a message of more than four tokens, as it were", "cat")
	small.Context = compile.Request{Budget: 4}
	missing := b.options("m", "")
	missing.Command = []string{"no-such-program-at-all"}
	lost := b.options("m", `exit 0`)
	lost.Dir = filepath.Join(b.root, "nowhere")
	for _, c := range []struct {
		reason  string
		options runner.Options
		fails   bool
		code    int
	}{
		{"exit status 3", b.options("m", "echo partial; exit 3"), false, 3},
		{"signal: killed", b.options("m", "kill -9 $$"), false, -1},
		{"completed", b.options("m", "exec <&-; echo deaf"), false, 0},
		{"context_compile_failed", small, true, -1},
		{"command_not_started", missing, true, -1},
		{"command_not_started", lost, true, -1},
	} {
		r, err := runner.Do(t.Context(), c.options)
		if (err != nil) != c.fails || r.Reason != c.reason || r.ExitCode != c.code {
			t.Errorf("%s: %+v, %v", c.reason, r, err)
		}
		if got := b.ended(r.RunID); !slices.Equal(got, []string{c.reason}) {
			t.Errorf("%s: run_ended says %q", c.reason, got)
		}
		if _, _, reason := b.session(r.RunID); reason != c.reason {
			t.Errorf("%s: session_ended says %q", c.reason, reason)
		}
	}
	if held := b.held(); len(held) > 0 {
		t.Errorf("left: %q", held)
	}
	o := b.options("", "true")
	o.MessageID = "nothing"
	if _, err := runner.Do(t.Context(), o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a message that is not there: %v", err)
	}
}

// TestOutput: characters that arrive in pieces stay whole, invalid bytes are
// replaced in the frames only, and much output becomes frames of a bounded
// size.
func TestOutput(t *testing.T) {
	b := newBench(t)
	var out bytes.Buffer
	o := b.options("m", `printf '\303'; sleep 0.1; printf '\251 \342\202'; sleep 0.1; printf '\254 \377 \342'`)
	o.Stdout = &out
	r := b.run(o)
	if out.String() != "é € \xff \xe2" {
		t.Errorf("passed on %q", out.String())
	}
	if _, output, _ := b.session(r.RunID); output != "é € \ufffd \ufffd" {
		t.Errorf("kept %q", output)
	}

	o = b.options("m", `i=0; while [ $i -lt 300 ]; do cat text; i=$((i+1)); done`)
	text := strings.Repeat("wörter und €, ", 800)
	if err := os.WriteFile(filepath.Join(b.root, "text"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r = b.run(o)
	if _, output, _ := b.session(r.RunID); output != strings.Repeat(text, 300) || !utf8.ValidString(output) {
		t.Errorf("%d bytes kept of %d", len(output), 300*len(text))
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// TestNobodyListens: a run's output is stored completely although copying it fails.
func TestNobodyListens(t *testing.T) {
	b := newBench(t)
	o := b.options("m", "echo one; sleep 0.1; echo two")
	o.Stdout = broken{}
	r, err := runner.Do(t.Context(), o)
	var outErr *runner.OutputError
	if !errors.As(err, &outErr) || r.Reason != "completed" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, output, _ := b.session(r.RunID); output != "one\ntwo\n" {
		t.Errorf("kept %q", output)
	}
}

// childVar makes the test binary a process that runs a command.
const childVar = "RUNNER_TEST_ROOT"

func TestMain(m *testing.M) {
	if root := os.Getenv(childVar); root != "" {
		os.Exit(child(root))
	}
	os.Exit(m.Run())
}

func child(root string) int {
	blobs, err := artifact.Open(root)
	if err != nil {
		panic(err)
	}
	folder := filepath.Join(root, ".handoff")
	store, err := thread.Open(folder, thread.Options{Artifacts: blobs})
	if err != nil {
		panic(err)
	}
	info, err := store.Ensure(context.Background())
	if err != nil {
		panic(err)
	}
	_, err = runner.Do(context.Background(), runner.Options{Store: store, Blobs: blobs, Folder: folder, Workspace: root, ThreadID: info.ThreadID,
		Content: "hello", Command: []string{"sh", "-c", os.Getenv("RUNNER_TEST_SCRIPT")}, Stdout: os.Stdout, Stderr: os.Stderr, Output: 100_000})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestEnds: a reader that waits for the end of a run's session finds that the
// thread has recorded it, and a deleted thread leaves no session open.
func TestEnds(t *testing.T) {
	b := newBench(t)
	var tick atomic.Int64
	store, err := thread.Open(b.folder, thread.Options{Artifacts: b.blobs, Now: func() time.Time { return time.UnixMilli(tick.Add(1)) }})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, script := range []string{"echo hello", ""} {
		o := b.options("x", script)
		o.Store = store
		r := b.run(o)
		at := map[string]uint64{}
		for e, err := range store.Events(b.thread, 0) {
			if err != nil {
				t.Fatal(err)
			}
			at[e.Payload.Type()] = e.TimestampMS
		}
		for e, err := range store.StreamEvents(thread.Session, r.RunID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			at[e.Payload.Type()] = e.TimestampMS
		}
		// No reader can wait for the session of an acknowledgement: the thread
		// records it and its end in one write, when it is complete.
		if at["continuity_run_ended"] < at["output_text_delta"] || script != "" && at["continuity_run_ended"] > at["session_ended"] {
			t.Errorf("%q: %v", script, at)
		}
		if script == "" && (at["session_ended"] > at["continuity_message_appended"] || at["continuity_run_ended"] != at["continuity_message_appended"]) {
			t.Errorf("an acknowledgement in several writes: %v", at)
		}
	}

	if _, err := store.StartSession(t.Context(), "run", "x"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.folder, "runs", "run.json"), []byte(`{"run_id":"run","thread_id":"gone","message_id":"m"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := runner.Reap(t.Context(), store, b.folder, time.Now()); err != nil {
		t.Error(err)
	}
	if end, ok, err := store.SessionEnded("run"); !ok || end.Reason != runner.Killed {
		t.Errorf("%+v, %v", end, err)
	}
	if held := b.held(); len(held) > 0 {
		t.Errorf("left %q", held)
	}
}

// TestSecretsAreNotStored: the copy of the output has its secrets, what is stored has not,
// however the output is cut into pieces, and JSON stays JSON.
func TestSecretsAreNotStored(t *testing.T) {
	b := newBench(t)
	var out bytes.Buffer
	o := b.options("m", `printf 'id AKIAIOSF'; sleep 0.2; printf 'ODNN7EXAMPLQ ok\n'
printf '{"text":"a\\nid AKIAIOSFODNN7EXAMPLQ\\"","n":1}\n'
printf -- '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bqc2VjcmV0a2V5\n'; sleep 0.2; printf 'c29tZXNlY3JldGtleW1hdGVyaWFs\n-----END RSA PRIVATE KEY-----\nlast AKIAIOSFODNN7EXAMPLQ'`)
	o.Stdout = &out
	r := b.run(o)
	if strings.Count(out.String(), "AKIAIOSFODNN7EXAMPLQ") != 3 || !strings.Contains(out.String(), "MIIEpAIBAAKCAQEA7bqc2VjcmV0a2V5") {
		t.Errorf("passed on %q", out.String())
	}
	_, output, _ := b.session(r.RunID)
	want := "id [secret] ok\n{\"text\":\"a\\nid [secret]\\\"\",\"n\":1}\n"
	if !strings.HasPrefix(output, want) || strings.Contains(output, "AKIA") || strings.Contains(output, "MIIE") || strings.Contains(output, "c29tZ") || !strings.HasSuffix(output, "last [secret]") {
		t.Errorf("stored %q", output)
	}
}

// TestPartOfALine: a line without an end is stored after a moment, so a prompt is seen.
func TestPartOfALine(t *testing.T) {
	b := newBench(t)
	o := b.options("m", `printf 'Continue? '; while [ ! -e seen ]; do sleep 0.05; done`)
	o.Dir = b.root
	done := make(chan runner.Result, 1)
	started, err := runner.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	go func() { r, _ := started.Finish(t.Context()); done <- r }()
	waittest.Until(t, "the part of a line", func() bool { _, output, _ := b.session(started.ID); return output == "Continue? " })
	if err := os.WriteFile(filepath.Join(b.root, "seen"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.Reason != runner.Completed {
		t.Error(r.Reason)
	}
}
