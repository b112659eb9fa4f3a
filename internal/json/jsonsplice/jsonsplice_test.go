package jsonsplice

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const ours = `{"mine":[1]}`

// add adds what the tests remove again.
func add(t require, src string) string {
	f := parse(t, src)
	for _, err := range []error{
		f.AddElement(json.RawMessage(ours), "hooks", "Start"),
		f.AddElement(json.RawMessage(ours), "hooks", "Stop"),
		f.AddElement(json.RawMessage(ours), "hooks", "Start"),
		f.AddMember(json.RawMessage(ours), "servers", "ours"),
	} {
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
	}
	return f.Text()
}

// remove removes it, the last one first.
func remove(t require, src string) (text string, emptied bool) {
	f := parse(t, src)
	for {
		path := last(f.Root())
		if path == nil {
			return f.Text(), false
		}
		emptied, err := f.Remove(path...)
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		if emptied {
			return f.Text(), true
		}
	}
}

// last is the path to the last value that only add writes.
func last(v Value) []int {
	for i := v.Len() - 1; i >= 0; i-- {
		_, item := v.At(i)
		if _, ok := item.Get("mine"); ok {
			return []int{i}
		}
		if path := last(item); path != nil {
			return append([]int{i}, path...)
		}
	}
	return nil
}

// require is the part of a test or of a check of rapid that is used.
type require interface {
	Fatalf(string, ...any)
}

func parse(t require, src string) *File {
	f, err := Parse(src)
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return f
}

// TestAdd shows how new text looks.
func TestAdd(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"indented by two spaces": {
			"{\n  \"a\": 1\n}\n",
			"{\n  \"a\": 1,\n  \"hooks\": {\n    \"Start\": [\n      1\n    ]\n  }\n}\n"},
		"tabs and CRLF": {
			"{\r\n\t\"a\": 1\r\n}",
			"{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"Start\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}"},
		"a comment at the end": {
			"{\n  \"a\": 1 // one\n  // \"b\": 2\n}\n",
			"{\n  \"a\": 1, // one\n  // \"b\": 2\n  \"hooks\": {\n    \"Start\": [\n      1\n    ]\n  }\n}\n"},
		"a trailing comma": {
			"{\n  \"a\": 1, // one\n}\n",
			"{\n  \"a\": 1, // one\n  \"hooks\": {\n    \"Start\": [\n      1\n    ]\n  },\n}\n"},
		"an empty array": {
			"{\"hooks\": {\n    \"Start\": []\n}}",
			"{\"hooks\": {\n    \"Start\": [1]\n}}"},
		"a byte order mark": {
			bom + "{}",
			bom + "{\"hooks\": {\n  \"Start\": [\n    1\n  ]\n}}"},
	} {
		f := parse(t, c.src)
		if err := f.AddElement(json.RawMessage("1"), "hooks", "Start"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if f.Text() != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, f.Text(), c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                    "1:1: no JSON value: the file is empty",
		" // nothing\n":       "2:1: no JSON value: the file is empty",
		"[]":                  "1:1: is an array, want an object",
		"{\n  \"a\": 1,,\n}":  "2:10: ',': want a key in double quotes",
		"{,}":                 "1:2: ',': want a key in double quotes",
		"{/* \"a\": 1}":       "1:2: a comment, which JSON does not allow: want a key in double quotes",
		"{\n/* ä */ \"a\" 1}": "2:13: '1': want ':' after the key",
	} {
		_, err := Parse(src)
		if syntax := (*Error)(nil); !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
	f := parse(t, "{\n\"a\": 1, \"b\": {}}")
	if err := f.AddMember(json.RawMessage("1"), "a", "x"); !errors.Is(err, ErrKind) || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Error(err)
	}
	if err := f.AddElement(json.RawMessage("1"), "b"); !errors.Is(err, ErrKind) {
		t.Error(err)
	}
	if err := f.AddMember(json.RawMessage("1"), "b"); err == nil {
		t.Error("a member is added twice")
	}
	if f.Text() != "{\n\"a\": 1, \"b\": {}}" {
		t.Errorf("changed after errors: %q", f.Text())
	}
}

// A file that was written here has nothing else in it.
func TestEmptied(t *testing.T) {
	for src, want := range map[string]bool{
		"{\n  \"servers\": {\n    \"ours\": {\"mine\":[1]}\n  }\n}\n":   true,
		"{\"servers\": {\n    \"ours\": {\"mine\":[1]}\n  }}":           false, // was {}
		"{\n  \"servers\": {\"ours\": {\"mine\":[1]}}\n}\n":             false, // servers was {}
		"{\n  // mine\n  \"servers\": {\n \"ours\": {\"mine\":[1]}}\n}": false,
	} {
		if text, emptied := remove(t, src); emptied != want {
			t.Errorf("%q: emptied %t, left %q", src, emptied, text)
		}
	}
}

