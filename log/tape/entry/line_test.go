package entry

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
)

// say returns the line of a message.
func say(id int, text string) string {
	return fmt.Sprintf(`{"id": %d, "kind": "message", "payload": {"role": "user", "content": "%s"}, "meta": {}, "date": "2026-11-20T17:41:32+00:00"}`, id, text)
}

// content is the text of a message, or the name of an anchor or event.
func content(e Entry) string {
	if text, ok := Text(e.Payload, "content"); ok {
		return text
	}
	return e.Name()
}

// TestGenerations reads a line of each generation.
func TestGenerations(t *testing.T) {
	for line, want := range map[string]Entry{
		`{"id": 1, "kind": "anchor", "payload": {"name": "session/start", "state": {"owner": "human"}}, "meta": {}}`: {
			ID: 1, Kind: "anchor", Payload: json.RawMessage(`{"name": "session/start", "state": {"owner": "human"}}`), Meta: json.RawMessage(`{}`), Date: "1970-01-01T00:00:00+00:00"},
		`{"id": 2, "kind": "x", "payload": {}, "meta": {}, "timestamp": 1772700000.123}`: {
			ID: 2, Kind: "x", Payload: json.RawMessage(`{}`), Meta: json.RawMessage(`{}`), Date: "2026-03-05T08:40:00.123000+00:00"},
		`{"id": 3, "kind": "event", "payload": {"name": "run"}, "meta": {"run_id": "r"}, "date": "2026-11-20T17:41:32.725057+00:00", "new": [1]}`: {
			ID: 3, Kind: "event", Payload: json.RawMessage(`{"name": "run"}`), Meta: json.RawMessage(`{"run_id": "r"}`), Date: "2026-11-20T17:41:32.725057+00:00",
			Extra: []Field{{"new", json.RawMessage("[1]")}}},
		`{"id":4,"kind":"","payload":{},"meta":[],"date":null}`: {ID: 4, Payload: json.RawMessage(`{}`), Meta: json.RawMessage(`{}`)},
	} {
		entries, err := Parse([]byte(line))
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: %+v, %v", line, entries, err)
			continue
		}
		e := entries[0]
		if e.line != line {
			t.Errorf("kept %s of %s", e.line, line)
		}
		if e.line = ""; !reflect.DeepEqual(e, want) {
			t.Errorf("%s: %+v, want %+v", line, e, want)
		}
	}
}

