package jsontext

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPythonAppend has the results of json.dumps(json.loads(s), ensure_ascii=False),
// except for text that is not JSON.
func TestPythonAppend(t *testing.T) {
	for src, want := range map[string]string{
		`{"a":1,"b":[1,2.50,{"c":null}],"d":{},"e":[]}`: `{"a": 1, "b": [1, 2.50, {"c": null}], "d": {}, "e": []}`,
		"[ true ,\tfalse,\r\n-0.5e+3 ]":                 `[true, false, -0.5e+3]`,
		`"\u00e9\ud83d\ude00\/\b\f\n\r\t\u0001<>&"`:     `"é😀/\b\f\n\r\t\u0001<>&"`,
		"\"\u2028\x7f\"":                                "\"\u2028\x7f\"",
		`{"a":1,"b":2,"a":3}`:                           `{"a": 3, "b": 2}`,
		`[NaN,Infinity,-Infinity,-1]`:                   `[null, null, null, -1]`,
		`"\ud800"`:                                      "\"\ufffd\"",
		`"\ud800x\udc00\ud83d\ude00"`:                   "\"\ufffdx\ufffd😀\"",
		"\"a\xffb\"":                                    "\"a\ufffdb\"",
		`"\\u0041"`:                                     `"\\u0041"`,
	} {
		if err := Python.Check(src); err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if got := string(Python.AppendValue(nil, src)); got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
}

const noEscape = `no such escape in a string: a backslash itself is written \\`

func TestPythonErrors(t *testing.T) {
	for src, want := range map[string]string{
		`{"a":1`:                               "column 7: end of the text: want ',' or '}' (torn)",
		`{"a":tru`:                             "column 6: 't': want a value (torn)",
		`{"a":-`:                               "column 7: end of the text: want a digit (torn)",
		`{"a":-Inf`:                            "column 7: 'I': want a digit (torn)",
		`{"a":"\u00`:                           "column 7: " + noEscape + " (torn)",
		`{"a":"\`:                              "column 6: the string has no closing quote (torn)",
		`{"a":`:                                "column 6: end of the text: want a value (torn)",
		``:                                     "column 1: end of the text: want a value (torn)",
		`{"a":1}}`:                             "column 8: '}' after the end of the value",
		`{a:1}`:                                "column 2: 'a': want a key in double quotes",
		`[01]`:                                 "column 3: '1': want ',' or ']'",
		`[1.]`:                                 "column 4: ']': want a digit after the decimal point",
		"\"\t\"":                               "column 2: a raw control character (0x09) in a string",
		`"\x"`:                                 "column 2: " + noEscape,
		`nan`:                                  "column 1: 'n': want a value",
		strings.Repeat("1", 4301):              "column 1: a whole number of 4301 digits",
		strings.Repeat("[", Python.depth+1):    "column 501: nested more than 500 deep",
		strings.Repeat(`{"":`, Python.depth+1): "column 2001: nested more than 500 deep",
	} {
		err := Python.Check(src)
		syntax := (*Error)(nil)
		if !errors.As(err, &syntax) {
			t.Errorf("%.40q: %v", src, err)
			continue
		}
		got := err.Error()
		if syntax.Torn {
			got += " (torn)"
		}
		if got != want {
			t.Errorf("%.40q: %s, want %s", src, got, want)
		}
	}
}

func TestPythonObject(t *testing.T) {
	members, end, err := Python.FirstObject(` {"a": NaN, "b": "\udfff", "a": [1]}{"c":1}`)
	want := []Member{{"a", "[1]", false}, {"b", `"\udfff"`, true}}
	if err != nil || !reflect.DeepEqual(members, want) || end != 36 {
		t.Errorf("%+v, %d, %v", members, end, err)
	}
	var many strings.Builder
	for range 3 {
		for _, c := range "abcdefghijklmnopqrstuvwxyz" {
			many.WriteString(`"` + string(c) + `":1,`)
		}
	}
	if members, err = Python.Object("{" + many.String() + `"b":2}`); err != nil || len(members) != 26 || members[1].Value != "2" {
		t.Errorf("%+v, %v", members, err)
	}
}

// FuzzPython: any text that is read can be written as JSON with the same value, and
// any text that encoding/json reads is read.
func FuzzPython(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"\ud83d\ude00",null]}`, `[NaN,"\ud800"]`, "\"\xff\"", `{"a":1,"a":2}`, ` 0 `} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var plain any
		plainErr := json.Unmarshal([]byte(src), &plain)
		err := Python.Check(src)
		if err != nil {
			if syntax := (*Error)(nil); plainErr == nil && !strings.Contains(err.Error(), "nested more than") && !strings.Contains(err.Error(), "a whole number of") {
				t.Errorf("%q: %v (%v)", src, err, syntax)
			}
			return
		}
		out := Python.AppendValue(nil, src)
		if !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%q became %q", src, out)
		}
		if again := Python.AppendValue(nil, string(out)); string(again) != string(out) {
			t.Errorf("%q became %q, and then %q", src, out, again)
		}
		var back any
		if err := json.Unmarshal(out, &back); plainErr == nil && utf8.ValidString(src) && (err != nil || !reflect.DeepEqual(back, plain)) {
			t.Errorf("%q became %q: %v", src, out, err)
		}
	})
}
