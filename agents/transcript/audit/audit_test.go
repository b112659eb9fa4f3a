package audit

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

type object = map[string]any

// record is lines of a transcript.
type record struct {
	t   *testing.T
	src strings.Builder
	n   int
}

func (r *record) add(line object) {
	r.t.Helper()
	r.n++
	line["timestamp"] = time.Date(2026, 2, 12, 14, r.n, 0, 0, time.UTC)
	src, err := json.Marshal(line)
	if err != nil {
		r.t.Fatal(err)
	}
	r.src.Write(append(src, '\n'))
}

// claude adds a line of Claude Code.
func (r *record) claude(kind string, content any, more object) {
	r.t.Helper()
	line := object{"type": kind, "uuid": "u", "sessionId": "s", "cwd": "/home/ann/app", "message": object{"content": content}}
	for k, v := range more {
		line[k] = v
	}
	r.add(line)
}

func (r *record) asks(text string) { r.t.Helper(); r.claude("user", text, nil) }

func (r *record) calls(id, tool string, input object) {
	r.t.Helper()
	r.claude("assistant", []object{{"type": "tool_use", "id": id, "name": tool, "input": input}}, nil)
}

func (r *record) gets(id, text string) {
	r.t.Helper()
	r.claude("user", []object{{"type": "tool_result", "tool_use_id": id, "content": text}}, nil)
}

func (r *record) compacts(summary string) {
	r.t.Helper()
	r.add(object{"type": "system", "subtype": "compact_boundary", "uuid": "u", "sessionId": "s"})
	r.claude("user", summary, object{"isCompactSummary": true})
}

// codex adds a line of Codex.
func (r *record) codex(kind string, payload object) {
	r.t.Helper()
	r.add(object{"type": kind, "payload": payload})
}

