package jsonedit

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// FuzzEdit edits every value of any text that is JSON.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{multi, `{"a":1,"a":2}`, "\ufeff{}", "[1,]", "{\r\n\t\"a\" : [ {} , [\n] ]\r\n}", `"\ud800"`, "-0.0e+1", "\"\xff\"", "// c\n1", "tru", "[\x00]"} {
		f.Add([]byte(seed), "key", "text")
	}
	f.Fuzz(func(t *testing.T, src []byte, key, text string) {
		file, err := Parse(src)
		if (err == nil) != json.Valid(src) {
			t.Fatalf("Parse: %v, encoding/json: %v", err, json.Valid(src))
		}
		if err != nil {
			return
		}
		if string(file.Bytes()) != string(src) {
			t.Fatal("the text has changed without an edit")
		}
		for _, path := range paths(file.Root(), nil, 50) {
			editAt(t, string(src), path, key, text)
		}
	})
}

func editAt(t *testing.T, src string, path Path, key, text string) {
	for name, edit := range map[string]edit{
		"set":    set(Object{{key, []any{text, 1}}}, path...),
		"member": set(text, append(path[:len(path):len(path)], key)...),
		"append": push(Object{{key, text}}, path...),
	} {
		f, err := Parse([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		err = edit(f)
		if err != nil && !errors.Is(err, ErrDuplicateKey) && !errors.Is(err, ErrKind) && !errors.Is(err, ErrValue) {
			t.Fatalf("%s %s: %v", name, path, err)
		}
		if !json.Valid(f.Bytes()) || err != nil && f.Changed() {
			t.Fatalf("%s %s: %v: %q to %q", name, path, err, src, f.Bytes())
		}
		got, ok := f.Get(append(path[:len(path):len(path)], key)...)
		if s, _ := got.Text(); err == nil && name == "member" && (!ok || s != text) && !strings.Contains(text, "\ufffd") {
			t.Fatalf("%s %s: %q to %q holds %q", name, path, src, f.Bytes(), s)
		}
	}
}

// paths are the paths of at most limit values, the outer ones first.
func paths(v Value, path Path, limit int) []Path {
	all := []Path{path}
	for i := range v.Len() {
		c := &v.n.Children[i]
		if len(all) < limit && v.Kind() == KindObject {
			all = append(all, paths(Value{v.src, &c.Value}, append(path[:len(path):len(path)], c.Name), limit-len(all))...)
		}
	}
	for i, element := range v.Elements() {
		if len(all) < limit {
			all = append(all, paths(element, append(path[:len(path):len(path)], i), limit-len(all))...)
		}
	}
	return all
}
