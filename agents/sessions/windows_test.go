package sessions_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"handoff/agents"
	"handoff/agents/sessions"
	"handoff/agents/transcript"
	"handoff/agents/transcript/gauge"
)

// recorded is what a real agent printed, or kept as its transcript.
type recorded struct {
	agent, file string
	model       string // of its calls
	window      int    // that it reported
	known       bool   // by the table
}

// streams are of Claude Code 2.1.330, Codex 0.169.0 and Copilot, which ran against a scripted model.
var streams = []recorded{
	{"claude", "testdata/claude-opus-5-5.jsonl", "claude-opus-5-5", 1_000_000, true},
	{"claude", "testdata/claude-haiku-5-5.jsonl", "claude-haiku-5-5", 1_000_000, true},
	{"claude", "testdata/claude-fable-5-1.jsonl", "claude-fable-5-1", 1_000_000, true},
	{"claude", "testdata/claude-sonnet-4-5.jsonl", "claude-sonnet-4-5", 200_000, true},
	{"claude", "testdata/claude-sonnet-4-5-1m.jsonl", "claude-sonnet-4-5[1m]", 1_000_000, true},
	{"claude", "testdata/claude-nova-9.jsonl", "claude-nova-9", 1_000_000, false}, // that no table knows
	{"codex", "../transcript/testdata/codex.jsonl", "fake", 258_400, false},
	{"copilot", "../transcript/testdata/copilot.jsonl", "fake", 128_000, false},
}

func (r recorded) session(t *testing.T) *transcript.Session {
	t.Helper()
	src, err := os.ReadFile(filepath.FromSlash(r.file))
	if err != nil {
		t.Fatal(err)
	}
	a := builtin(t, r.agent)
	format := transcript.Formats[a.Stream]
	if len(r.file) > 2 && r.file[:2] == ".." {
		format = transcript.Formats[a.Transcripts.Format]
	}
	var s transcript.Session
	for line := range bytes.Lines(src) {
		if record, ok := format(line); ok {
			s.Add(record)
		}
	}
	return &s
}

func builtin(t *testing.T, name string) agents.Agent {
	t.Helper()
	a, err := agents.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// at is a session of the same model whose host reports no window, as a hook reads it.
func (r recorded) at(id string, used int) *transcript.Session {
	s := &transcript.Session{}
	s.Add(transcript.Record{Session: id, Model: r.model, Call: "1", Input: used})
	return s
}

// TestRecordedWindows: what one reader is told about a window counts for all others: the
// session itself, another one of its model, and not for other models.
func TestRecordedWindows(t *testing.T) {
	for _, r := range streams {
		t.Run(r.agent+" "+filepath.Base(r.file), func(t *testing.T) {
			home := t.TempDir()
			getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
			a := builtin(t, r.agent)
			read := func(s *transcript.Session) gauge.Reading {
				return sessions.ReadGauge(a, s, 0, sessions.Progress{}, getenv)
			}
			check := func(what string, s *transcript.Session, from string) {
				t.Helper()
				limit, window := a.Context.Limit(agents.Facts{Window: r.window})
				if from == "" {
					limit, window = 0, 0
				}
				got := read(s)
				if got.Limit != limit || got.Window != window || got.From != from || got.Measured != (from == "session" || from == "host") {
					t.Errorf("%s: %d of %d from %q, want %d of %d from %q", what, got.Limit, got.Window, got.From, limit, window, from)
				}
			}
			s := r.session(t)
			check("itself", s, "session")
			if s.Model != r.model {
				t.Errorf("its model is %s, want %s", s.Model, r.model)
			}
			table := ""
			if r.known {
				table = "table" // which must not contradict the host
			}
			full := r.at("other", r.window*149/1000)
			check("before it is learned", full, table)
			if _, kind, note := (gauge.State{Begun: true}).Step(read(full)); note {
				t.Errorf("noted at 15%% of the window: %s", kind)
			}
			if err := sessions.Learn(t.Context(), a, s, getenv); err != nil {
				t.Fatal(err)
			}
			check("a hook of the session", r.at(s.ID, r.window/2), "session")
			check("another session", full, "host")
			full = r.at("other", r.window*19/20)
			if _, kind, note := (gauge.State{Begun: true}).Step(read(full)); (kind != gauge.Mark || !note) && a.Context.Percent != 0 {
				t.Errorf("not noted at 95%% of the window: %s", kind)
			}
			other := r
			other.model = "another"
			check("another model", other.at(cmp.Or(s.ID, "x"), 1000), "")
		})
	}
}

// TestChosenSize: the records of calls leave out the size that was chosen for the context. A hook of that
// session knows it all the same.
func TestChosenSize(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	a := builtin(t, "claude")
	for _, one := range streams[3:5] {
		if err := sessions.Learn(t.Context(), a, one.session(t), getenv); err != nil {
			t.Fatal(err)
		}
	}
	small, large := streams[3], streams[4]
	large.model = small.model
	id := streams[4].session(t).ID
	if g := sessions.ReadGauge(a, large.at(id, 150_000), 0, sessions.Progress{}, getenv); g.Window != 1_000_000 || g.From != "session" {
		t.Errorf("the session that chose: %d from %s", g.Window, g.From)
	}
	if g := sessions.ReadGauge(a, small.at("other", 150_000), 0, sessions.Progress{}, getenv); g.Window != 200_000 || g.From != "host" {
		t.Errorf("another one: %d from %s", g.Window, g.From)
	}
}

// TestNotLearned: what a program reports that the repository names, and what cannot be true,
// counts for no other session, and nonsense not even for its own.
func TestNotLearned(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	a := builtin(t, "claude")
	for _, c := range []struct {
		window, used int
		overridden   bool
		want         int // of the session itself
	}{{300_000, 1000, true, 300_000}, {-1, 1000, false, 1_000_000}, {12, 1000, false, 1_000_000}, {1 << 40, 1000, false, 1_000_000}, {100_000, 150_000, false, 1_000_000}} {
		s := streams[0].at("a", c.used)
		s.Window, s.WindowOf = c.window, s.Model
		a.Overridden = c.overridden
		if err := sessions.Learn(t.Context(), a, s, getenv); err != nil {
			t.Fatal(err)
		}
		if g := sessions.ReadGauge(a, s, 0, sessions.Progress{}, getenv); g.Window != c.want {
			t.Errorf("%d: its own window is %d, want %d", c.window, g.Window, c.want)
		}
		if g := sessions.ReadGauge(a, streams[0].at("b", 1000), 0, sessions.Progress{}, getenv); g.Window != 1_000_000 || g.From != "table" {
			t.Errorf("%d: another session has %d from %s", c.window, g.Window, g.From)
		}
	}
}
