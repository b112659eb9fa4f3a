package jsonedit

import (
	"encoding/json"
	"errors"
	"testing"
)

const multi = `{
  "status": "partial",
  "n": 2.0,
  "list": ["a", "b"],
  "rows": [
    {"line": 1, "why": "<x> & y"}
  ],
  "things": [
    {
      "path": "p"
    }
  ],
  "none": [],
  "obj": {},
  "last": null
}
`

// edit is one row of a table.
type edit func(*File) error

func set(value any, path ...any) edit {
	return func(f *File) error { return f.Set(path, value) }
}

func push(value any, path ...any) edit {
	return func(f *File) error { return f.Append(path, value) }
}

func remove(path ...any) edit {
	return func(f *File) error { return f.Remove(path) }
}

func TestEditShapes(t *testing.T) {
	handoff := Object{{"type", "handoff"}, {"path", "specs/ü <1>.md"}}
	tests := []struct {
		name, before string
		edit         edit
		after        string
	}{
		{"replace a string", "{\n  \"a\" : \"x\",\n\n\t\"b\": 2.0}", set("y", "a"), "{\n  \"a\" : \"y\",\n\n\t\"b\": 2.0}"},
		{"equal number keeps its spelling", `{"a": 2.0}`, set(2, "a"), `{"a": 2.0}`},
		{"equal string keeps its escapes", `{"a": "\u00e9\/"}`, set("é/", "a"), `{"a": "\u00e9\/"}`},
		{"equal object keeps its order", `{"a": { "x":1, "y":2 }}`, set(Object{{"y", 2}, {"x", 1}}, "a"), `{"a": { "x":1, "y":2 }}`},
		{"other escapes survive", `{"a": "\u00e9", "b": 1}`, set(true, "b"), `{"a": "\u00e9", "b": true}`},
		{"what is escaped", `{"a": 1}`, set("\"\\\n\r\t\x01<>&é\u2028", "a"), `{"a": "\"\\\n\r\t\u0001<>&é` + "\u2028" + `"}`},
		{"numbers are exact", `[]`, set([]any{int64(-1 << 63), uint64(1<<64 - 1)}), `[-9223372036854775808, 18446744073709551615]`},
		{"raw JSON keeps its spelling", `{"a": 1}`, set(json.RawMessage(" [1.50 ,\n2e1] "), "a"), `{"a": [1.50, 2e1]}`},

		{"remove the first member", "{\n  \"a\": 1,\n  \"b\": 2\n}", remove("a"), "{\n  \"b\": 2\n}"},
		{"remove the last member", "{\n  \"a\": 1,\n  \"b\": [2,\n 3] \n}", remove("b"), "{\n  \"a\": 1 \n}"},
		{"remove a member between others", `{"a":1, "b" : 2 ,"c":3}`, remove("b"), `{"a":1, "c":3}`},
		{"remove the only member", "{\"a\": {\n  \"b\": 1\n}}", remove("a", "b"), `{"a": {}}`},
		{"remove an element", `{"a": [1, {"x": [2]}, 3]}`, remove("a", 1), `{"a": [1, 3]}`},
		{"remove what is not there", `{"a": {"b": 1}}`, remove("a", "c", "d"), `{"a": {"b": 1}}`},

		{"insert as the last member", "{\n  \"a\": 1\n}", set("x", "b"), "{\n  \"a\": 1,\n  \"b\": \"x\"\n}"},
		{"insert on one line", `{"a": 1, "b": 2}`, set(3, "c"), `{"a": 1, "b": 2, "c": 3}`},
		{"insert after an only member", `{ "a": 1 }`, set(3, "c"), `{ "a": 1, "c": 3 }`},
		{"insert into a minified file", `{"a":1,"b":[1,2]}`, set(Object{{"x", []string{"y", "z"}}}, "c"), `{"a":1,"b":[1,2],"c":{"x":["y","z"]}}`},
		{"insert with CRLF", "{\r\n\t\"a\": 1\r\n}\r\n", set(Object{{"x", 1}}, "b"), "{\r\n\t\"a\": 1,\r\n\t\"b\": {\r\n\t\t\"x\": 1\r\n\t}\r\n}\r\n"},
		{"insert with spaces before commas", "{\n  \"a\" : 1 ,\n  \"b\" : 2\n}", set(3, "c"), "{\n  \"a\" : 1 ,\n  \"b\" : 2,\n  \"c\" : 3\n}"},
		{"a blank line is not repeated", "{\n  \"a\": 1,\n\n  \"b\": 2\n}", set(3, "c"), "{\n  \"a\": 1,\n\n  \"b\": 2,\n  \"c\": 3\n}"},
		{"aligned colons are not imitated", "{\n  \"a\":    1\n}", set(3, "long"), "{\n  \"a\":    1,\n  \"long\": 3\n}"},
		{"four spaces", "{\n    \"a\": {\n        \"b\": 1\n    }\n}", set(Object{{"x", Object{{"y", nil}}}}, "a", "c"),
			"{\n    \"a\": {\n        \"b\": 1,\n        \"c\": {\n            \"x\": {\n                \"y\": null\n            }\n        }\n    }\n}"},
		{"missing parents", "{\n  \"a\": 1\n}", set("v", "p", "q", 0, "r"),
			"{\n  \"a\": 1,\n  \"p\": {\n    \"q\": [\n      {\n        \"r\": \"v\"\n      }\n    ]\n  }\n}"},
		{"empty root", "{}\n", set(1, "a"), "{\n  \"a\": 1\n}\n"},
		{"empty object in one of many lines", multi, set(1, "obj", "a"), replaced(multi, `"obj": {}`, "\"obj\": {\n    \"a\": 1\n  }")},
		{"empty object on one line", `{"a": {}, "b": 1}`, set(1, "a", "x"), `{"a": {"x": 1}, "b": 1}`},
		{"empty object of two lines", "{\"a\": {\n}, \"b\": 1}", set(1, "a", "x"), "{\"a\": {\n  \"x\": 1\n}, \"b\": 1}"},
		{"an object for null", multi, set(Object{{"x", []string{}}}, "last"), replaced(multi, `"last": null`, "\"last\": {\n    \"x\": []\n  }")},
		{"the root", `{"a": 1}`, set(nil), `null`},

		{"append a scalar on one line", multi, push("c", "list"), replaced(multi, `"b"]`, `"b", "c"]`)},
		{"append to an empty array", multi, push("c", "none"), replaced(multi, `"none": []`, `"none": ["c"]`)},
		{"append an object to an empty array", multi, push(handoff, "none"),
			replaced(multi, `"none": []`, "\"none\": [\n    {\n      \"type\": \"handoff\",\n      \"path\": \"specs/ü <1>.md\"\n    }\n  ]")},
		{"append an object of many lines", multi, push(handoff, "things"),
			replaced(multi, "\"p\"\n    }", "\"p\"\n    },\n    {\n      \"type\": \"handoff\",\n      \"path\": \"specs/ü <1>.md\"\n    }")},
		{"append a row", multi, push(Object{{"line", 2}}, "rows"), replaced(multi, "y\"}", "y\"},\n    {\"line\": 2}")},
		{"append to brackets that share a line", "{\n  \"a\": [{\n    \"x\": 1\n  }]\n}", push(Object{{"x", 2}}, "a"),
			"{\n  \"a\": [{\n    \"x\": 1\n  }, {\n    \"x\": 2\n  }]\n}"},
		{"append to a missing array", multi, push(1, "new"), replaced(multi, `null`, "null,\n  \"new\": [1]")},
		{"append to an array with one element per line", "[\n  1,\n  2\n]", push([]int{3, 4}), "[\n  1,\n  2,\n  [\n    3,\n    4\n  ]\n]"},
		{"an index at the end appends", `[1]`, set(2, 1), `[1, 2]`},
		{"an element", `[1, [2, 3]]`, set("x", 1, 0), `[1, ["x", 3]]`},
		{"append after brackets that share a line", "{\n  \"a\": [\n    {\n      \"x\": 1\n    }, {\n      \"x\": 2\n    }\n  ]\n}", push(Object{{"x", 3}}, "a"),
			"{\n  \"a\": [\n    {\n      \"x\": 1\n    }, {\n      \"x\": 2\n    }, {\n      \"x\": 3\n    }\n  ]\n}"},
		{"replace strings on one line by objects", multi, set([]Object{{{"x", 1}}}, "list"),
			replaced(multi, `["a", "b"]`, "[\n    {\n      \"x\": 1\n    }\n  ]")},
		{"replace objects on one line by objects", `{"a": [{"x": 1}]}`, set([]Object{{{"x", 2}}}, "a"), `{"a": [{"x": 2}]}`},
		{"replace objects of many lines by strings", multi, set([]string{"x"}, "things"),
			replaced(multi, "[\n    {\n      \"path\": \"p\"\n    }\n  ]", "[\n    \"x\"\n  ]")},
		{"replace an array of one line", multi, set([]string{"x"}, "list"), replaced(multi, `["a", "b"]`, `["x"]`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := mustParse(t, test.before)
			if err := test.edit(f); err != nil {
				t.Fatal(err)
			}
			if got := string(f.Bytes()); got != test.after {
				t.Errorf("got\n%s\nwant\n%s\nquoted %q", got, test.after, got)
			}
			if f.Changed() != (test.before != test.after) {
				t.Errorf("Changed() = %v", f.Changed())
			}
		})
	}
}

