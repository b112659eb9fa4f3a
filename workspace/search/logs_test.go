package search

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/workspace"
)

// logged makes a workspace with logs, by their paths below .handoff; the last is the newest.
func logged(t *testing.T, logs ...[2]string) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	for i, log := range logs {
		path := filepath.Join(root, workspace.StateDir, log[0])
		at := time.Date(2026, 2, 12, 12, 0, i, 0, time.UTC)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(log[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// frames are lines of a thread or a run: type and members of each.
func frames(id string, events ...[2]string) string {
	var b strings.Builder
	for i, e := range events {
		fmt.Fprintf(&b, `{"id":"e%d","session_id":"%s","timestamp_ms":%d,"seq":%d,"type":"%s"%s}`+"\n", i, id, 1770897600000+i, i, e[0], e[1])
	}
	return b.String()
}

const (
	created = "continuity_created"
	message = "continuity_message_appended"
	spawned = "continuity_run_spawned"
	effects = "continuity_tool_side_effects"
	delta   = "output_text_delta"
)

func someLogs(t *testing.T) *workspace.Workspace {
	return logged(t,
		[2]string{"threads.jsonl", `{"type":"created","thread_id":"a","title":"first"}` + "\n" + `{"type":"renamed","thread_id":"a","title":"The grammar"}` + "\n"},
		[2]string{"sessions/r.jsonl", frames("r", [2]string{"session_started", `,"input":"go"`}, [2]string{delta, `,"delta":"the to"`}, [2]string{delta, `,"delta":"ken \"was\" lost\nAKIAIOSFODNN7EXAMPLQ key\n"`})},
		[2]string{"sessions.jsonl", `{"session_id":"k","frames":[{"type":"session_started","input":"mend"},{"type":"output_text_delta","delta":"ack: mend"}]}` + "\n" +
			`{"session_id":"l","frames":[{"type":"session_started","input":"x"},{"type":"output_text_delta","delta":"a ban"},{"type":"output_text_delta","delta":"yan"}]}` + "\n"},
		[2]string{"threads/a.jsonl", frames("a", [2]string{created, `,"title":"first"`}, [2]string{message, `,"actor_id":"user","content":"Mend the LEXER\nand the größe"`},
			[2]string{spawned, `,"run_session_id":"r"`}, [2]string{effects, `,"run_session_id":"r","tool_name":"write","affected_paths":["src/a.go","src/b.go"]`}, [2]string{spawned, `,"run_session_id":"l"`})},
		[2]string{"threads/b.jsonl", frames("b", [2]string{created, ``}, [2]string{message, `,"content":"mend it"`}, [2]string{spawned, `,"run_session_id":"k"`},
			[2]string{"continuity_handoff_created", `,"summary_markdown":"left: the lexer"`}) + `{"type":"continuity_message_appended","content":"torn`},
		[2]string{"tape/a%3Ab.jsonl", `{"id":1,"kind":"anchor","payload":{"name":"x"},"meta":{"lexer":1}}` + "\n" +
			`{"id":2,"kind":"tool_call","payload":{"arguments":"{\"path\":\"src/a.go\"}"},"date":"2026-02-12T12:00:05Z"}` + "\n"},
	)
}

// TestLogs: a thread or a tape is found if it has all words, with the event that has the most.
func TestLogs(t *testing.T) {
	ws := someLogs(t)
	for query, want := range map[string][]string{
		"a.go":          {"a side_effects 3 src/a.go [src/a.go]", "a:b entry 2 src/a.go [src/a.go]"},
		"WRITE":         {"a side_effects 3 write [src/a.go src/b.go]"},
		"mend":          {"b message 1 mend it []", "a message 1 Mend the LEXER []"},
		"lexer mend":    {"a message 1 Mend the LEXER []", "b message 1 mend it []"},
		"lexer":         {"b summary 3 left: the lexer []", "a message 1 Mend the LEXER []"},
		"größe":         {"a message 1 and the größe []"},
		"token":         {`a answer 2 the token "was" lost []`},
		`"was" b.go`:    {`a answer 2 the token "was" lost [src/b.go]`}, // in two events
		"key":           {"a answer 2 [secret] key []"},
		"banyan":        {"a answer 4 a banyan []"},
		"grammar":       {"a title 0 The grammar []"},
		"torn":          nil,
		"ack:":          nil, // an acknowledgement is no answer
		"lexer missing": nil,
		"tool_name":     nil, // a key of JSON
		"":              nil,
	} {
		r, err := Run(t.Context(), ws, Request{Query: query})
		var got []string
		for _, h := range r.Logs {
			got = append(got, fmt.Sprintf("%s%s %s %d %s %v", h.ThreadID, h.Tape, h.Kind, h.Seq, h.Text, h.Paths))
		}
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || r.LogsTotal != len(want) || !slices.Equal(got, want) {
			t.Errorf("%q: %d\n got %q, %v\nwant %q", query, r.LogsTotal, got, err, want)
		}
	}
	if r, err := Run(t.Context(), ws, Request{Query: "lexer", Limit: 1}); err != nil || len(r.Logs) != 1 || r.LogsTotal != 2 || r.Logs[0].ThreadID != "b" {
		t.Errorf("the newest: %+v, %v", r, err)
	}
	r, err := Run(t.Context(), ws, Request{Query: "a.go", Since: time.Date(2026, 2, 12, 12, 0, 4, 0, time.UTC)})
	if err != nil || len(r.Logs) != 1 || r.Logs[0].Open != "handoff tape read --tape a:b --from-id 2 --limit 1" {
		t.Errorf("since: %+v, %v", r, err)
	}
	if r, err := Run(t.Context(), ws, Request{Query: "a.go", Task: new(1)}); err != nil || r.LogsTotal != 0 {
		t.Errorf("of a task: %+v, %v", r, err)
	}
}

// TestLongLine: a word of a run's output is found wherever two frames split it, also in a line that is longer than what is searched together.
func TestLongLine(t *testing.T) {
	output := [][2]string{{"session_started", `,"input":"go"`}}
	for i := range 200 {
		output = append(output, [2]string{delta, fmt.Sprintf(`,"delta":"d%d %s wo"`, i, strings.Repeat("x", 1000))}, [2]string{delta, fmt.Sprintf(`,"delta":"rd%d "`, i)})
	}
	ws := logged(t, [2]string{"sessions/r.jsonl", frames("r", output...)},
		[2]string{"threads/a.jsonl", frames("a", [2]string{created, ``}, [2]string{spawned, `,"run_session_id":"r"`})})
	for i := range 200 {
		if r, err := Run(t.Context(), ws, Request{Query: fmt.Sprintf("word%d", i)}); err != nil || r.LogsTotal != 1 {
			t.Errorf("word%d: %d, %v", i, r.LogsTotal, err)
		}
	}
}

// TestLogsEnd: a search that reaches a limit says so, and of a large log the end is searched.
func TestLogsEnd(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, `{"type":"continuity_message_appended","seq":%d,"actor_id":"user","content":"number %d"}`+"\n", i, i)
	}
	ws := logged(t, [2]string{"threads/a.jsonl", many.String()}, [2]string{"threads/b.jsonl", many.String()})
	short := func(left int64, parsed int, words ...string) *logs {
		l := newLogs(t.Context(), ws, words, time.Time{})
		l.left, l.parsed = left, maxParsed-parsed
		l.search()
		return l
	}
	if l := short(10_000, 1000, "2999"); len(l.hits) != 1 || l.hits[0].ThreadID != "b" || l.hits[0].Seq != 2999 || !strings.Contains(l.stopped(), "MiB") {
		t.Errorf("%+v, %q", l.hits, l.stopped())
	}
	if l := short(maxLogBytes, 1000, "user"); len(l.hits) != 0 || !strings.Contains(l.stopped(), "a rarer one") {
		t.Errorf("%+v, %q", l.hits, l.stopped())
	}
	if l := short(maxLogBytes, 1000, "2999"); len(l.hits) != 2 || l.stopped() != "" || l.unread != nil {
		t.Errorf("%+v, %q, %v", l.hits, l.stopped(), l.unread)
	}
}

// TestLogsAreNotLinks: a log that is a link is reported, not followed.
func TestLogsAreNotLinks(t *testing.T) {
	ws := someLogs(t)
	path := filepath.Join(ws.Root, workspace.StateDir, "threads", "c.jsonl")
	if err := os.Symlink("a.jsonl", path); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), ws, Request{Query: "LEXER"})
	if err == nil || !strings.Contains(err.Error(), "c.jsonl") || r.LogsTotal != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestScan: lines are found whatever the sizes of blocks and lines.
func TestScan(t *testing.T) {
	long := strings.Repeat("x", blockBytes+7)
	text := "one needle\n" + long + "\nNEEDLE two" + long + "\n" + long + "needle\n\nneedle without an end"
	var got []int
	err := scan(t.Context(), strings.NewReader(text), needlesOf([]string{"needle"}), func(text, low []byte) bool {
		got = append(got, len(text))
		return true
	})
	if want := []int{10, 10 + len(long), len(long) + 6}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}
