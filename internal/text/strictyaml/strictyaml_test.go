package strictyaml

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// level accepts one of two words.
type level int

func (l *level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "low":
		*l = 1
	case "high":
		*l = 2
	default:
		return fmt.Errorf("unknown level %q (low, high)", text)
	}
	return nil
}

// reason is a text "what: why", or two separate values.
type reason struct {
	What string `yaml:"what" json:"what"`
	Why  string `yaml:"why" json:"why"`
}

func (r *reason) UnmarshalText(text []byte) error {
	r.What, r.Why, _ = strings.Cut(string(text), ": ")
	return nil
}

type sample struct {
	Name    string            `yaml:"name" json:"name"`
	Count   int               `yaml:"max_count" json:"max_count"`
	Small   int8              `yaml:"small" json:"small"`
	Ratio   float64           `yaml:"ratio" json:"ratio"`
	On      bool              `yaml:"on" json:"on"`
	List    []string          `yaml:"list" json:"list"`
	Numbers []int             `yaml:"numbers" json:"numbers"`
	Words   map[string]string `yaml:"words" json:"words"`
	Seq     *int64            `yaml:"seq" json:"seq"`
	Level   level             `yaml:"level" json:"-"`
	Reasons []reason          `yaml:"reasons" json:"reasons"`
	Inner   struct {
		Deep []struct {
			X int `yaml:"x" json:"x"`
		} `yaml:"deep" json:"deep"`
	} `yaml:"inner" json:"inner"`
	Untagged string `json:"-"`
}

// decode reads without additional checks.
func decode(name string, src []byte, into any) error { return Read(name, src, into).Err() }