func TestEditErrors(t *testing.T) {
	const src = `{"a": 1, "a": 2, "b": [null, "x"], "c/d": {"e": 1, "e": 1}}`
	tests := []struct {
		name string
		edit edit
		kind error
		text string
	}{
		{"duplicate", set(3, "a"), ErrDuplicateKey, `/a: duplicate key: "a"`},
		{"below a duplicate", set(1, "c/d", "e"), ErrDuplicateKey, `/c~1d/e: duplicate key: "e"`},
		{"below null", set(3, "b", 0, "x"), ErrKind, `/b/0/x: wrong kind of value: null, want an object with the key "x"`},
		{"index of an object", set(3, 0), ErrKind, `/0: wrong kind of value: an object, want an array with the index 0`},
		{"index after the end", set(3, "b", 3), ErrIndex, `/b/3: index out of range: 3 in an array of 2`},
		{"index below zero", set(3, "b", -1), ErrIndex, ""},
		{"index of a missing array", set(3, "z", 1), ErrIndex, ""},
		{"append to a string", push(3, "b", 1), ErrKind, `/b/1: wrong kind of value: a string, want an array`},
		{"step of another type", set(3, 1.5), ErrValue, `/1.5: value cannot be written: a path has strings and ints, not float64`},
		{"missing step of another type", set(3, "z", true), ErrValue, ""},
		{"not UTF-8", set("\xff", "b"), ErrValue, ""},
		{"key not UTF-8", set(1, "\xff"), ErrValue, ""},
		{"a float", set(1.5, "b"), ErrValue, `/b: value cannot be written: unsupported Go type float64`},
		{"bytes", set([]byte("x"), "b"), ErrValue, ""},
		{"raw that is two values", set([]any{json.RawMessage("1, 2")}, "b"), ErrValue, ""},
		{"no raw", set(json.RawMessage(nil), "b"), ErrValue, ""},
		{"object with a duplicate key", set(Object{{"k", 1}, {"k", 2}}, "b"), ErrValue, `/b: value cannot be written: duplicate key /k`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := mustParse(t, src)
			err := test.edit(f)
			if !errors.Is(err, test.kind) || test.text != "" && err.Error() != test.text {
				t.Errorf("got error %v", err)
			}
			if string(f.Bytes()) != src || f.Changed() {
				t.Errorf("the text has changed: %s", f.Bytes())
			}
		})
	}
}

