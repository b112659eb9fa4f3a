package main

import (
	"fmt"
	"io"
	"strings"
)

// threadID is the stream that all frames belong to.
const threadID = "11111111-1111-4111-8111-111111111111"

// checkpointEvery is how many messages a compaction covers.
const checkpointEvery = 100

// thread writes frames up to a given number.
type thread struct {
	w    io.Writer
	id   string
	seq  int
	left int
}

// id returns an id in the format of a random UUID. kind distinguishes ids with
// the same number.
func id(kind byte, n int) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", n, n%0xffff, kind, n%0xfff, n)
}

// blob returns the name of an artifact.
func blob(kind byte, n int) string { return fmt.Sprintf("%02x%062x", kind, n) }

// frame writes one frame with the common envelope. Later frames refer to a
// message by its event id.
func (t *thread) frame(eventID, kind, payload string) {
	if t.left == 0 {
		return
	}
	fmt.Fprintf(t.w, `{"id":"%s","session_id":"%s","stream_kind":"continuity","stream_id":"%s","timestamp_ms":%d,"seq":%d,"type":"continuity_%s",%s}`+"\n",
		eventID, t.id, t.id, 1769092800000+10*t.seq, t.seq, kind, payload)
	t.seq++
	t.left--
}

func (t *thread) event(kind, payload string) { t.frame(id('e', t.seq), kind, payload) }

func (t *thread) generate() {
	t.event("created", `"workspace":"/home/u/proj","title":"a long one"`)
	for n := 1; t.left > 0; n++ {
		t.turn(n)
		if n%checkpointEvery == 0 {
			t.checkpoint(n)
		}
	}
}

const by = `"actor_id":"user","origin":"cli"`

// turn is a message and the run that it starts: seven frames, or eight.
func (t *thread) turn(n int) {
	message, run := id('m', n), id('r', n)
	messageSeq := t.seq
	of := fmt.Sprintf(`"run_session_id":"%s","message_id":"%s"`, run, message)
	t.frame(message, "message_appended", by+fmt.Sprintf(`,"content":"step %d: %s"`, n, strings.Repeat("look at the next file and mend it. ", 1+n%5)))
	t.event("run_spawned", of+","+by)
	t.event("context_selection_decided", of+`,"compiler_id":"rip.context_compiler.v1","compiler_strategy":"recent_messages_v1",`+
		`"limits":{"hierarchical_summaries_v1_max_refs":3,"recent_messages_v1_limit":16},`+
		`"reason":{"cause":"no_compaction_checkpoint","selected":"recent_messages_v1"},`+by)
	t.event("context_compiled", fmt.Sprintf(`"run_session_id":"%s","bundle_artifact_id":"%s","compiler_id":"rip.context_compiler.v1",`+
		`"compiler_strategy":"recent_messages_v1","from_seq":%d,"from_message_id":"%s",%s`, run, blob('b', n), messageSeq, message, by))
	for k := range 1 + n%2 {
		t.event("tool_side_effects", fmt.Sprintf(`"run_session_id":"%s","tool_id":"%s","tool_name":"write","affected_paths":["src/file%d.go"],"checkpoint_id":"%s",%s`,
			run, id('t', 2*n+k), n%300, id('c', 2*n+k), by))
	}
	t.event("provider_cursor_updated", fmt.Sprintf(`"provider":"openresponses","endpoint":"http://127.0.0.1:9/v1/responses","model":"m",`+
		`"cursor":{"previous_response_id":"resp_%d"},"action":"set","reason":"run_completed","run_session_id":"%s",%s`, n, run, by))
	t.event("run_ended", of+`,"reason":"completed",`+by)
}

// checkpoint summarizes all messages so far.
func (t *thread) checkpoint(n int) {
	own := id('k', n)
	t.frame(own, "compaction_checkpoint_created", fmt.Sprintf(`"checkpoint_id":"%s","cut_rule_id":"manual_v1","summary_kind":"cumulative_v1",`+
		`"summary_artifact_id":"%s","from_seq":0,"to_seq":%d,"to_message_id":"%s",%s`, own, blob('s', n), t.seq-1, id('m', n), by))
}