func TestDecode(t *testing.T) {
	seven := int64(7)
	var deep sample
	deep.Inner.Deep = append(deep.Inner.Deep, struct {
		X int `yaml:"x" json:"x"`
	}{3})
	for _, c := range []struct {
		src  string
		want sample
	}{
		{"", sample{}},
		{"# nothing\n\n", sample{}},
		{"---\n", sample{}},
		{"null", sample{}},
		{"\ufeffname: a\n", sample{Name: "a"}},
		{"\ufeff{\"name\": \"a\"}", sample{Name: "a"}},
		{"---\nname: a\n...\n", sample{Name: "a"}},
		{"name: 2026-02-12\n", sample{Name: "2026-02-12"}},
		{"name: 2026-02-12T14:30:22Z\n", sample{Name: "2026-02-12T14:30:22Z"}},
		{"name: yes\n", sample{Name: "yes"}},
		{"name: \"5\"\n", sample{Name: "5"}},
		{"name: !!str 5\n", sample{Name: "5"}},
		{"name: |\n  a\n  b\n", sample{Name: "a\nb\n"}},
		{"name: 'it''s'\r\nmax_count: 1\r\n", sample{Name: "it's", Count: 1}},
		{"max_count: 007\n", sample{Count: 7}},
		{"max_count: -7\n", sample{Count: -7}},
		{"max_count: 40.0\n", sample{Count: 40}},
		{"ratio: 1e3\non: True\n", sample{Ratio: 1000, On: true}},
		{"list: [a, 'b: c']\nnumbers:\n- 1\n- 2\n", sample{List: []string{"a", "b: c"}, Numbers: []int{1, 2}}},
		{"list:\nwords:\ninner:\n", sample{}},
		{"words: {a/b: c, off: on}\n", sample{Words: map[string]string{"a/b": "c", "off": "on"}}},
		{"seq: 7\n", sample{Seq: &seven}},
		{"level: high\n", sample{Level: 2}},
		{"level: 2\n", sample{Level: 2}},
		{"reasons:\n- 'a: b'\n- what: c\n  why: d\n", sample{Reasons: []reason{{"a", "b"}, {"c", "d"}}}},
		{"inner: {deep: [{x: 3}]}\n", deep},
		{`{"name": "\ud83d\ude00\/", "list": [], "on": false}`, sample{Name: "😀/", List: []string{}}},
		{"{\n\t\"name\":\t\"a\",\n\t\"numbers\": [1, 2]\n}", sample{Name: "a", Numbers: []int{1, 2}}},
	} {
		var got sample
		if err := decode("x", []byte(c.src), &got); err != nil {
			t.Errorf("%q: %v", c.src, err)
		} else if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %+v, want %+v", c.src, got, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"nam: a\n", `1:1: unknown key "nam": did you mean name?`},
		{"colour: a\n", `1:1: unknown key "colour" (name, max_count, small, ratio, on, list, numbers, words, seq, level, reasons, inner)`},
		{"Untagged: a\n", `1:1: unknown key "Untagged" (name, max_count, small, ratio, on, list, numbers, words, seq, level, reasons, inner)`},
		{"name: a\nname: b\n", `2:1: duplicate key "name", first on line 1`},
		{"{\"name\": \"a\",\n \"ä\": 1, \"name\": \"b\"}", "2:2: unknown key \"ä\" (name, max_count, small, ratio, on, list, numbers, words, seq, level, reasons, inner)\n2:10: duplicate key \"name\", first on line 1"},
		{"words: {a: b, a: c}\n", `1:15: duplicate key "a", first on line 1`},
		{"name: 5\n", "1:7: want text, got the number 5: put it in quotes"},
		{"name: true\n", "1:7: want text, got true: put it in quotes"},
		{"name:\n", "1:6: want text, got nothing"},
		{"name: [a]\n", "1:7: want text, got a list"},
		{"list: a\n", `1:7: want a list, got the word "a"`},
		{"list: a b\n", `1:7: want a list, got text`},
		{"list:\n- `simp` alone\n", "2:3: put text that starts with ` in quotes"},
		{"list:\n- simp: fails\n- b\n", `2:3: want text, got keys with values: put text that contains ": " in quotes`},
		{"list:\n- **File**: b\n", "2:3: put text that starts with * or & in quotes"},
		{"list:\n- &b\n", "2:3: anchors are not supported: put text that starts with & in quotes"},
		{"list:\n- !b c\n", `2:3: unknown tag "!b": put text that starts with ! in quotes`},
		{"max_count: many\n", `1:12: want a whole number, got the word "many"`},
		{"max_count: 1.5\n", "1:12: want a whole number, got the number 1.5"},
		{"max_count: 0x10\n", "1:12: want a whole number, got the number 0x10"},
		{"max_count: 1_000\n", "1:12: want a whole number, got the number 1_000"},
		{"max_count: \"1\"\n", `1:12: want a whole number, got the word "1"`},
		{"max_count: 99999999999999999999\n", `1:12: "99999999999999999999" is out of range`},
		{"small: 128\n", `1:8: "128" is out of range`},
		{"ratio: .inf\n", "1:8: want a number, got the number .inf"},
		{"on: yes\n", `1:5: want true or false, got the word "yes"`},
		{"on: !!bool maybe\n", `1:5: want true or false, got maybe`},
		{"level: middle\n", `1:8: unknown level "middle" (low, high)`},
		{"level: [low]\n", `1:8: want a whole number or text, got a list`},
		{"reasons: [[a]]\n", `1:11: want keys with values or text, got a list`},
		{"words: {1: a, [b]: c, <<: {d: e}}\n", "1:9: want text as a key, got the number 1\n1:15: want text as a key, got a list\n1:23: << is not supported: write the keys out"},
		{"inner: {deep: [{y: 1}, {x: a}, {x: b}]}\n", "1:17: unknown key \"y\" (x)\n1:28: want a whole number, got the word \"a\"\n1:36: want a whole number, got the word \"b\""},
		{"- a\n", "1:1: want keys with values, got a list"},
		{"just words", "1:1: want keys with values, got text"},
		{"name: a\n---\nname: b\n", "2:1: a second document starts here: only one is allowed"},
		{"nam: a\n---\nb: c: d\n", "1:1: unknown key \"nam\": did you mean name?\n3:5: no key is allowed here: put text that contains \": \" in quotes, or fix the indentation"},
		{"name: a: b\n", `1:8: no key is allowed here: put text that contains ": " in quotes, or fix the indentation`},
		{"list:\n\t- a\n", "2:1: tabs cannot be used for indentation: use spaces"},
		{"list: [a\nname: b\n", "2:5: did not find expected ',' or ']' while parsing a flow sequence (started on line 1)"},
		{"name: a\nlist\non: true\n", `3:1: want "key: value" before this line`},
		{"name: ä\xff\n", "1:8: byte 0xff is not valid UTF-8: save the file as UTF-8"},
		{"name: a\nlist: \x01\n", "2:7: control character U+0001 is not allowed here"},
		{"name: &a x\nlist: [*a, *a]\n", "1:7: anchors are not supported: put text that starts with & in quotes\n2:8: aliases are not supported: write the value out\n2:12: aliases are not supported: write the value out"},
		{"\r@\n", "2:1: put text that starts with @ in quotes"},
		{"a: b\r\n`c\r\n", "2:1: put text that starts with ` in quotes"},
		{"\u2028@\n", "2:1: put text that starts with @ in quotes"},
		{"max_count: !!int \"\\e[1m\\nx\"\n", `1:12: want a whole number, got the number "\x1b[1m\nx"`},
		{strings.Repeat("[", 20000), "1:10001: exceeded max depth of 10000 while increasing flow level"},
		{"name: [" + strings.Repeat("a", 100), "2:1: did not find expected ',' or ']' while parsing a flow sequence (started on line 1)"},
		{"max_count: " + strings.Repeat("a", 100), `1:12: want a whole number, got the word "` + strings.Repeat("a", 40) + `…"`},
	} {
		err := decode("x.yaml", []byte(c.src), new(sample))
		want := "x.yaml:" + strings.ReplaceAll(c.want, "\n", "\nx.yaml:")
		if err == nil || err.Error() != want {
			t.Errorf("%.60q:\ngot  %v\nwant %s", c.src, err, want)
		}
		var bad *Error
		if !errors.As(err, &bad) || len(bad.Problems) != strings.Count(want, "\n")+1 {
			t.Errorf("%.60q: got %#v, want an *Error that lists the problems", c.src, err)
		}
	}
}

