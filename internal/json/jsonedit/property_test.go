package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var keys = rapid.SampledFrom([]string{"a", "b", "c", "é<>&", "x\"\\\n", ""})

// anyJSON draws the text of a value with whitespace drawn for every gap.
func anyJSON(t *rapid.T, depth int, space *rapid.Generator[string]) string {
	ws := func() string { return space.Draw(t, "space") }
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if depth == 0 || kind < 3 {
		return rapid.SampledFrom([]string{`"x"`, `"\u00e9<&\/"`, `"é\n"`, "2.0", "-1e3", "0", "12345678901234567890",
			"true", "false", "null", "[]", "{}", "[ ]", "{\n}"}).Draw(t, "scalar")
	}
	var parts []string
	n := rapid.IntRange(0, 4).Draw(t, "n")
	if kind == 3 {
		for range n {
			parts = append(parts, ws()+anyJSON(t, depth-1, space)+ws())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for _, key := range rapid.SliceOfNDistinct(keys, n, n, rapid.ID[string]).Draw(t, "keys") {
		quoted, _ := appendString(nil, key)
		parts = append(parts, ws()+string(quoted)+ws()+":"+ws()+anyJSON(t, depth-1, space)+ws())
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// anyValue draws a Go value to write.
func anyValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 8).Draw(t, "value"); {
	case kind == 0 && depth > 0:
		var o Object
		for _, key := range rapid.SliceOfNDistinct(keys, 0, 3, rapid.ID[string]).Draw(t, "keys") {
			o = append(o, Member{key, anyValue(t, depth-1)})
		}
		return o
	case kind == 1 && depth > 0:
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return anyValue(t, depth-1) }), 0, 3).Draw(t, "slice")
	case kind == 2:
		return rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "strings")
	case kind == 3:
		return rapid.Int().Draw(t, "int")
	case kind == 4:
		return rapid.Uint64().Draw(t, "uint64")
	case kind == 5:
		return nil
	case kind == 6:
		return json.RawMessage(rapid.SampledFrom([]string{"2.0", "2", ` {"r" : [1e3,[ ]]} `}).Draw(t, "raw"))
	case kind == 7:
		return rapid.Bool().Draw(t, "bool")
	}
	return rapid.String().Draw(t, "string")
}

// anyPath walks down from the value for some steps. The last one may lead to a
// missing value.
func anyPath(t *rapid.T, v Value) Path {
	var path Path
	for range rapid.IntRange(0, 4).Draw(t, "steps") {
		switch v.Kind() {
		case KindObject:
			path = append(path, keys.Draw(t, "key"))
		case KindArray:
			path = append(path, rapid.IntRange(0, v.Len()).Draw(t, "index"))
		default:
			return path
		}
		next, ok := v.Get(path[len(path)-1])
		if !ok {
			return path
		}
		v = next
	}
	return path
}

// TestEditsAgainstDecoded edits a text and, with maps and slices, what
// encoding/json made of it, and compares.
func TestEditsAgainstDecoded(t *testing.T) {
	space := rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\r\n\t", "  \n\n "})
	rapid.Check(t, func(t *rapid.T) {
		f, err := Parse([]byte("\n" + anyJSON(t, 3, space) + " "))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			oneEdit(t, f)
		}
	})
}

func oneEdit(t *rapid.T, f *File) {
	path := anyPath(t, f.Root())
	at, err := f.resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	before, data := f.src, decodeAll(t, f.src)
	switch op := rapid.SampledFrom([]string{"set", "append", "remove"}).Draw(t, "op"); {
	case op == "remove" && len(path) > 0:
		if err := f.Remove(path); err != nil {
			t.Fatal(err)
		}
		if data = removeIn(data, path); f.src != before {
			sameBesides(t, f.src, before)
		}
	case op == "append" && at.here.Kind == KindArray && len(at.rest) == 0:
		value := anyValue(t, 2)
		if err := f.Append(path, value); err != nil {
			t.Fatal(err)
		}
		data = setIn(data, append(path, len(at.here.Children)), asDecoded(t, value))
		if len(at.here.Children) > 0 {
			sameBesides(t, before, f.src)
		}
	default:
		value := anyValue(t, 2)
		if err := f.Set(path, value); err != nil {
			t.Fatal(err)
		}
		data = setIn(data, path, asDecoded(t, value))
		if len(at.rest) > 0 && len(at.here.Children) > 0 {
			sameBesides(t, before, f.src)
		} else if !strings.HasPrefix(f.src, before[:at.here.Start]) || !strings.HasSuffix(f.src, before[at.here.End:]) {
			t.Fatalf("bytes around %s changed: %q to %q", path, before, f.src)
		}
	}
	if after := decodeAll(t, f.src); !reflect.DeepEqual(after, data) {
		t.Fatalf("%s of %q: got %q, which is %v, want %v", path, before, f.src, after, data)
	}
}

