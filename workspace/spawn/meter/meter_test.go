package meter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"handoff/agents"
	"handoff/agents/transcript"
)

// codexCall is a line of a transcript with what a call used, and so far all calls.
func codexCall(used, sum int) string {
	return fmt.Sprintf(`{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":%d,"total_tokens":%[1]d},"total_token_usage":{"input_tokens":%d,"total_tokens":%[2]d},"model_context_window":1000}}}`, used, sum) + "\n"
}

// metered is a meter of an agent whose stream does not report what calls use, and the
// path of its transcript.
func metered(t *testing.T, resume bool, watch func(Progress) error) (m *Meter, path string, interrupted *error) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "rollout-s1.jsonl")
	add(t, path, `{"timestamp":"t","type":"session_meta","payload":{"id":"s1","cwd":"/w"}}`+"\n")
	if resume {
		add(t, path, codexCall(300, 300))
	}
	a := agents.Agent{Name: "quiet", Stream: "codex", SessionEnv: "QUIET_SESSION", Transcripts: agents.Transcripts{Folder: dir, Files: "rollout-*{session}.jsonl", Format: "codex"}, Context: agents.Context{At: 1000}}
	interrupted = new(error)
	session := ""
	if resume {
		session = "s1"
	}
	o := Options{Agent: a, Resumed: session, Event: func(Event) {}, Watch: watch, Interrupt: func(err error) { *interrupted = err }}
	return Start(o), path, interrupted
}

func add(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

const begun = `{"type":"thread.started","thread_id":"s1"}` + "\n"

// TestMeterReadsTheTranscript: where the stream does not report what calls use, the
// gauge is that of the transcript, and what a resumed session used before is not counted.
func TestMeterReadsTheTranscript(t *testing.T) {
	for _, resume := range []bool{false, true} {
		var seen []Progress
		m, path, _ := metered(t, resume, func(p Progress) error { seen = append(seen, p); return nil })
		m.Write([]byte(begun))
		add(t, path, codexCall(400, 700))
		m.Write([]byte(`{"type":"item.completed","item":{"type":"agent_message","text":"I look."}}` + "\n"))
		add(t, path, codexCall(500, 1200))
		m.Close()
		if n := len(seen); n != 2 || seen[0].Used != 400 || seen[1].Used != 500 || seen[1].Left != 500 || seen[1].Turn != (transcript.Total{Calls: 2, Tokens: 900}) {
			t.Errorf("resumed: %t: %+v", resume, seen)
		}
	}
}

// TestMeterInterrupts: the agent is interrupted once, with the reason.
func TestMeterInterrupts(t *testing.T) {
	enough := errors.New("enough")
	calls := 0
	m, path, interrupted := metered(t, false, func(Progress) error { calls++; return enough })
	m.Write([]byte(begun))
	add(t, path, codexCall(400, 400))
	m.Write([]byte(`{"type":"turn.started"}` + "\n"))
	add(t, path, codexCall(500, 900))
	m.Close()
	if calls != 1 || m.stopped != enough || !errors.Is(*interrupted, enough) {
		t.Errorf("%d calls, stopped by %v, interrupted with %v", calls, m.stopped, *interrupted)
	}
}

// TestMeterFollowsAnotherFile: a session may continue in a new file, which has the old
// calls, too.
func TestMeterFollowsAnotherFile(t *testing.T) {
	m, path, _ := metered(t, true, nil)
	m.Write([]byte(begun))
	m.last = m.total()
	again := filepath.Join(filepath.Dir(path), "rollout-2-s1.jsonl")
	add(t, again, `{"timestamp":"t","type":"session_meta","payload":{"id":"s1","cwd":"/w"}}`+"\n"+codexCall(300, 300))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	m.find("s1")
	add(t, again, codexCall(450, 750))
	m.session()
	if got := m.total(); got != (transcript.Total{Calls: 1, Tokens: 450}) {
		t.Errorf("%+v", got)
	}
	m.Close()
}

// TestMeterReadsAnEmptyTranscript: an agent creates the file before it writes to it. Until
// then no other session is read, such as that of an agent that runs `handoff relay`.
func TestMeterReadsAnEmptyTranscript(t *testing.T) {
	var seen []Progress
	m, path, _ := metered(t, false, func(p Progress) error { seen = append(seen, p); return nil })
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	t.Setenv("QUIET_SESSION", "s0")
	add(t, filepath.Join(filepath.Dir(path), "rollout-s0.jsonl"), `{"timestamp":"t","type":"session_meta","payload":{"id":"s0","cwd":"/w"}}`+"\n"+codexCall(900, 900))
	m.Write([]byte(begun))
	m.update()
	add(t, path, `{"timestamp":"t","type":"session_meta","payload":{"id":"s1","cwd":"/w"}}`+"\n"+codexCall(400, 400))
	m.update()
	m.Close()
	if len(seen) != 1 || seen[0].Used != 400 || seen[0].Turn != (transcript.Total{Calls: 1, Tokens: 400}) {
		t.Errorf("%+v", seen)
	}
}

// TestChosenSession: the transcript of a session whose id we chose is read before the host prints the id,
// which some do at the end.
func TestChosenSession(t *testing.T) {
	dir := t.TempDir()
	var seen []Progress
	var events []Event
	a := agents.Agent{Name: "quiet", Stream: "codex", Transcripts: agents.Transcripts{Folder: dir, Files: "rollout-*{session}.jsonl", Format: "codex"}, Context: agents.Context{At: 1000}}
	m := Start(Options{Agent: a, Chosen: "s1", Event: func(e Event) { events = append(events, e) }, Watch: func(p Progress) error { seen = append(seen, p); return nil }, Interrupt: func(error) {}})
	m.update()
	if len(events)+len(seen) > 0 {
		t.Errorf("before it exists: %+v, %+v", events, seen)
	}
	add(t, filepath.Join(dir, "rollout-s1.jsonl"), `{"timestamp":"t","type":"session_meta","payload":{"id":"s1","cwd":"/w"}}`+"\n"+codexCall(400, 400))
	m.update()
	m.update()
	r := m.Close()
	if len(seen) != 1 || seen[0].Used != 400 || len(events) != 1 || events[0] != (Event{Kind: "session", Session: "s1"}) || r.Found != "s1" {
		t.Errorf("%+v, %+v, %+v", events, seen, r)
	}
}
