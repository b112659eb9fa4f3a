package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/log/thread"
	"handoff/log/thread/compile"
	"handoff/log/thread/compile/render"
)

// effects are the side effects in the thread.
func (b *bench) effects() (all []string) {
	b.Helper()
	for e, err := range b.store.Events(b.thread, 0) {
		if err != nil {
			b.Fatal(err)
		}
		if p, ok := e.Payload.(*thread.SideEffects); ok {
			checkpoint := "none"
			if p.CheckpointID != nil {
				checkpoint = *p.CheckpointID
			}
			all = append(all, fmt.Sprintf("%s %s %q %s by %s", p.ToolName, p.ToolID, p.AffectedPaths, checkpoint, p.ActorID))
		}
	}
	return all
}

// TestReports has a command report what its tools did: frames of the thread before
// the run's end, which are in the next run's context.
func TestReports(t *testing.T) {
	b := newBench(t)
	r := b.run(b.options("change it", `{
		echo '{"type":"tool_side_effects","tool_id":"t1","tool_name":"write","affected_paths":["b.txt","./a/x.go","b.txt"],"checkpoint_id":"k"}'
		echo; echo '{"type":"tool_side_effects","tool_id":"t2","tool_name":"bash"}'
		echo "{\"type\":\"tool_side_effects\",\"tool_id\":\"t3\",\"tool_name\":\"edit\",\"affected_paths\":[\"$HANDOFF_WORKSPACE/c.txt\"]}"
		printf '{"type":"tool_side_effects","tool_id":"t4","tool_name":"cut off","affected_paths":[]}'; } >> "$HANDOFF_EVENTS"; echo done`))
	want := []string{`write t1 ["a/x.go" "b.txt"] k by alice`, `bash t2 [] none by alice`, `edit t3 ["c.txt"] none by alice`, `cut off t4 [] none by alice`}
	if got := b.effects(); !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	types := b.types()
	if n := len(types); types[n-1] != "run_ended" || types[n-2] != "tool_side_effects" || len(r.Wrong) > 0 {
		t.Errorf("%q, %q", types, r.Wrong)
	}
	if held := b.held(); len(held) > 0 {
		t.Errorf("left: %q", held)
	}

	next := b.options("what did you change?", "cat")
	next.Context = compile.Request{Refs: true}
	next.Render, _ = render.FormatOf("prompt")
	told := b.run(next)
	_, output, _ := b.session(told.RunID)
	if !strings.Contains(output, "a/x.go") {
		t.Errorf("the next run is not told what the tools did:\n%s", output)
	}
}

// TestCursorReports has a command save cursors, which the thread's status shows; a rotated one is replaced.
func TestCursorReports(t *testing.T) {
	b := newBench(t)
	r := b.run(b.options("go on", `{
		echo '{"type":"provider_cursor_updated","provider":"p","model":"m","cursor":{"previous_response_id":"old"}}'
		echo '{"type":"tool_side_effects","tool_id":"t1","tool_name":"write"}'
		echo '{"type":"provider_cursor_updated","provider":"p","cursor":"text"}'
		echo '{"type":"provider_cursor_updated","cursor":{}}'
		echo '{"type":"provider_cursor_updated","provider":"p","model":"m","cursor":{"previous_response_id":"new"}}'; } >> "$HANDOFF_EVENTS"`))
	if len(r.Wrong) != 2 || !strings.Contains(r.Wrong[0], "line 3: want the provider") {
		t.Errorf("%q", r.Wrong)
	}
	if got := b.effects(); len(got) != 1 {
		t.Errorf("side effects beside cursors: %q", got)
	}
	status, err := b.store.CursorStatus(t.Context(), b.thread)
	if err != nil || len(status.Cursors) != 1 || string(status.Active.Cursor) != `{"previous_response_id":"new"}` || *status.Active.RunSessionID != r.RunID || status.Active.Action != "set" {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestProviderReports has a command report its provider's events, tokens and tools: frames of the run, as RIP writes them.
func TestProviderReports(t *testing.T) {
	b := newBench(t)
	r := b.run(b.options("go on", `{
		echo '{"type":"openresponses_request_started","endpoint":"https://p.example/v1","model":"m","request_index":0,"kind":"initial"}'
		echo '{"seq":9,"type":"provider_event","provider":"openresponses","event_name":"response.created","data":{"key":"AKIAIOSFODNN7EXAMPLQ"}}'
		echo '{"type":"tool_started","tool_id":"t","name":"write","args":{"path":"a.txt"},"timeout_ms":null}'
		echo '{"type":"tool_ended","tool_id":"t","exit_code":0,"duration_ms":3,"artifacts":null}'
		echo '{"type":"usage","provider":"p","model":"m","input_tokens":1200,"output_tokens":80}'
		echo '{"type":"usage","provider":"p","input_tokens":-1}'
		echo '{"type":"usage","input_tokens":1}'
		echo '{"type":"provider_event","provider":"p","status":"begun"}'
		echo '{"type":"tool_ended","tool_id":"t"}'; } >> "$HANDOFF_EVENTS"; echo done`))
	var got []string
	for line, err := range b.store.Lines(thread.Session, r.RunID) {
		if err != nil {
			t.Fatal(err)
		}
		_, frame, _ := strings.Cut(string(line.Text), `,"type":`)
		got = append(got, frame)
	}
	if n := len(got); n < 2 || !strings.HasPrefix(got[0], `"session_started"`) || !strings.HasPrefix(got[n-1], `"session_ended"`) {
		t.Fatalf("%q", got)
	}
	want := []string{`"openresponses_request_started","endpoint":"https://p.example/v1","model":"m","request_index":0,"kind":"initial"}`,
		`"provider_event","provider":"openresponses","status":"event","event_name":"response.created","data":{"key":"[secret]"},"raw":null,"errors":[],"response_errors":[]}`,
		`"tool_started","tool_id":"t","name":"write","args":{"path":"a.txt"},"timeout_ms":null}`,
		`"tool_ended","tool_id":"t","exit_code":0,"duration_ms":3,"artifacts":null}`,
		`"provider_event","provider":"p","status":"event","event_name":"usage","data":{"input_tokens":1200,"model":"m","output_tokens":80},"raw":null,"errors":[],"response_errors":[]}`}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("no frame %s in\n%s", line, strings.Join(got, "\n"))
		}
	}
	if len(r.Wrong) != 4 || !strings.Contains(r.Wrong[0], "line 6: input_tokens") {
		t.Errorf("%q", r.Wrong)
	}
}