// A billion-laughs document must not expand.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1)
	}
	b.WriteString("list: *a29\n")
	err := decode("x", []byte(b.String()), new(sample))
	if err == nil || !strings.HasSuffix(err.Error(), "x:31:7: aliases are not supported: write the value out") {
		t.Errorf("got %v", err)
	}
}

func TestDefaultsStay(t *testing.T) {
	got := sample{Count: 40, List: []string{"old"}, Words: map[string]string{"a": "b"}}
	if err := decode("x", []byte("name: n\nwords: {c: d}\nlist:\n"), &got); err != nil {
		t.Fatal(err)
	}
	want := sample{Name: "n", Count: 40, List: []string{"old"}, Words: map[string]string{"a": "b", "c": "d"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Valid values are filled in even if others are invalid.
func TestProblemsKeepTheRest(t *testing.T) {
	var got sample
	if err := decode("x", []byte("name: 1\nmax_count: 4\nlist: [a, 2, b]\n"), &got); err == nil {
		t.Fatal("no error")
	}
	if got.Count != 4 || !reflect.DeepEqual(got.List, []string{"a", "", "b"}) {
		t.Errorf("got %+v", got)
	}
}

func TestReading(t *testing.T) {
	src := "name: x\nwords:\n  a/b: ä\n  c~d: e\nlist:\n  - one\n  - two\n"
	for name, src := range map[string]string{
		"yaml": src,
		"json": "{\"name\": \"x\",\n \"words\": {\n  \"a/b\":\"ä\",\n  \"c~d\": \"e\"},\n\"list\": [\n    \"one\",\n    \"two\"]}",
	} {
		r := Read(name, []byte(src), new(sample))
		p, ok := r.At("/words/c~0d")
		if want := map[string]Position{"yaml": {4, 8, 4, 3}, "json": {4, 10, 4, 3}}[name]; !ok || p != want {
			t.Errorf("%s: /words/c~0d is at %v, want %v", name, p, want)
		}
		p, _ = r.At("/list/1")
		if want := (Position{7, 5, 7, 5}); p != want {
			t.Errorf("%s: /list/1 is at %v, want %v", name, p, want)
		}
		if _, ok := r.At("/seq"); ok {
			t.Errorf("%s: /seq was not given", name)
		}
		r.Complain("/list/0", "no %s", "ones")
		r.ComplainUnknown("/words/", "word", "see the list", []string{"a/b"}, []string{"other"})
		r.Complain("/seq", "missing")
		want := map[string]string{
			"yaml": "yaml:1:1: missing\nyaml:3:3: unknown word \"a/b\": see the list\nyaml:6:5: no ones",
			"json": "json:1:1: missing\njson:3:3: unknown word \"a/b\": see the list\njson:6:5: no ones",
		}[name]
		if err := r.Err(); err == nil || err.Error() != want {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	}
}

// TestComplainOfWrongType: a value of the wrong type is one problem, although the
// caller, who gets no value, rejects that, too.
func TestComplainOfWrongType(t *testing.T) {
	r := Read("yaml", []byte("list: [one, 5]\n"), new(sample))
	r.Complain("/list/1", "is empty")
	if err := r.Err(); err == nil || err.Error() != "yaml:1:13: want text, got the number 5: put it in quotes" {
		t.Error(err)
	}
}

func TestPanicsForTypesItCannotFill(t *testing.T) {
	defer func() {
		if p := recover(); p != "strictyaml: cannot fill a chan int" {
			t.Errorf("got %v", p)
		}
	}()
	decode("x", []byte("c: 1"), &struct {
		C chan int `yaml:"c"`
	}{})
}

// FuzzDecode: nothing panics, every problem is at a place in the input, and JSON
// without problems has the values that encoding/json decodes.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"name: a\nlist: [b]\n", `{"name":"a","numbers":[1],"reasons":[{"what":"x"}]}`,
		"a: &b [*b]\n", "? [x]\n: y\n", "- |\n  x\n", "words: {a: 'b', \"c\": d}\n---\n", "inner: {deep: [{x: 1}]}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var got sample
		err := decode("x", src, &got)
		var bad *Error
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%T is not an *Error: %v", err, err)
		}
		if bad != nil {
			for _, p := range bad.Problems {
				if p.Line < 1 || p.Col < 1 || p.Line > len(src)+1 || p.Col > len(src)+1 || strings.ContainsAny(p.Text, "\n\x1b") {
					t.Fatalf("a problem out of the input: %+v", p)
				}
			}
			return
		}
		var want sample
		if !json.Valid(src) || json.Unmarshal(src, &want) != nil {
			return
		}
		got.Level = 0
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, encoding/json says %+v", got, want)
		}
	})
}