// checkFates compares what became of the items of a compaction: "fate kind turn N: text".
func checkFates(t *testing.T, c *Compaction, want ...string) {
	t.Helper()
	var got []string
	for _, it := range c.Items {
		got = append(got, string(it.Fate)+" "+string(it.Kind)+" turn "+string(rune('0'+it.Turn))+": "+it.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the items are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const longSummary = "This session is being continued. Pending tasks, current work, errors and fixes follow below.\n"

func TestAudit(t *testing.T) {
	r := &record{t: t}
	r.asks("Fix the parser. Please use British spelling in all comments. It always fails on tabs. What do you think?")
	r.asks("never push to origin, and don't touch generated/schema.go")
	r.calls("q", "AskUserQuestion", object{})
	r.gets("q", `User has answered your questions: "Which database?"="SQLite (Recommended)", "Which port?"="why do we need one?". You can now continue.`)
	r.asks("let's go with the recursive descent parser")
	r.calls("t", "TodoWrite", object{"todos": []object{{"content": "Write the lexer", "status": "completed"}, {"content": "Document the grammar", "status": "pending"}, {"content": "Benchmark the tokenizer", "status": "pending"}}})
	r.calls("w", "Write", object{"file_path": "/home/ann/app/lexer.go"})
	r.gets("w", "ok")
	r.calls("v", "Write", object{"file_path": "/home/ann/app/tokens.go"})
	r.gets("v", "ok")
	r.compacts(longSummary + "- The user said: never push to origin, do not touch generated/schema.go\n- Recursive descent was chosen for parsing.\n- Documenting the grammar is open. lexer.go was written.")
	r.claude("assistant", []object{{"type": "text", "text": "I continue with the benchmark of the tokenizer."}}, nil)
	r.compacts(longSummary + "- Recursive descent for the parser.")

	options := Options{Pinned: []string{"The order of tokens is reversed"}, Uncommitted: func(dir, file string) bool { return dir == "/home/ann/app" && file != "other.go" }}
	found, ok := Read([]byte(r.src.String()), "claude", options)
	if !ok || len(found) != 2 {
		t.Fatalf("%v, %d compactions", ok, len(found))
	}
	checkFates(t, &found[0],
		"dropped rule turn 1: Please use British spelling in all comments.",
		"kept rule turn 2: never push to origin, and don't touch generated/schema.go",
		"dropped decision turn 2: Which database? SQLite",
		"kept decision turn 3: let's go with the recursive descent parser",
		"kept todo turn 3: Document the grammar",
		"again todo turn 3: Benchmark the tokenizer",
		"dropped pinned turn 0: The order of tokens is reversed",
		"kept file turn 3: lexer.go",
		"dropped file turn 3: tokens.go")
	checkFates(t, &found[1], // what the first one dropped is not reported twice, but for what is still open
		"dropped rule turn 2: never push to origin, and don't touch generated/schema.go",
		"kept decision turn 3: let's go with the recursive descent parser",
		"dropped todo turn 3: Document the grammar",
		"dropped todo turn 3: Benchmark the tokenizer",
		"dropped pinned turn 0: The order of tokens is reversed",
		"dropped file turn 3: lexer.go",
		"dropped file turn 3: tokens.go")
	first, item := &found[0], &found[0].Items[0]
	if first.Line != 12 || first.Turn != 3 || first.Summary != Readable || first.At.Minute() != 12 || item.Line != 1 || item.At.Minute() != 1 {
		t.Errorf("the first compaction is at %d, turn %d, %s, %s, its first item at %d, %s", first.Line, first.Turn, first.At, first.Summary, item.Line, item.At)
	}
}

// TestNotDropped: what the host shows again, or the session was shown again, and what was committed, is not dropped.
func TestNotDropped(t *testing.T) {
	r := &record{t: t}
	r.asks("Use British spelling everywhere.")
	r.calls("w", "Write", object{"file_path": "/home/ann/app/lexer.go"})
	r.gets("w", "ok")
	r.calls("c", "Bash", object{"command": "git commit -am lexer"})
	r.gets("c", "[main 1234567] lexer")
	r.compacts(longSummary)
	r.compacts(longSummary)
	found, _ := Read([]byte(r.src.String()), "claude", Options{
		Always: "Write with British spelling, everywhere.", Pinned: []string{"Tabs are reversed"}, Restored: time.Date(2026, 2, 12, 14, 7, 0, 0, time.UTC),
		Uncommitted: func(_, _ string) bool { return true },
	})
	if len(found) != 2 {
		t.Fatalf("%d compactions", len(found))
	}
	checkFates(t, &found[0], "kept rule turn 1: Use British spelling everywhere.", "again pinned turn 0: Tabs are reversed")
	checkFates(t, &found[1], "kept rule turn 1: Use British spelling everywhere.", "dropped pinned turn 0: Tabs are reversed")
}

// TestUnread: nothing is called dropped if the summary cannot be read.
func TestUnread(t *testing.T) {
	message := func(role, text string) object {
		return object{"type": "message", "role": role, "content": []object{{"type": "input_text", "text": text}}}
	}
	sealed := object{"type": "compaction", "encrypted_content": "gAAAAAB"}
	const asked, rule = "Never rename the public functions of this package.", "unknown rule turn 1: Never rename the public functions of this package."
	for name, tt := range map[string]struct {
		compacted object
		summary   Summary
		told      bool
		want      string
	}{
		"sealed": {object{"message": "", "replacement_history": []object{message("user", "go on"), sealed}}, Sealed, false, rule},
		"kept":   {object{"message": "", "replacement_history": []object{message("user", asked), sealed}}, Sealed, true, strings.Replace(rule, "unknown", "kept", 1)},
		"redacted": {object{"message": "[REDACTED_MESSAGE len=900 sha=e3b0c442]", "replacement_history": []object{message("user", "[REDACTED_TEXT len=32 sha=821fd802]")}},
			Redacted, false, rule},
		"missing":  {object{"message": ""}, Missing, false, rule},
		"readable": {object{"message": longSummary}, Readable, true, strings.Replace(rule, "unknown", "dropped", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			r := &record{t: t}
			r.codex("event_msg", object{"type": "user_message", "message": asked})
			r.codex("compacted", tt.compacted)
			r.codex("event_msg", object{"type": "context_compacted"})
			found, ok := Read([]byte(r.src.String()), "codex", Options{})
			if !ok || len(found) != 1 {
				t.Fatalf("%v, %d compactions", ok, len(found))
			}
			if c := &found[0]; c.Summary != tt.summary || c.Told() != tt.told {
				t.Errorf("the summary is %s, told %v; want %s, %v", c.Summary, c.Told(), tt.summary, tt.told)
			}
			checkFates(t, &found[0], tt.want)
		})
	}
	if _, ok := Read([]byte("{}\n"), "", Options{}); ok {
		t.Error("a text of no format is a transcript")
	}
}

func TestKindOf(t *testing.T) {
	for sentence, want := range map[string]Kind{
		"Never push to main.":                                Rule,
		"please don’t use mocks":                             Rule,
		"ok, and always run the linter":                      Rule,
		"Do not fallback, print a warning":                   Rule,
		"must be controlled by configuration":                Rule,
		"The tests should never sleep":                       Rule,
		"From now on answer in German":                       Rule,
		"Use pnpm, not npm":                                  Rule,
		"Generated files are off limits":                     Rule,
		"yes, let's go with option 1":                        Decision,
		"I'd prefer a map keyed by session":                  Decision,
		"Let's keep it simple for now":                       Decision,
		"don't know why it fails":                            "",
		"it always lists these under each branch":            "",
		"Should we never retry?":                             "",
		"let's fix it":                                       "",
		"Let's keep going":                                   "",
		"Keep in mind that it is slow":                       "",
		"finalization_test.go:808: should NOT have trailers": "",
		"Useful tests are missing":                           "",
		"This may not match the mustache":                    "",
	} {
		if got := kindOf(sentence); got != want {
			t.Errorf("kindOf(%q) = %q, want %q", sentence, got, want)
		}
	}
}

// TestSentences: code, quotes, and a plan that is passed on are not words of the user.
func TestSentences(t *testing.T) {
	text := "Never rename a.go. Always test!\n> never quoted\n```\nnever in code\n```\n| never | in a table |\n- **use tabs in files**\n\tAvoid x"
	want := []string{"Never rename a.go.", "Always test!", "use tabs in files"}
	if got := slices.Collect(sentences(text)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := slices.Collect(sentences(accepted + "\n\nAlways use the parser.")); len(got) > 0 {
		t.Errorf("a plan has %q", got)
	}
}

// TestSecret: a secret in a rule is masked.
func TestSecret(t *testing.T) {
	r := &record{t: t}
	r.asks("Always use the password=hunter2secret99 for the database")
	r.compacts(longSummary)
	found, _ := Read([]byte(r.src.String()), "claude", Options{})
	if len(found) != 1 || len(found[0].Items) != 1 || strings.Contains(found[0].Items[0].Text, "hunter2") {
		t.Errorf("%+v", found)
	}
}

// FuzzRead: lines that are torn, of another form, or nothing at all do no harm.
func FuzzRead(f *testing.F) {
	r := &record{t: new(testing.T)}
	r.asks("Never push. Use tabs.")
	r.calls("q", "AskUserQuestion", object{})
	r.gets("q", `User has answered your questions: "A?"="b". You can`)
	r.compacts(longSummary)
	f.Add([]byte(r.src.String()), "claude")
	f.Add([]byte(`{"type":"compacted","payload":{"message":"x","replacement_history":[{"type":"compaction"}]}}`), "codex")
	f.Fuzz(func(t *testing.T, src []byte, format string) {
		found, _ := Read(src, format, Options{Always: string(src), Pinned: []string{format}})
		for i := range found {
			if c := &found[i]; c.Line < 1 || c.Count(Dropped)+c.Count(Kept)+c.Count(Again)+c.Count(Unknown) != len(c.Items) {
				t.Errorf("%+v", c)
			}
		}
	})
}
