package pyjson

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestAppendValue holds the form that json.dumps(json.loads(s),
// ensure_ascii=False) gives, but for what is not JSON.
func TestAppendValue(t *testing.T) {
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
		if err := Check(src); err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if got := string(AppendValue(nil, src)); got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for src, want := range map[string]string{
		`{"a":1`:                           "column 7: ends, want a comma or the end of the object (torn)",
		`{"a":tru`:                         "column 9: ends, want a value (torn)",
		`{"a":-`:                           "column 7: ends, want a digit (torn)",
		`{"a":-Inf`:                        "column 10: ends, want a digit (torn)",
		`{"a":"\u00`:                       "column 11: ends, want four hex digits (torn)",
		`{"a":"\`:                          "column 8: ends, want an escape (torn)",
		`{"a":`:                            "column 6: ends, want a value (torn)",
		``:                                 "column 1: ends, want a value (torn)",
		`{"a":1}}`:                         "column 8: more behind the end of the value",
		`{a:1}`:                            `column 2: 'a', want a name in quotes`,
		`[01]`:                             `column 3: '1', want no digit after 0`,
		`[1.]`:                             `column 4: ']', want a digit`,
		"\"\t\"":                           `column 2: '\t', want no control character`,
		`"\x"`:                             `column 3: 'x', want an escape`,
		`nan`:                              `column 1: 'n', want a value`,
		strings.Repeat("1", 4301):          "column 1: a whole number of 4301 digits",
		strings.Repeat("[", MaxDepth+1):    "column 501: nested deeper than 500",
		strings.Repeat(`{"":`, MaxDepth+1): "column 2001: nested deeper than 500",
	} {
		err := Check(src)
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

func TestObject(t *testing.T) {
	members, end, err := Object(` {"a": NaN, "b": "\udfff", "a": [1]}{"c":1}`)
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
	if members, err = Members("{" + many.String() + `"b":2}`); err != nil || len(members) != 26 || members[1].Value != "2" {
		t.Errorf("%+v, %v", members, err)
	}
}

// FuzzValue holds that what is read can be written, and is JSON then, which
// says the same; and that what encoding/json reads is read.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"\ud83d\ude00",null]}`, `[NaN,"\ud800"]`, "\"\xff\"", `{"a":1,"a":2}`, ` 0 `} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var plain any
		plainErr := json.Unmarshal([]byte(src), &plain)
		err := Check(src)
		if err != nil {
			if syntax := (*Error)(nil); plainErr == nil && !strings.Contains(err.Error(), "nested deeper") && !strings.Contains(err.Error(), "a whole number of") {
				t.Errorf("%q: %v (%v)", src, err, syntax)
			}
			return
		}
		out := AppendValue(nil, src)
		if !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%q became %q", src, out)
		}
		if again := AppendValue(nil, string(out)); string(again) != string(out) {
			t.Errorf("%q became %q, and then %q", src, out, again)
		}
		var back any
		if err := json.Unmarshal(out, &back); plainErr == nil && utf8.ValidString(src) && (err != nil || !reflect.DeepEqual(back, plain)) {
			t.Errorf("%q became %q: %v", src, out, err)
		}
	})
}
