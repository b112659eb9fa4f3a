package strictyaml

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

func (r *Reading) bad(n *yaml.Node, format string, args ...any) {
	r.add(n.Line, n.Column, format, args...)
}

func (r *Reading) mismatch(n *yaml.Node, v reflect.Value) {
	want := wanted(v)
	quote := ""
	if want == "text" && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		quote = ": put it in quotes"
	} else if want == "text" && n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 {
		quote = `: put text that contains ": " in quotes`
	}
	if _, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok && want != "text" {
		want += " or text"
	}
	r.bad(n, "want %s, got %s%s", want, what(n), quote)
}

func wanted(v reflect.Value) string {
	if _, ok := v.Addr().Interface().(Numbered); ok {
		return "a whole number or text"
	}
	switch v.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "keys with values"
	}
	return "a whole number"
}

// what describes a value in plain words.
func what(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "keys with values"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "the number " + plain(n.Value)
	case "!!bool":
		return plain(n.Value)
	}
	if n.Value == "" || strings.ContainsAny(n.Value, " \t\n") {
		return "text"
	}
	return "the word " + shown(n.Value)
}

func isText(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!str" || n.ShortTag() == "!!timestamp")
}

func knownTag(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!map":
		return n.Kind == yaml.MappingNode
	case "!!seq":
		return n.Kind == yaml.SequenceNode
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!merge":
		return n.Kind == yaml.ScalarNode
	}
	return false
}

// shown quotes a word of the input.
func shown(s string) string { return strconv.Quote(cut(s)) }

// plain is a word without quotes if it is safe to print: with a tag, any text can be
// a number.
func plain(s string) string {
	if quoted := shown(s); strings.Contains(quoted, `\`) {
		return quoted
	}
	return cut(s)
}

// cut shortens a value that an error quotes.
func cut(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