func mustParse(t *testing.T, src string) *File {
	t.Helper()
	f, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAppendSeveral appends elements at once and one by one: the results are equal.
func TestAppendSeveral(t *testing.T) {
	one := func(path string) Object {
		return Object{{"type", "handoff"}, {"path", path}, {"tags", []string{"x", "y"}}}
	}
	for _, src := range []string{
		`{}`, `{"a": []}`, `{"a":[]}`, "{\n  \"a\": []\n}\n", "{\n  \"a\": [\n  ]\n}", "{\r\n\t\"a\": [\r\n\t\t1\r\n\t]\r\n}",
		`{"a": [{"path": "p"}], "b": 1}`, "{\n  \"a\": [\n    {\"path\": \"p\"}\n  ]\n}", "{\n  \"a\": [\n    {\n      \"path\": \"p\"\n    }\n  ],\n  \"b\": []\n}",
		"{\n  \"a\": [1, 2]\n}", "{\n  \"b\": {}\n}",
	} {
		f, g := mustParse(t, src), mustParse(t, src)
		if err := f.Append(Path{"a"}, one("1"), one("2"), one("3")); err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		for _, path := range []string{"1", "2", "3"} {
			if err := g.Append(Path{"a"}, one(path)); err != nil {
				t.Fatalf("%q: %v", src, err)
			}
		}
		if f.String() != g.String() {
			t.Errorf("%q: at once\n%s\none by one\n%s", src, f, g)
		}
	}
	f := mustParse(t, `{"a": [1]}`)
	if err := f.Append(Path{"a"}); err != nil || f.Changed() {
		t.Errorf("appending nothing: %v, %s", err, f)
	}
	if err := f.Append(Path{"a"}, 2, make(chan int)); !errors.Is(err, ErrValue) || f.Changed() {
		t.Errorf("a value of an unsupported type: %v, %s", err, f)
	}
}
