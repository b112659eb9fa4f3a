package jsontext

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// spelled is the text of a tree.
func spelled(src string, n *Node) string {
	if !n.IsContainer() {
		return src[n.Start:n.End]
	}
	var parts []string
	for i := range n.Children {
		c := &n.Children[i]
		parts = append(parts, src[c.NameStart:c.NameEnd]+"="+spelled(src, &c.Value))
	}
	return src[n.Start:n.Start+1] + strings.Join(parts, ",") + src[n.End-1:n.End]
}

// TestTree has containers as first children at each level: the shared memory of open
// containers must not mix them up.
func TestTree(t *testing.T) {
	src := ` {"a" : {"b": [ [1, {}], "x" ], "\u0063": -2.5e3}, "d":[[[true]]],"e": null } `
	want := `{"a"={"b"=[=[=1,={}],="x"],"\u0063"=-2.5e3},"d"=[=[=[=true]]],"e"=null}`
	for range 2 { // the second time in used memory
		root, err := Plain.Parse(src)
		if err != nil || spelled(src, root) != want {
			t.Fatalf("%s, %v", spelled(src, root), err)
		}
		if name := root.Children[0].Value.Children[1].Name; name != "c" {
			t.Error(name)
		}
		err = Strict.ReadObject(src, func(n *Node) {
			if spelled(src, n) != want {
				t.Error(spelled(src, n))
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{`[]`, `{"a":[1,]}`, `{} {}`, ""} {
		err := Strict.ReadObject(bad, func(*Node) { t.Errorf("%q was read", bad) })
		if err == nil {
			t.Errorf("%q is an object", bad)
		}
	}
}

// FuzzPlain accepts the same texts as encoding/json, with the same values.
func FuzzPlain(f *testing.F) {
	for _, src := range []string{`{"a":[1,{"b":{}}],"a":"\ud800\u00e9"}`, "\"\xff\xfe\"", `[1,]`, `01`, ` null `, "\ufeff{}", `"\u12`, "{"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		root, err := Plain.Parse(src)
		if (err == nil) != json.Valid([]byte(src)) || (Plain.Check(src) == nil) != (err == nil) {
			t.Fatalf("%q: %v", src, err)
		}
		if (Sound.Check(src) == nil) != (err == nil && sound(src, root)) {
			t.Fatalf("%q: %v", src, Sound.Check(src))
		}
		if err != nil || !utf8.ValidString(src) {
			return
		}
		var want any
		d := json.NewDecoder(strings.NewReader(src))
		d.UseNumber()
		if err := d.Decode(&want); err != nil || !reflect.DeepEqual(value(src, root), want) {
			t.Fatalf("%q: %v, want %v, %v", src, value(src, root), want, err)
		}
	})
}

func sound(src string, n *Node) bool {
	ok := utf8.ValidString(src) && (n.Kind != KindString || HalfPair(src[n.Start:n.End]) < 0)
	for i := range n.Children {
		c := &n.Children[i]
		ok = ok && HalfPair(src[c.NameStart:c.NameEnd]) < 0 && sound(src, &c.Value)
	}
	return ok
}

// value is what encoding/json would decode.
func value(src string, n *Node) any {
	raw := src[n.Start:n.End]
	switch n.Kind {
	case KindObject:
		o := map[string]any{}
		for i := range n.Children {
			o[n.Children[i].Name] = value(src, &n.Children[i].Value)
		}
		return o
	case KindArray:
		a := []any{}
		for i := range n.Children {
			a = append(a, value(src, &n.Children[i].Value))
		}
		return a
	case KindString:
		return Text(raw)
	case KindNumber:
		return json.Number(raw)
	case KindBool:
		return raw == "true"
	}
	return nil
}
