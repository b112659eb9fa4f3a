package frame

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"handoff/log/bundle"

	"handoff/internal/testing/needs"
)

// made is the event without the line that it was read from.
func made(e Event) Event {
	return Event{ID: e.ID, StreamID: e.StreamID, TimestampMS: e.TimestampMS, Seq: e.Seq, Payload: e.Payload, Extra: e.Extra}
}

// roundTrip parses each line and writes it again from its values.
func roundTrip(t *testing.T, name string, src []byte) int {
	t.Helper()
	n := 0
	for line := range bytes.Lines(src) {
		n++
		line = bytes.TrimSuffix(line, []byte("\n"))
		e, err := Parse(line)
		if err != nil {
			t.Errorf("%s:%d: %v", name, n, err)
			continue
		}
		if !e.Known() {
			t.Errorf("%s:%d: %s is not known", name, n, e.Payload.Type())
		}
		if got, err := e.Line(); err != nil || !bytes.Equal(got, line) {
			t.Errorf("%s:%d: read: %v\n got %s\nwant %s", name, n, err, got, line)
		}
		if got, err := made(e).Line(); err != nil || !bytes.Equal(got, line) {
			t.Errorf("%s:%d: made: %v\n got %s\nwant %s", name, n, err, got, line)
		}
	}
	return n
}

