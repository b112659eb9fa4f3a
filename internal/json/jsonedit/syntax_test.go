package jsonedit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const maxDepth = 10_000 // encoding/json's limit too

func TestParseErrors(t *testing.T) {
	tests := []struct{ src, want string }{
		{"", "1:1: no JSON value: the file is empty"},
		{" \n ", "2:2: no JSON value: the file is empty"},
		{"\ufeff{}", "1:1: the file begins with a byte order mark: save it as UTF-8 without one"},
		{"{} {}", "1:4: '{' after the end of the value"},
		{"{\n  \"ü\": 1,\n}", "3:1: a comma before the closing bracket: remove it"},
		{"[1, ]", "1:5: a comma before the closing bracket: remove it"},
		{"{\"ü\": 1 // no\n}", "1:9: a comment, which JSON does not allow: want ',' or '}'"},
		{"/* c */ {}", "1:1: a comment, which JSON does not allow: want a value"},
		{"[1 2]", "1:4: '2': want ',' or ']'"},
		{"{'a': 1}", "1:2: '\\'': want a key in double quotes"},
		{"{a: 1}", "1:2: 'a': want a key in double quotes"},
		{`{"a" 1}`, "1:6: '1': want ':' after the key"},
		{`{"a":}`, "1:6: '}': want a value"},
		{`{"a": 1`, "1:8: end of the file: want ',' or '}'"},
		{`["a`, "1:2: the string has no closing quote"},
		{`["a\`, "1:2: the string has no closing quote"},
		{"[\"a\nb\"]", "1:4: a raw control character (0x0a) in a string"},
		{`["\x"]`, `1:3: no such escape in a string: a backslash itself is written \\`},
		{`["\u12g4"]`, `1:3: no such escape in a string: a backslash itself is written \\`},
		{"01", "1:2: '1' after the end of the value"},
		{"-", "1:2: end of the file: want a digit"},
		{"1.", "1:3: end of the file: want a digit after the decimal point"},
		{"1e+", "1:4: end of the file: want a digit in the exponent"},
		{".5", "1:1: '.': want a value"},
		{"NaN", "1:1: 'N': want a value"},
		{"[\xff]", "1:2: byte 0xff: want a value"},
		{strings.Repeat("[", maxDepth+1), "1:10001: nested more than 10000 deep"},
	}
	for _, test := range tests {
		_, err := Parse([]byte(test.src))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != test.want {
			t.Errorf("%.40q: got %v\nwant %s", test.src, err, test.want)
		}
		if json.Valid([]byte(test.src)) {
			t.Errorf("%.40q is valid JSON for encoding/json", test.src)
		}
	}
}

func TestParseDepth(t *testing.T) {
	src := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	f := mustParse(t, src)
	deepest := make(Path, maxDepth-1)
	for i := range deepest {
		deepest[i] = 0
	}
	if err := f.Append(deepest, []any{}); !errors.Is(err, ErrValue) {
		t.Errorf("one level more: %v", err)
	}
	if err := f.Append(deepest, 1); err != nil || f.Root().Len() != 1 {
		t.Errorf("a scalar in the deepest array: %v", err)
	}
}

func TestParseKeepsItsText(t *testing.T) {
	src := []byte(`{"a": 1}`)
	f := mustParse(t, string(src))
	before, _ := f.Get("a")
	src[6] = '9'
	f.Bytes()[6] = '8'
	if err := f.Set(Path{"a"}, 22); err != nil {
		t.Fatal(err)
	}
	if string(f.Bytes()) != `{"a": 22}` || string(before.Raw()) != "1" {
		t.Errorf("file %s, value %s", f.Bytes(), before.Raw())
	}
}

func TestDuplicates(t *testing.T) {
	f := mustParse(t, "{\"a\": [{\"x\": 1},\n{\"x\": 1, \"ü\": 0, \"\\u0078\": 2, \"x\": 3}], \"a\": 0}")
	want := []Duplicate{
		{Path{"a", 1, "x"}, 2, 18},
		{Path{"a", 1, "x"}, 2, 31},
		{Path{"a"}, 2, 41},
	}
	if got := f.Duplicates(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if v, ok := f.Get("a"); !ok || string(v.Raw()) != "0" {
		t.Errorf("the last one counts, got %s", v.Raw())
	}
}

// An object with many keys is searched in another way.
func TestDuplicatesOfMany(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%q: 0, ", fmt.Sprint(i%30))
	}
	f, err := Parse([]byte("{" + b.String() + `"last": 0}`))
	if err != nil {
		t.Fatal(err)
	}
	got := f.Duplicates()
	if len(got) != 10 {
		t.Fatalf("%d of 10: %v", len(got), got)
	}
	for i, d := range got {
		if d.Path.String() != fmt.Sprintf("/%d", i) {
			t.Errorf("%d: %v", i, d)
		}
	}
}