// removeIn removes what is at a path in a decoded value.
func removeIn(v any, path Path) any {
	switch step := path[0].(type) {
	case string:
		m, _ := v.(map[string]any)
		if _, ok := m[step]; !ok {
			break
		}
		if len(path) == 1 {
			delete(m, step)
		} else {
			m[step] = removeIn(m[step], path[1:])
		}
	case int:
		list, _ := v.([]any)
		if step >= len(list) {
			break
		}
		if len(path) == 1 {
			return append(list[:step:step], list[step+1:]...)
		}
		list[step] = removeIn(list[step], path[1:])
	}
	return v
}

// sameBesides fails unless long is short with one run of bytes inserted.
func sameBesides(t *rapid.T, short, long string) {
	i := 0
	for i < len(short) && i < len(long) && short[i] == long[i] {
		i++
	}
	if len(long) < len(short) || !strings.HasSuffix(long, short[i:]) {
		t.Fatalf("more than one place differs: %q and %q", short, long)
	}
}

// decodeAll is the value as encoding/json decodes it, with exact numbers.
func decodeAll(t *rapid.T, src string) any {
	d := json.NewDecoder(strings.NewReader(src))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || !json.Valid([]byte(src)) {
		t.Fatalf("%q: %v", src, err)
	}
	return exact(v)
}

func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, _ := new(big.Rat).SetString(v.String())
		return r.String()
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	}
	return v
}

// asDecoded encodes a value with encoding/json and decodes it.
func asDecoded(t *rapid.T, value any) any {
	text, err := json.Marshal(plain(value))
	if err != nil {
		t.Fatal(err)
	}
	return decodeAll(t, string(text))
}

func plain(value any) any {
	switch value := value.(type) {
	case Object:
		m := map[string]any{}
		for _, member := range value {
			m[member.Key] = plain(member.Value)
		}
		return m
	case []any:
		all := []any{}
		for _, v := range value {
			all = append(all, plain(v))
		}
		return all
	case []string:
		return append([]string{}, value...)
	}
	return value
}

func setIn(data any, path Path, value any) any {
	if len(path) == 0 {
		return value
	}
	switch data := data.(type) {
	case map[string]any:
		data[path[0].(string)] = setIn(data[path[0].(string)], path[1:], value)
		return data
	case []any:
		i := path[0].(int)
		if i == len(data) {
			data = append(data, nil)
		}
		data[i] = setIn(data[i], path[1:], value)
		return data
	}
	panic(fmt.Sprintf("%T at %s", data, path))
}

// TestEditsKeepTheStyle edits the output of a formatter: formatting it again after
// each edit changes nothing.
func TestEditsKeepTheStyle(t *testing.T) {
	formatters := []func(*bytes.Buffer, []byte) error{
		json.Compact,
		func(b *bytes.Buffer, src []byte) error { return json.Indent(b, src, "", "  ") },
		func(b *bytes.Buffer, src []byte) error { return json.Indent(b, src, "", "\t") },
	}
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(formatters).Draw(t, "format")
		formatted := func(src string) string {
			var b bytes.Buffer
			if err := format(&b, []byte(src)); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		// The examples show every habit: without an array of scalars, say, a new one would
		// be on one line.
		inner := anyJSON(t, 3, rapid.Just(""))
		f, err := Parse([]byte(formatted(`{"example": {"list": [1, 2]}, "edit": ` + inner + `}`)))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			root, _ := f.Get("edit")
			path := append(Path{"edit"}, anyPath(t, root)...)
			before := f.src
			if err := f.Set(path, anyValue(t, 2)); err != nil || f.src != formatted(f.src) {
				t.Fatalf("%s: %v: from\n%s\nto\n%s", path, err, before, f.src)
			}
		}
	})
}
