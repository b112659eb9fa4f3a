package bundle

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/log/artifact"
)

// The first two are RIP's own bytes, from its tests and its writers.
const (
	ripHandoff = `{"schema":"rip.handoff_context_bundle.v1","summary_markdown":"# Summary\n\n- hello","refs":{"threads":[{"thread_id":"11111111-1111-4111-8111-111111111111","seq":3,"message_id":"22222222-2222-4222-8222-222222222222","note":"source cut"}],"artifacts":[],"files":[]}}`
	ripContext = `{"schema":"rip.context_bundle.v1","compiler":{"id":"rip.context_compiler.v1","strategy":"summaries_recent_messages_v1"},"source":{"thread_id":"11111111-1111-4111-8111-111111111111","from_seq":8,"from_message_id":"22222222-2222-4222-8222-222222222222"},"provenance":{"run_session_id":"33333333-3333-4333-8333-333333333333","actor_id":"user","origin":"cli"},"items":[{"type":"summary_ref","artifact_id":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","note":"compaction checkpoint to_seq=1"},{"type":"message","role":"user","content":"Ship it.","actor_id":"user","origin":"cli","thread_seq":7,"thread_event_id":"22222222-2222-4222-8222-222222222222"},{"type":"message","role":"assistant","content":"ack: Ship it.","actor_id":null,"origin":null,"thread_seq":null,"thread_event_id":null}]}`
	ripSummary = `{"schema":"rip.compaction_summary.v1","kind":"cumulative_v1","coverage":{"thread_id":"11111111-1111-4111-8111-111111111111","from_seq":0,"to_seq":9,"to_message_id":"22222222-2222-4222-8222-222222222222"},"provenance":{"actor_id":"user","origin":"cli","produced_by":{"type":"job","id":"66666666-6666-4666-8666-666666666666"}},"basis":{"base_summary_artifact_id":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"},"summary_markdown":"# Compaction summary (auto)\n…"}`
)

// canon reads and writes a document of any of the three kinds.
func canon(src string) (string, error) {
	switch SchemaOf([]byte(src)) {
	case HandoffSchema:
		v, err := ParseHandoff([]byte(src))
		return string(v.Bytes()), err
	case ContextSchema:
		v, err := ParseContext([]byte(src))
		return string(v.Bytes()), err
	case SummarySchema:
		v, err := ParseSummary([]byte(src))
		return string(v.Bytes()), err
	}
	return "", errors.New("no schema")
}

func TestOwnBytesOfRIP(t *testing.T) {
	for _, src := range []string{ripHandoff, ripContext, ripSummary} {
		if got, err := canon(src); err != nil || got != src {
			t.Errorf("%v\n got %s\nwant %s", err, got, src)
		}
	}
}

