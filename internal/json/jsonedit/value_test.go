package jsonedit

import (
	"fmt"
	"math"
	"testing"
)

func TestValue(t *testing.T) {
	f := mustParse(t, "{\"s\": \"\\u00e9<\\ud800\", \"n\": 2.0, \"b\": false,\n \"o\": {\"k\": null}, \"l\": [1, \"x\"]}")
	get := func(path ...any) Value { v, _ := f.Get(path...); return v }
	check := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: got %s, want %s", what, g, w)
		}
	}
	text, ok := get("s").Text()
	check("text", fmt.Sprint(text, " ", ok), "é<\ufffd true")
	check("raw", string(get("s").Raw()), `"\u00e9<\ud800"`)
	b, ok := get("b").Bool()
	check("bool", fmt.Sprint(b, ok), "false true")
	line, col := get("o", "k").Pos()
	check("position", fmt.Sprint(line, col), "2 13")
	check("kinds", fmt.Sprint(get().Kind(), get("s").Kind(), get("n").Kind(), get("b").Kind(), get("o", "k").Kind(), get("l").Kind()),
		"an object a string a number true or false null an array")
	check("lengths", fmt.Sprint(get().Len(), get("s").Len(), get("o").Len(), get("l").Len()), "5 0 1 2")
	var elements []string
	for i, v := range get("l").Elements() {
		elements = append(elements, fmt.Sprintf("%d%s", i, v.Raw()))
	}
	check("elements", elements, []string{"01", `1"x"`})
	for _, path := range [][]any{{"x"}, {"s", "x"}, {"o", 0}, {"l", 2}, {"l", -1}, {"l", "0"}, {1.5}} {
		v, ok := f.Get(path...)
		_, isText := v.Text()
		_, isInt := v.Int64()
		if ok || isText || isInt || v.Kind() != 0 || v.Len() != 0 || len(v.Raw()) > 0 {
			t.Errorf("%v leads to %v %s", path, ok, v.Raw())
		}
	}
}

func TestInt64(t *testing.T) {
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"-0.0", 0, true},
		{"2.0", 2, true},
		{"20e-1", 2, true},
		{"1.5E1", 15, true},
		{"7.5", 0, false},
		{"-3", -3, true},
		{"9223372036854775807", math.MaxInt64, true},
		{"9223372036854775808", 0, false},
		{"-9223372036854775808", math.MinInt64, true},
		{"18446744073709551615", 0, false},
		{"18446744073709551616", 0, false},
		{"1e999999999999", 0, false},
		{"1e-999999999999", 0, false},
		{"0e999999999999", 0, true},
		{`"2"`, 0, false},
	}
	for _, test := range tests {
		v := mustParse(t, test.text).Root()
		if got, ok := v.Int64(); got != test.want || ok != test.ok {
			t.Errorf("%s: %d %v", test.text, got, ok)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"2", "2.0", true},
		{"2", "2.01", false},
		{"-2", "2", false},
		{"100", "1e2", true},
		{"9007199254740993", "9007199254740992", false}, // equal as float64
		{"0.1", "0.10000000000000001", false},
		{"1e999999999999", "1e999999999999", true},
		{"1e999999999999", "10e999999999998", false}, // unknown
		{`"\u00e9"`, `"é"`, true},
		{`"\ud83d\ude00"`, `"😀"`, true},
		{`"\ud800"`, `"\ud801"`, false},
		{"\"\xff\"", `"\ufffd"`, false},
		{`{"a":1,"b":[1,{}]}`, "{ \"b\": [1.0, { }],\n\"a\": 1 }", true},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1,"a":1}`, `{"a":1,"a":1}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[]`, `{}`, false},
		{"true", "false", false},
		{`"1"`, "1", false},
	}
	for _, test := range tests {
		a, b := mustParse(t, test.a).Root(), mustParse(t, test.b).Root()
		if equal(a, b) != test.want || equal(b, a) != test.want {
			t.Errorf("%s and %s: want %v", test.a, test.b, test.want)
		}
	}
}