// TestReportsAreLive: a frame exists while the command is still running.
func TestReportsAreLive(t *testing.T) {
	b := newBench(t)
	done := make(chan error, 1)
	seen := filepath.Join(b.root, "seen")
	go func() {
		for e, err := range b.store.Follow(t.Context(), b.thread, 0) {
			if p, ok := e.Payload.(*thread.SideEffects); err != nil || ok {
				if ok && p.ToolName != "write" {
					err = fmt.Errorf("a frame of %s", p.ToolName)
				}
				if err == nil {
					err = os.WriteFile(seen, nil, 0o600)
				}
				done <- err
				return
			}
		}
	}()
	r := b.run(b.options("m", `echo '{"type":"tool_side_effects","tool_name":"write"}' >> "$HANDOFF_EVENTS"; until test -e seen; do sleep 0.02; done`))
	if err := <-done; err != nil || r.Reason != "completed" {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestWrongReports: invalid reports are listed, and valid ones are still stored.
func TestWrongReports(t *testing.T) {
	b := newBench(t)
	r := b.run(b.options("m", `{
		echo 'no JSON'
		echo '{"type":"tool_begun","tool_name":"write"}'
		echo '{"type":"tool_side_effects"}'
		echo '{"type":"tool_side_effects","tool_name":"write","affected_paths":["../../etc/passwd"]}'
		echo '{"type":"tool_side_effects","tool_name":"write","affected_paths":["/etc/passwd"]}'
		printf '{"type":"'; head -c 2000000 /dev/zero | tr '\0' x; echo '"}'
		echo '{"type":"tool_side_effects","tool_id":"t","tool_name":"write","affected_paths":["a.txt"]}'
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do echo x; done; } >> "$HANDOFF_EVENTS"; exit 3`))
	if got := b.effects(); !slices.Equal(got, []string{`write t ["a.txt"] none by alice`}) || r.Reason != "exit status 3" {
		t.Errorf("%q, %+v", got, r)
	}
	for i, want := range []string{"line 1: want a JSON object", `line 2: unknown type "tool_begun"`, "line 3: want the tool_name", "line 4: affected_paths:",
		"line 5: affected_paths:", "line 6: more than 1048576 bytes"} {
		if !strings.HasPrefix(r.Wrong[i], "HANDOFF_EVENTS, "+want) {
			t.Errorf("%s, want %s", r.Wrong[i], want)
		}
	}
	if n := len(r.Wrong); n != 21 || r.Wrong[20] != "HANDOFF_EVENTS: further invalid lines" {
		t.Errorf("%d: %s", n, r.Wrong[n-1])
	}
}