// TestGoldenStore reads the blobs of a store that RIP itself wrote.
func TestGoldenStore(t *testing.T) {
	s, err := artifact.Open(filepath.Join(needs.Folder(t, "HANDOFF_CONTRACTS"), "rip-golden-store", "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for info, err := range s.List() {
		if err != nil {
			t.Error(err)
			continue
		}
		src, err := s.Get(info.ID)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, err := canon(string(src)); err != nil || got != string(src) {
			t.Errorf("%s: %v\n got %s\nwant %s", info.ID, err, got, src)
		}
		n++
	}
	if n == 0 {
		t.Error("the store holds no blobs")
	}
}

// TestForm reads a document in another form: it is written in the byte form.
func TestForm(t *testing.T) {
	src := "\n{ \"x\" : {\"b\":1.50, \"a\":[ 1e400 , -0 ,\ttrue]},\r\n" + `
	  "refs": {"files": [{"note": "<&>\u2028\u0001\u001f\b\/\ud83d\ude00é", "path": "a/é.go", "z": null}], "more": [],
	    "artifacts": [{"artifact_id": "` + strings.Repeat("0a", 32) + `"}],
	    "threads": [{"seq": 9007199254740993, "thread_id": "t"}, {"seq": 18446744073709551615, "thread_id": "t", "message_id": ""}]},
	  "summary_markdown": "", "schema": "rip.handoff_context_bundle.v1", "\"": {} }` + "\n"
	want := `{"schema":"rip.handoff_context_bundle.v1","summary_markdown":"","refs":{"threads":[` +
		`{"thread_id":"t","seq":9007199254740993,"message_id":null,"note":null},` +
		`{"thread_id":"t","seq":18446744073709551615,"message_id":"","note":null}],` +
		`"artifacts":[{"artifact_id":"` + strings.Repeat("0a", 32) + `","note":null}],` +
		`"files":[{"path":"a/é.go","note":"<&>` + "\u2028" + `\u0001\u001f\b/😀é","z":null}],"more":[]},` +
		`"x":{"b":1.50,"a":[1e400,-0,true]},"\"":{}}`
	h, err := ParseHandoff([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(h.Bytes()); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if h.Refs.Threads[0].Seq != 1<<53+1 {
		t.Errorf("seq %d", h.Refs.Threads[0].Seq)
	}
	if h.ID() != artifact.Sum([]byte(want)) {
		t.Error("the id is not the hash of the bytes")
	}
}

func TestUnknownItems(t *testing.T) {
	item := `{"type":"file_ref","path":"../x","checkpoint_id":7}`
	src := strings.Replace(ripContext, `"items":[`, `"items":[`+item+`,`, 1)
	c, err := ParseContext([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := OtherItem{"file_ref", []Field{{"path", json.RawMessage(`"../x"`)}, {"checkpoint_id", json.RawMessage("7")}}}
	if !reflect.DeepEqual(c.Items[0], Item(want)) || string(c.Bytes()) != src {
		t.Errorf("%#v\n%s", c.Items[0], c.Bytes())
	}
}

// TestAllProblemsAtOnce reads a document with nearly every kind of problem.
func TestAllProblemsAtOnce(t *testing.T) {
	src := `{
  "schema": "rip.handoff_context_bundle.v2",
  "summary_markdown": null,
  "x/~": {"a": 1, "a": 2},
  "refs": {
    "threads": [{"thread_id": "", "seq": -1, "message_id": 4}, {"seq": 1.0}, "t"],
    "artifacts": [{"artifact_id": "../../etc/passwd", "note": "\ud800"}],
    "files": [{"path": "/etc/passwd"}, {"path": "a/../../b"}, {"path": "a\\b"}, {"path": ""}, {}]
  },
  "refs": {}
}`
	want := []string{
		`2:13: /schema: is "rip.handoff_context_bundle.v2", want "rip.handoff_context_bundle.v1"`,
		`3:23: /summary_markdown: is null, want text`,
		`4:19: /x~1~0/a: duplicate key: keep one of them`,
		`6:31: /refs/threads/0/thread_id: is empty, want what it refers to`,
		`6:42: /refs/threads/0/seq: is -1, want a whole number from 0 to 18446744073709551615`,
		`6:60: /refs/threads/0/message_id: is 4, want text`,
		`6:64: /refs/threads/1/thread_id: is missing, want text`,
		`6:72: /refs/threads/1/seq: is 1.0, want a whole number from 0 to 18446744073709551615`,
		`6:78: /refs/threads/2: is text, want an object`,
		`7:35: /refs/artifacts/0/artifact_id: is "../../etc/passwd", want 64 digits of lower-case hex`,
		`7:64: /refs/artifacts/0/note: half of a surrogate pair (\ud800): write the character itself`,
		`8:24: /refs/files/0/path: is "/etc/passwd", want a path below the workspace, with forward slashes`,
		`8:49: /refs/files/1/path: is "a/../../b", want a path below the workspace, with forward slashes`,
		`8:72: /refs/files/2/path: is "a\\b", want a path below the workspace, with forward slashes`,
		`8:90: /refs/files/3/path: is empty, want a path below the workspace, with forward slashes`,
		`8:95: /refs/files/4/path: is missing, want a path below the workspace, with forward slashes`,
		`10:3: /refs: duplicate key: keep one of them`,
	}
	h, err := ParseHandoff([]byte(src))
	var invalid *Invalid
	if !errors.As(err, &invalid) || invalid.Schema != HandoffSchema || !reflect.DeepEqual(h, Handoff{}) {
		t.Fatal(err)
	}
	if got := strings.Split(err.Error(), "\n"); !slices.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestNotJSON(t *testing.T) {
	deep := func(n int) string {
		return strings.Replace(ripSummary, "{", `{"x":`+strings.Repeat("[", n)+strings.Repeat("]", n)+",", 1)
	}
	for src, want := range map[string]string{
		"":                          "1:1: not JSON: end of the file: want a value",
		"{\n\"a\" 1}":               "2:5: not JSON: '1': want ':' after the key",
		`{} {}`:                     "1:4: not JSON: '{' after the end of the value",
		"\ufeff{}":                  "1:1: not JSON: '\\ufeff': want a value",
		"{\"a\":\n\"\xff\"}":        "2:2: not UTF-8",
		"[]":                        "1:1: is an array, want an object",
		"null":                      "1:1: is null, want an object",
		deep(200):                   "1:105: /x/0",
		strings.Repeat("[", 20_000): "1:10001: not JSON: nested more than 10000 deep",
	} {
		_, err := ParseSummary([]byte(src))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", src, err, want)
		}
	}
	if _, err := ParseSummary([]byte(deep(99))); err != nil {
		t.Error(err)
	}
	many := `{"x":[` + strings.Repeat(`{"a":1,"a":1},`, 5000) + `0]}`
	_, err := ParseSummary([]byte(many))
	if lines := strings.Split(err.Error(), "\n"); len(lines) != maxProblems+1 || !strings.Contains(lines[maxProblems], "more problems") {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}

// TestCheck checks values that a caller has built wrongly.
func TestCheck(t *testing.T) {
	good := Handoff{Refs: Refs{Threads: []ThreadRef{{ThreadID: "t"}}}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, h := range map[string]Handoff{
		"no id":           {Refs: Refs{Artifacts: []ArtifactRef{{}}}},
		"absolute":        {Refs: Refs{Files: []FileRef{{Path: "/a"}}}},
		"known as extra":  {Extra: []Field{{"refs", json.RawMessage("1")}}},
		"extra twice":     {Extra: []Field{{"x", json.RawMessage("1")}, {"x", json.RawMessage("1")}}},
		"extra not JSON":  {Extra: []Field{{"x", json.RawMessage("{")}}},
		"extra not there": {Extra: []Field{{"x", nil}}},
		"extra not UTF-8": {Extra: []Field{{"x", json.RawMessage("\xff")}}},
	} {
		if err := h.Check(); err == nil {
			t.Errorf("%s: %s passes", name, h.Bytes())
		}
	}
	if _, err := ParseContext((Context{Items: []Item{Message{Role: "tool"}}}).Bytes()); err == nil {
		t.Error("an unknown role passes")
	}
	if _, err := (Summary{}).Checked(); err == nil {
		t.Error("a summary of no thread passes")
	}
}
