package jsontext

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStrictObject(t *testing.T) {
	got, err := Strict.Object(" {\"a\":1 , \"\\u0062\\n\" : [ {} ],\t\"a\":\"\\ud83d\\ude00é\"}\r")
	want := []Member{{"a", "1", false}, {"b\n", "[ {} ]", false}, {"a", `"\ud83d\ude00é"`, false}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if text := Text(got[2].Value); text != "😀é" {
		t.Errorf("%q", text)
	}
}

// TestStrictRefused has texts that encoding/json accepts and serde_json does not,
// and texts that both reject.
func TestStrictRefused(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for src, want := range map[string]string{
		``:                       "column 1: end of the text: want a value",
		`"\ud800"`:               "column 2: half of a surrogate pair",
		`{"\udc00":1}`:           "column 3: half of a surrogate pair",
		`"\ud800\u0041"`:         "column 2: half of a surrogate pair",
		"\"\xff\"":               "column 2: not UTF-8",
		"\"\\n\xff\"":            "column 4: not UTF-8",
		"\"\n\"":                 `column 2: a raw control character (0x0a) in a string`,
		`1e400`:                  "column 1: the number is out of range",
		`{"a":-1e400}`:           "column 6: the number is out of range",
		strings.Repeat("9", 310): "column 1: the number is out of range",
		deep(Strict.depth + 1):   "column 128: nested more than 127 deep",
		`01`:                     "column 2: '1' after the end of the value",
		`-`:                      "column 2: end of the text: want a digit",
		`1.`:                     "column 3: end of the text: want a digit after the decimal point",
		`[1,]`:                   "column 4: a comma before the closing bracket",
		`[1 2]`:                  "column 4: '2': want ',' or ']'",
		`{"a":1,}`:               "column 8: a comma before the closing bracket",
		`{"a" 1}`:                "column 6: '1': want ':' after the key",
		`{"a":1`:                 "column 7: end of the text: want ',' or '}'",
		`[`:                      "column 2: end of the text: want a value",
		`"\x"`:                   "column 2: no such escape in a string",
		`"\u12"`:                 "column 2: no such escape in a string",
		`"\u+123"`:               "column 2: no such escape in a string",
		`"a`:                     "column 1: the string has no closing quote",
		"\ufeff{}":               `column 1: '\ufeff': want a value`,
		`nul`:                    "column 1: 'n': want a value",
		"[\v1]":                  `column 2: '\v': want a value`,
	} {
		err := Strict.Check(src)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", src, err, want)
		}
	}
	for _, src := range []string{deep(Strict.depth), "1e-400", "1e308", "-0", `"` + "\u2028\x7f" + `"`} {
		if err := Strict.Check(src); err != nil {
			t.Errorf("%.40q: %v", src, err)
		}
	}
}

func TestUint(t *testing.T) {
	for src, want := range map[string]bool{"0": true, "18446744073709551615": true, "18446744073709551616": false, "1.0": false, "1e3": false, "-0": false, "+1": false, "": false, `"1"`: false} {
		if _, ok := Uint(src, 64); ok != want {
			t.Errorf("%q: %v", src, ok)
		}
	}
	if _, ok := Uint("4294967296", 32); ok {
		t.Error("2^32 fits 32 bits")
	}
}

func TestStrictAppend(t *testing.T) {
	got, err := Strict.AppendChecked([]byte("x"), " {\"b\":[1.50, {\"z\":null,\"a\":\"<&>\\u2028\\u0001\\/\"}],\n\"a\":1e5} ", 0)
	if want := `x{"a":1e5,"b":[1.50,{"a":"<&>` + "\u2028" + `\u0001/","z":null}]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{`{"a":1,"\u0061":2}`, `[{"a":1,"a":2}]`, "x", ""} {
		if _, err := Strict.AppendChecked(nil, bad, 0); err == nil {
			t.Errorf("%s was written", bad)
		}
	}
}

// FuzzStrict: an accepted text is JSON to encoding/json and has the same value when
// it is written again. If encoding/json accepts a rejected text, the reason is one
// of serde_json.
func FuzzStrict(f *testing.F) {
	for _, src := range []string{`{"a":[1,-2.5e+3,"\u00e9\ud83d\ude00\\"],"b":{"":null}}`, `[1e400]`, `"\ud800"`, ` true`, `{"a":1,"a":2}`, "[[[[]]]]", "\"\xff\""} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		err := Strict.Check(src)
		if err == nil && !json.Valid([]byte(src)) {
			t.Fatalf("%q passed", src)
		}
		if err != nil {
			if !json.Valid([]byte(src)) || !utf8.ValidString(src) {
				return
			}
			for _, reason := range []string{"surrogate", "out of range", "nested more than"} {
				if strings.Contains(err.Error(), reason) {
					return
				}
			}
			t.Fatalf("%q: %v", src, err)
		}
		once, err := Strict.AppendChecked(nil, src, 0)
		if err != nil {
			return // a doubled name
		}
		again, err := Strict.AppendChecked(nil, string(once), 0)
		if err != nil || !bytes.Equal(once, again) || !reflect.DeepEqual(meaning(t, []byte(src)), meaning(t, once)) {
			t.Fatalf("%q became %q, %v", src, once, err)
		}
	})
}

func meaning(t *testing.T, src []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