func TestBlames(t *testing.T) {
	r := Read("x", []byte("name: 5\nratio: 2\n"), new(sample))
	if !r.Blames("/name") || r.Blames("/ratio") || r.Blames("/list") {
		t.Errorf("blames name %t, ratio %t, list %t", r.Blames("/name"), r.Blames("/ratio"), r.Blames("/list"))
	}
}

// TestNotJSON: errors of input that was meant as JSON are JSON errors with line and
// column; if YAML can read it, it is read.
func TestNotJSON(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"x", "{\"name\": \"a\"\n \"list\": []}", `x:2:2: not JSON: '"': want ',' or '}'`},
		{"x", `{"list": ["a", "b"}`, `x:1:19: not JSON: '}': want ',' or ']'`},
		{"x.json", "{name: [}", `x.json:1:2: not JSON: 'n': want a key in double quotes`},
		{"x.JSON", "[", `x.JSON:1:2: not JSON: end of the file: want a value`},
		{"x", "{\n", `x:2:1: not JSON: end of the file: want a key in double quotes`},
		{"x", "[", `x:1:2: not JSON: end of the file: want a value`},
		{"x", "{name: [}", "x:1:9: did not find expected node content while parsing a flow node"},
		{"x.yaml", "{\"name\": \"a\"\n \"list\": []}", "x.yaml:2:2: did not find expected ',' or '}' while parsing a flow mapping (started on line 1)"},
	} {
		if err := decode(c.name, []byte(c.src), new(sample)); err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
	var s sample
	if err := decode("x.json", []byte("{\"name\": \"a\",}"), &s); err != nil || s.Name != "a" {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestProblemPath: a problem has the path of its value, or of its key if that is unknown.
func TestProblemPath(t *testing.T) {
	for src, want := range map[string]string{
		`{"name": 5}`:              "/name",
		`{"list": ["a", 5]}`:       "/list/1",
		"list:\n- 5\n":             "/list/0",
		`{"name": "a", "nmae": 1}`: "/nmae",
		`["a"]`:                    "",
		`{"name": "a`:              "",
	} {
		var problems *Error
		if err := decode("x", []byte(src), new(sample)); !errors.As(err, &problems) || problems.Problems[0].Path != want {
			t.Errorf("%s: %v has the path %+v, want %q", src, err, problems, want)
		}
	}
}