// Added items are removed even if other programs changed the file meanwhile, and
// nothing else is.
func TestRemoveAfterChanges(t *testing.T) {
	for src, want := range map[string]string{
		`{"servers": {"ours": {"mine":[1]}, "x": 1}}`:                         `{"servers": { "x": 1}}`,
		`{"servers": {"w": 0, "ours": {"mine":[1]}, "x": 1}}`:                 `{"servers": {"w": 0, "x": 1}}`,
		"{\"servers\": {\"w\": 0 /* , */ , \"ours\": {\"mine\":[1]} // c\n}}": "{\"servers\": {\"w\": 0 /* , */  // c\n}}",
		`{"servers": {"ours": {"mine":[1]}, }}`:                               `{"servers": { }}`,
	} {
		if text, _ := remove(t, src); text != want {
			t.Errorf("%q: %q, want %q", src, text, want)
		}
	}
}

// draw is JSON with comments in any layout. Where it has the containers that are
// added to, they may be empty.
func draw(t *rapid.T) string {
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
	space := func() string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"", "", " ", "\t", "  ", eol, "/* , */", "// [{,\"" + eol, "//" + eol, "/**/"}), 0, 3).Draw(t, "space"), "")
	}
	list := func(open, end string, items ...string) string {
		text := open + space()
		for i, item := range items {
			text += item + space()
			if i < len(items)-1 || rapid.Bool().Draw(t, "trailing comma") {
				text += "," + space()
			}
		}
		return text + end
	}
	some := func(items ...string) (kept []string) {
		for _, item := range items {
			if rapid.Bool().Draw(t, "kept") {
				kept = append(kept, item)
			}
		}
		return kept
	}
	member := func(name, value string) string { return `"` + name + `"` + space() + ":" + space() + value }
	array := func() string { return list("[", "]", some(`"//,}\""`, "2.0", list("{", "}"), list("[", "]"))...) }
	hooks := list("{", "}", some(member("Start", array()), member("Other", array()))...)
	servers := list("{", "}", some(member("theirs", list("{", "}")))...)
	root := list("{", "}", some(member("a", "null"), member("hooks", hooks), member("b", array()), member("servers", servers))...)
	return rapid.SampledFrom([]string{"", bom}).Draw(t, "bom") + space() + root + space()
}

// TestRoundTrip adds to any file and removes it again.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := draw(t)
		installed := add(t, src)
		got, emptied := remove(t, installed)
		if emptied || got != src {
			t.Fatalf("%q became %q and then %q (emptied %t)", src, installed, got, emptied)
		}
	})
}

// TestAddKeepsValues compares the values of a file before and after.
func TestAddKeepsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := draw(t)
		f := parse(t, add(t, src))
		var want, got map[string]any
		read(t, parse(t, src), &want)
		read(t, f, &got)
		for name, value := range want {
			if name != "hooks" && name != "servers" && !sameJSON(t, got[name], value) {
				t.Fatalf("%s: %v became %v in %q", name, value, got[name], f.Text())
			}
		}
		for _, path := range [][]string{{"hooks", "Start"}, {"hooks", "Stop"}, {"servers"}} {
			v, ok := f.Root().Get(path...)
			if !ok || !strings.Contains(string(v.JSON()), "mine") {
				t.Fatalf("%v has nothing of ours in %q", path, f.Text())
			}
		}
	})
}

func read(t require, f *File, into any) {
	if err := json.Unmarshal(f.Root().JSON(), into); err != nil {
		t.Fatalf("%q: %v", f.Text(), err)
	}
}

func sameJSON(t require, a, b any) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(b)
	if err != nil || other != nil {
		t.Fatalf("%v, %v", err, other)
	}
	return string(x) == string(y)
}

// FuzzBlank accepts only text that is JSON after removing comments and trailing commas.
func FuzzBlank(f *testing.F) {
	for _, src := range []string{`{"a":[1,],}`, "{// c\n}", `{"a":"//"}`, "{/*", `{"\`} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		plain := blank(src)
		if len(plain) != len(src) || strings.Count(plain, "\n") != strings.Count(src, "\n") {
			t.Fatalf("%q became %q", src, plain)
		}
		if json.Valid([]byte(src)) && plain != src {
			t.Fatalf("strict JSON %q became %q", src, plain)
		}
		file, err := Parse(src)
		if err != nil {
			return
		}
		if file.Text() != src || !json.Valid(file.Root().JSON()) {
			t.Fatalf("%q was read as %q", src, file.Root().JSON())
		}
		if remove, _ := remove(t, src); last(file.Root()) == nil && remove != src {
			t.Fatalf("%q became %q", src, remove)
		}
	})
}
