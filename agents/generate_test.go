package agents_test

import (
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/agents"
)

var update = flag.Bool("update", false, "write the generated files")

//go:generate go test -vet=off . -run "TestBuiltinTable|TestHostTable" -update

// generated is what the first line of a generated file says.
const generated = "// Code generated from agents/table by agents/generate_test.go. DO NOT EDIT.\n\n"

// files are the entries of table/, by name.
func files(t *testing.T) map[string]agents.Agent {
	t.Helper()
	paths, err := filepath.Glob("table/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v, %v", paths, err)
	}
	all := map[string]agents.Agent{}
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		a, err := agents.Read(filepath.Base(p), src, agents.Agent{})
		if err != nil {
			t.Fatal(err)
		}
		all[a.Name] = a
	}
	return all
}

// TestBuiltinTable: the entries in the program are those of the files in table/.
func TestBuiltinTable(t *testing.T) {
	all := files(t)
	names := slices.Sorted(maps.Keys(all))
	var b strings.Builder
	fmt.Fprintf(&b, generated+"package agents\n\nvar names = [...]string{%q", names[0])
	for _, name := range names[1:] {
		fmt.Fprintf(&b, ", %q", name)
	}
	b.WriteString("}\n\n// builtin returns an entry of its own at each call.\nfunc builtin(name string) (Agent, bool) {\n\tswitch name {\n")
	for _, name := range names {
		a := all[name]
		fmt.Fprintf(&b, "case %q:\nreturn %s, true\n", name, literal(reflect.ValueOf(a), "agents."))
		if got, err := agents.Builtin(name); !*update && !reflect.DeepEqual(got, a) {
			t.Errorf("%s: %+v, %v, the file has %+v", name, got, err, a)
		}
	}
	b.WriteString("}\nreturn Agent{}, false\n}\n")
	same(t, "builtin.go", b.String())
}

// TestHostTable: the table of package host is that of the files in table/.
func TestHostTable(t *testing.T) {
	var b strings.Builder
	b.WriteString(generated + "package host\n\nimport \"time\"\n\nvar table = []Host{\n")
	all := files(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if a := all[name]; a.IsHost() {
			b.WriteString(strings.TrimPrefix(literal(reflect.ValueOf(a.Host()), "host."), "Host") + ",\n")
		}
	}
	b.WriteString("}\n")
	same(t, "host/table.go", b.String())
}

// same compares a generated file with what it should be, or writes it.
func same(t *testing.T, file, source string) {
	t.Helper()
	want, err := format.Source([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != string(want) {
		t.Errorf("%s is out of date: run `go generate ./agents` (%v)", file, err)
	}
}

// literal is a value as Go writes it in the package whose qualifier is own, without the
// fields that are zero.
func literal(v reflect.Value, own string) string {
	if d, ok := v.Interface().(time.Duration); ok {
		if d%time.Second == 0 {
			return fmt.Sprintf("%d * time.Second", d/time.Second)
		}
		return fmt.Sprintf("%d * time.Millisecond", d/time.Millisecond)
	}
	kind := strings.ReplaceAll(v.Type().String(), own, "")
	var parts []string
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
				parts = append(parts, f.Name+": "+literal(v.Field(i), own))
			}
		}
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			parts = append(parts, literal(key, own)+": "+element(v.Type().Elem(), v.MapIndex(key), own))
		}
	case reflect.Slice:
		for i := range v.Len() {
			parts = append(parts, element(v.Type().Elem(), v.Index(i), own))
		}
		if v.Len() > 2 && v.Type().Elem().Kind() == reflect.Struct {
			return kind + "{\n" + strings.Join(parts, ",\n") + ",\n}"
		}
	default:
		return fmt.Sprintf("%#v", v.Interface())
	}
	return kind + "{" + strings.Join(parts, ", ") + "}"
}

// element is literal inside of a list or map, which has the type already.
func element(of reflect.Type, v reflect.Value, own string) string {
	text := literal(v, own)
	switch of.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Map:
		return strings.TrimPrefix(text, strings.ReplaceAll(of.String(), own, ""))
	}
	return text
}