// TestTimestamps checks against the results of Python 3.12.
func TestTimestamps(t *testing.T) {
	for text, want := range map[string]string{
		"0":                 "1970-01-01T00:00:00+00:00",
		"1772700000":        "2026-03-05T08:40:00+00:00",
		"1772700000.123":    "2026-03-05T08:40:00.123000+00:00",
		"1772700000.999999": "2026-03-05T08:40:00.999999+00:00",
		"1e9":               "2001-09-09T01:46:40+00:00",
		"0.9999999":         "1970-01-01T00:00:01+00:00",
		"-1.5":              "1969-12-31T23:59:58.500000+00:00",
		`"x"`:               "1970-01-01T00:00:00+00:00",
		"1e40":              "1970-01-01T00:00:00+00:00",
		"":                  "1970-01-01T00:00:00+00:00",
	} {
		if got := unixDate(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestLine checks the form that Bub writes, byte for byte.
func TestLine(t *testing.T) {
	for _, line := range []string{
		`{"id": 8, "kind": "anchor", "payload": {"name": "p1", "state": {"summary": "s"}}, "meta": {}, "date": "2026-11-20T17:41:32.728279+00:00"}`,
		`{"id": 5, "kind": "tool_call", "payload": {"calls": [{"id": "c1", "type": "function", "function": {"name": "tape_handoff", "arguments": "{\"name\":\"p1\"}"}}]}, "meta": {"run_id": "run-1"}, "date": "2026-11-20T17:41:32+00:00"}`,
		"{\"id\": -7, \"kind\": \"größer <&>\u2028\", \"payload\": {\"b\": [1, 2.50, null, true], \"a\": \"\\n\\u0001\"}, \"meta\": {}, \"date\": null, \"more\": {\"x\": 1e5}}",
	} {
		entries, err := Parse([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := entries[0].Line(); err != nil || string(got) != line {
			t.Errorf("%v\n%s\n%s", err, got, line)
		}
	}
	for _, e := range []Entry{
		{Payload: json.RawMessage("[]")},
		{Payload: json.RawMessage(`{"a":`)},
		{Meta: json.RawMessage("{}{}")},
		{Extra: []Field{{"id", json.RawMessage("1")}}},
		{Extra: []Field{{"x", json.RawMessage("")}}},
		{Payload: json.RawMessage(`{"n":` + strings.Repeat("9", 5000) + `}`)},
	} {
		if line, err := e.Line(); err == nil {
			t.Errorf("%.50q was written as %.80s", e.Payload, line)
		}
	}
	e, err := New("k", map[string]any{"<b>": "é", "a": 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := e.Line(); string(got) != `{"id": 0, "kind": "k", "payload": {"<b>": "é", "a": 1}, "meta": {}, "date": null}` {
		t.Errorf("%s", got)
	}
}

// TestOddLines is the table of how Bub reads damaged lines, with the results
// here.
func TestOddLines(t *testing.T) {
	ok := `"kind": "k", "payload": {}, "meta": {}`
	for line, want := range map[string]string{ // "" is unreadable
		`[1]`: "", `1`: "", `"x"`: "", `null`: "", `{`: "", `{}`: "",
		`{"id": "1", ` + ok + `}`:                                              "",
		`{"id": 1.0, ` + ok + `}`:                                              "",
		`{"id": null, ` + ok + `}`:                                             "",
		`{` + ok + `}`:                                                         "",
		`{"id": 1, "payload": {}}`:                                             "",
		`{"id": 1, "kind": 5, "payload": {}}`:                                  "",
		`{"id": 1, "kind": "k"}`:                                               "",
		`{"id": 1, "kind": "k", "payload": []}`:                                "",
		`{"id": true, ` + ok + `}`:                                             "1 {}",
		`{"id": false, ` + ok + `}`:                                            "0 {}",
		`{"id": -3, ` + ok + `}`:                                               "-3 {}",
		`{"id": 99999999999999999999999, ` + ok + `}`:                          "9223372036854775807 {}",
		`{"id": 1, "id": 2, ` + ok + `}`:                                       "2 {}",
		`{"id": 1, "kind": "k", "payload": {"a": NaN}, "meta": 3}`:             `1 {"a": null}`,
		`{"id": 1, "kind": "k", "payload": {"a": -Infinity}}`:                  `1 {"a": null}`,
		`{"id": 1, "kind": "k", "payload": {"a": "\ud800"}}`:                   "1 {\"a\": \"\ufffd\"}",
		"{\"id\": 1, \"kind\": \"k\", \"payload\": {\"a\": \"\xff\xfe\"}}":     "1 {\"a\": \"\ufffd\"}",
		"{\"id\": 1, \"kind\": \"k\", \"payload\": {\"a\": \"\u2028\u0085\"}}": "1 {\"a\": \"\u2028\u0085\"}",
		"\ufeff" + `{"id": 1, ` + ok + `}`:                                     "1 {}",
		`{"id": 1, ` + ok + "}\r":                                              "1 {}",
		`  {"id": 1, ` + ok + `}  `:                                            "1 {}",
		`{"id": 1, ` + ok + `} x`:                                              "",
	} {
		entries, err := Parse([]byte(line))
		got := ""
		if err == nil && len(entries) == 1 {
			got = fmt.Sprintf("%d %s", entries[0].ID, entries[0].Payload)
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, want %q (%v)", line, got, want, err)
		}
	}
}

// TestJoined cuts a line at every byte and appends what Bub writes next. The new
// entry is always found, except where the torn one might have continued with an
// object: there the two cannot be distinguished.
func TestJoined(t *testing.T) {
	torn := `{"id": 5, "kind": "tool_result", "payload": {"results": ["a\"b\\", {"id": 1, "kind": "k", "payload": {}}, 2, null, "é"]}, "meta": {"x": "\u00e9"}, "date": null}`
	next := say(6, "new")
	hidden := 0
	for cut := 1; cut <= len(torn); cut++ {
		entries, err := Parse([]byte(torn[:cut] + next))
		want := []string{"new"}
		if cut == len(torn) {
			want = []string{"", "new"}
		}
		var got []string
		for _, e := range entries {
			got = append(got, content(e))
		}
		if err != nil && strings.ContainsAny(strings.TrimRight(torn[:cut], " ")[len(strings.TrimRight(torn[:cut], " "))-1:], ":[,") {
			hidden++
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s|%s: %q, %v", torn[:cut], next, got, err)
		}
	}
	if hidden > 29 {
		t.Errorf("in %d of %d places the new entry is not found", hidden, len(torn))
	}
	for line, want := range map[string][]string{
		torn[:20]:                                           nil, // only a torn line
		torn[:strings.Index(torn, ", 2")]:                   nil, // an object within it is not an entry
		torn[:strings.Index(torn, "2, null")]:               nil,
		say(1, "a") + say(2, "b"):                           {"a", "b"},
		say(1, "a") + "\r" + say(2, "b"):                    {"a", "b"},
		say(1, "a") + say(2, "b") + say(3, "c")[:9]:         {"a", "b"},
		say(1, "a")[:90] + say(2, "b")[:80] + say(3, "c"):   {"c"},
		say(1, "a")[:90] + say(2, "b") + say(3, "c")[:80]:   {"b"},
		strings.Repeat("\x00", 500) + say(2, "b"):           {"b"},
		"garbage " + say(2, "b"):                            {"b"},
		say(1, "a") + " trailing":                           nil,
		`{"a": 1}` + say(2, "b"):                            {"b"},
		strings.Replace(torn, `"payload"`, `x"payload"`, 1): nil, // damaged
	} {
		entries, err := Parse([]byte(line))
		var got []string
		for i, e := range entries {
			got = append(got, content(e))
			if e.At.Part != i {
				t.Errorf("%s: part %d is %d", line, i, e.At.Part)
			}
		}
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%s: %q, want %q (%v)", line, got, want, err)
		}
	}
}

// FuzzLine checks that every entry that is read can be written, and is the same
// when read again; and that text appended to a line never hides its entry.
func FuzzLine(f *testing.F) {
	f.Add(say(1, "a"), 3)
	f.Add(say(1, "a")+say(2, "b"), 300)
	f.Add(`{"id": 1, "kind": "k", "payload": {"a": [NaN, "\ud800"]}, "x": 1, "timestamp": 5}`, 10)
	f.Add("\ufeff\x00{\"id\"", 2)
	f.Add(`{"id": 1, "kind": "k", "payload": {"content": "a"}, "meta": {}} x`, 5)
	f.Add(say(1, "\xff"), 7)
	f.Fuzz(func(t *testing.T, line string, cut int) {
		entries, err := Parse([]byte(line))
		if (err == nil) != (len(entries) > 0) {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		for _, e := range entries {
			out, err := e.Line()
			if err != nil || !json.Valid(out) || !utf8.Valid(out) {
				t.Fatalf("%q became %q: %v", line, out, err)
			}
			back, err := Parse(out)
			if err != nil || len(back) != 1 {
				t.Fatalf("%q cannot be read back: %v", out, err)
			}
			b := back[0]
			same := b.ID == e.ID && b.Kind == e.Kind && b.Date == e.Date && len(b.Extra) == len(e.Extra) &&
				string(jsontext.Python.AppendValue(nil, string(e.Payload))) == string(b.Payload) && string(jsontext.Python.AppendValue(nil, string(e.Meta))) == string(b.Meta)
			if !same {
				t.Fatalf("%q became %+v", line, b)
			}
		}
		if len(entries) == 1 && entries[0].line == line && strings.HasPrefix(line, start) && strings.HasSuffix(line, "}") {
			if both, err := Parse([]byte(line + say(2, "new"))); err != nil || len(both) != 2 || content(both[1]) != "new" {
				t.Fatalf("%q hides the entry that is appended to it: %+v, %v", line, both, err)
			}
		}
		if _, err := Parse([]byte(line[:max(0, min(cut, len(line)))])); err == nil && cut <= 0 {
			t.Fatal("an empty line became an entry")
		}
	})
}

// TestOneBadByte replaces each byte of a tape in turn: the other lines are still
// read, also if the byte was the end of a line.
func TestOneBadByte(t *testing.T) {
	whole := say(1, "a") + "\n" + say(2, "größe {\\\"id\\\": 7}") + "\n" + say(3, "c") + "\n"
	ends := []int{strings.Index(whole, "\n"), strings.LastIndex(whole[:len(whole)-1], "\n"), len(whole) - 1}
	for at := range whole {
		for _, bad := range []byte{0xff, 0, '"', '{', '}', 'x', '\n', '\\'} {
			spoiled := []byte(whole)
			spoiled[at] = bad
			read := map[int64]bool{}
			for line := range strings.Lines(string(spoiled)) {
				entries, _ := Parse([]byte(strings.TrimSuffix(line, "\n")))
				for _, e := range entries {
					read[e.ID] = true
				}
			}
			for id := int64(1); id <= 3; id++ {
				mine := at <= ends[id-1] && (id == 1 || at > ends[id-2]) // or it is the end of the line before
				if !mine && !read[id] {
					t.Errorf("byte %d as %q hides entry %d", at, bad, id)
				}
			}
		}
	}
}