func TestFramesRoundTrip(t *testing.T) {
	src, err := os.ReadFile("testdata/frames.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, "frames.jsonl", src)
	seen := map[string]bool{}
	for line := range bytes.Lines(src) {
		e, _ := Parse(line)
		seen[e.Payload.Type()] = true
	}
	for _, p := range everyPayload() {
		if !seen[p.Type()] {
			t.Errorf("frames.jsonl has no %s", p.Type())
		}
	}
}

func everyPayload() []Payload {
	return []Payload{&Created{}, &Message{}, &RunSpawned{}, &SelectionDecided{}, &ContextCompiled{}, &CursorUpdated{}, &CheckpointCreated{},
		&ScheduleDecided{}, &JobSpawned{}, &JobEnded{}, &RunEnded{}, &SideEffects{}, &Branched{}, &HandedOff{}, &ThreadReferenced{}, &SessionStarted{},
		&OutputDelta{}, &SessionEnded{}, &ToolStarted{}, &ToolStdout{}, &ToolStderr{}, &ToolEnded{}, &ToolFailed{}}
}

func TestEveryPayloadHasItsType(t *testing.T) {
	for _, p := range everyPayload() {
		if got := newPayload(p.Type()); reflect.TypeOf(got) != reflect.TypeOf(p) {
			t.Errorf("%s is read as %T", p.Type(), got)
		}
		want := Session
		if strings.HasPrefix(p.Type(), "continuity_") {
			want = Continuity
		}
		if got := (Event{Payload: p}).Kind(); got != want {
			t.Errorf("%s is of a %s, want %s", p.Type(), got, want)
		}
	}
}

// TestContracts reads frames and stores that RIP has written.
func TestContracts(t *testing.T) {
	contracts := needs.Folder(t, "HANDOFF_CONTRACTS")
	n := 0
	err := filepath.WalkDir(contracts, func(path string, d fs.DirEntry, err error) error {
		if base := filepath.Base(path); err != nil || base != "rip-frames.jsonl" && base != "events.jsonl" {
			return err
		}
		src, err := os.ReadFile(path)
		n += roundTrip(t, path, src)
		return err
	})
	if err != nil || n < 30 {
		t.Errorf("%d lines, %v", n, err)
	}
}

const envelope = `"id":"e","session_id":"s","timestamp_ms":1,"seq":2`

// TestParseLegacy reads the forms of older logs, which RIP still accepts.
func TestParseLegacy(t *testing.T) {
	for src, want := range map[string]Payload{
		`{` + envelope + `,"type":"session_started"}`:                           &SessionStarted{},
		`{` + envelope + `,"type":"session_started","prompt":"hello"}`:          &SessionStarted{"hello"},
		`{"type":"output","content":"ack: hello",` + envelope + `}`:             &OutputDelta{"ack: hello"},
		`{` + envelope + `,"type":"output","delta":"x"}`:                        &OutputDelta{"x"},
		`{` + envelope + `,"type":"continuity_created","workspace":"w"}`:        &Created{Workspace: "w"},
		`{` + envelope + `,"type":"continuity_created","workspace":"w"}` + "\r": &Created{Workspace: "w"},
	} {
		e, err := Parse([]byte(src))
		if err != nil || !reflect.DeepEqual(e.Payload, want) || e.ID != "e" || e.StreamID != "s" || e.TimestampMS != 1 || e.Seq != 2 {
			t.Errorf("%s: %+v, %v", src, e, err)
		}
		if line, _ := e.Line(); string(line) != src {
			t.Errorf("%s came back as %s", src, line)
		}
	}
}

// TestParseStrict has what makes RIP refuse a whole store.
func TestParseStrict(t *testing.T) {
	message := func(fields string) string {
		return `{` + envelope + `,"type":"continuity_message_appended","actor_id":"a","origin":"o",` + fields + `}`
	}
	for src, want := range map[string]string{
		``:                                     "column 1: is empty, want an object",
		`[]`:                                   "column 1: is an array, want an object",
		`{}`:                                   "id: is missing, want text",
		`{` + envelope + `}`:                   "type: is missing, want text",
		message(`"content":null`):              "content: is null, want text",
		message(`"contenT":"x"`):               "content: is missing, want text",
		message(`"content":"a","content":"b"`): "content: duplicate key",
		message(`"content":"a","seq":2`):       "seq: duplicate key",
		message(`"content":"\ud800"`):          "column 129: half of a surrogate pair",
		message(`"content":"a","x":1e999`):     "column 136: the number is out of range",
		message("\"content\":\"\xff\""):        "column 129: not UTF-8",
		`{"id":"e","session_id":"s","timestamp_ms":-1,"seq":2,"type":"x"}`:                            "timestamp_ms: is -1, want a whole number from 0 to 18446744073709551615",
		`{"id":"e","session_id":"s","timestamp_ms":1.0,"seq":2,"type":"x"}`:                           "timestamp_ms: is 1.0, want a whole number",
		`{"id":"e","session_id":"s","timestamp_ms":1,"seq":18446744073709551616,"type":"x"}`:          "seq: is 18446744073709551616, want a whole number",
		`{"id":7,"session_id":"s","timestamp_ms":1,"seq":1,"type":"x"}`:                               "id: is 7, want text",
		`{` + envelope + `,"type":"session_started","input":"a","prompt":"b"}`:                        "prompt: duplicate key",
		`{` + envelope + `,"type":"session_started","input":null}`:                                    "input: is null, want text",
		`{` + envelope + `,"type":"tool_ended","tool_id":"t","exit_code":2147483648,"duration_ms":1}`: "exit_code: is 2147483648, want",
		`{` + envelope + `,"type":"tool_started","tool_id":"t","name":"n"}`:                           "args: is missing, want a JSON value",
		`{` + envelope + `,"type":"tool_task_resized","task_id":"t","rows":65536,"cols":1}`:           "rows: is 65536, want a whole number from 0 to 65535",
		`{` + envelope + `,"type":"checkpoint_failed","action":"no","error":"e"}`:                     `action: is "no", want create or rewind`,
		`{` + envelope + `,"type":"continuity_context_selection_decided","run_session_id":"r","message_id":"m","compiler_id":"c","compiler_strategy":"s","limits":{},"resets":null,"actor_id":"a","origin":"o"}`:          "resets: is null, want an array",
		`{` + envelope + `,"type":"continuity_context_selection_decided","run_session_id":"r","message_id":"m","compiler_id":"c","compiler_strategy":"s","limits":{},"resets":[{"input":1}],"actor_id":"a","origin":"o"}`: "resets: input: is 1, want text",
	} {
		if e, err := Parse([]byte(src)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v, %+v\nwant %s", src, err, e, want)
		}
	}
}

// TestUnknownTypes: events of unknown types are read, preserved and never created.
func TestUnknownTypes(t *testing.T) {
	src := `{"x":1,` + envelope + `,"stream_kind":"artifact","type":"artifact_written","stream_id":"s","y":[ 1 ]}`
	e, err := Parse([]byte(src))
	want := &Other{Kind: "artifact_written", Stream: "artifact", Fields: []bundle.Field{{Name: "x", Value: []byte("1")}, {Name: "y", Value: []byte("[ 1 ]")}}}
	if err != nil || !reflect.DeepEqual(e.Payload, Payload(want)) || e.Known() || e.Kind() != "artifact" {
		t.Errorf("%+v, %v", e, err)
	}
	if line, err := e.Line(); err != nil || string(line) != src {
		t.Errorf("%s, %v", line, err)
	}
	if line, err := made(e).Line(); err == nil {
		t.Errorf("an unknown type was written: %s", line)
	}
}

func TestLineRefuses(t *testing.T) {
	message := func(content string, extra ...bundle.Field) Event {
		return Event{ID: "e", StreamID: "s", Payload: &Message{"a", "o", content}, Extra: extra}
	}
	for name, e := range map[string]Event{
		"no payload":         {},
		"not UTF-8":          message("\xff"),
		"extra is no JSON":   message("x", bundle.Field{Name: "y", Value: []byte("{")}),
		"extra is nothing":   message("x", bundle.Field{Name: "y"}),
		"extra is known":     message("x", bundle.Field{Name: "content", Value: []byte("1")}),
		"extra is envelope":  message("x", bundle.Field{Name: "stream_id", Value: []byte("1")}),
		"limits are no JSON": {Payload: &SelectionDecided{}},
		"doubled in a value": {Payload: &JobSpawned{Details: []byte(`{"a":1,"a":2}`)}},
		"wrong other":        {Payload: &Other{Kind: "checkpoint_failed"}},
		"paths not UTF-8":    {Payload: &SideEffects{AffectedPaths: []string{"\xff"}}},
	} {
		if line, err := e.Line(); err == nil {
			t.Errorf("%s: %s", name, line)
		}
	}
	e := Event{Payload: &JobSpawned{Details: []byte("{ \"b\": 1.0,\n\"a\": [\"<\\u00e9\"] }")}}
	if line, err := e.Line(); err != nil || !strings.Contains(string(line), `"details":{"a":["<é"],"b":1.0}`) {
		t.Errorf("%s, %v", line, err)
	}
}

// FuzzParse: a line that was read is written byte for byte, and a line that is
// written from its values has the same content.
func FuzzParse(f *testing.F) {
	src, err := os.ReadFile("testdata/frames.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(src) {
		f.Add(line)
	}
	f.Add([]byte(`{` + envelope + `,"type":"output","content":"\ud83d\ude00","x":[1e5]}`))
	f.Add([]byte(`{` + envelope + `,"type":"unknown","x":1,"x":2}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := Parse(line)
		if err != nil {
			return
		}
		if back, err := e.Line(); err != nil || !bytes.Equal(back, bytes.TrimSuffix(line, []byte("\n"))) || !utf8.Valid(back) {
			t.Fatalf("%q came back as %q, %v", line, back, err)
		}
		once, err := made(e).Line()
		if err != nil {
			return // of an unknown type, or with a field twice: RIP reads it, we do not write it
		}
		again, err := Parse(once)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := made(again).Line()
		if err != nil || !bytes.Equal(once, twice) || fmt.Sprint(e.Kind(), e.Payload.Type(), e.ID, e.Seq) != fmt.Sprint(again.Kind(), again.Payload.Type(), again.ID, again.Seq) {
			t.Fatalf("%q, then %q, %v", once, twice, err)
		}
	})
}
