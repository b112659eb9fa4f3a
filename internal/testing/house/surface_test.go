package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// surface is what programs of another module can name of some packages, one fact a line. A parameter's name, a
// constant's value and a struct's tag are no facts.
type surface struct {
	names map[*types.TypeName]string // of the types, by what they are
	facts map[string]bool
	leaks map[string][]string // names of types that they cannot name, by what has them, which is no fact then

	foreign []string // those of the fact that is being spelled
}

func surfaceOf(packages ...*types.Package) *surface {
	s := &surface{names: map[*types.TypeName]string{}, facts: map[string]bool{}, leaks: map[string][]string{}}
	for _, aliases := range []bool{false, true} { // a type has the name of its own package, if that is public
		s.each(packages, func(name string, o types.Object) {
			of, ok := o.(*types.TypeName)
			if !ok || of.IsAlias() != aliases {
				return
			}
			if named, ok := types.Unalias(of.Type()).(*types.Named); ok && s.names[named.Obj()] == "" {
				s.names[named.Obj()] = name
			}
		})
	}
	s.each(packages, s.object)
	return s
}

func (s *surface) each(packages []*types.Package, do func(name string, o types.Object)) {
	for _, p := range packages {
		for _, name := range p.Scope().Names() {
			if token.IsExported(name) {
				do(p.Path()+"."+name, p.Scope().Lookup(name))
			}
		}
	}
}

func (s *surface) fact(name string, t types.Type) {
	s.foreign = nil
	text := s.spell(t)
	if len(s.foreign) > 0 {
		s.leaks[name] = s.foreign
	} else {
		s.facts[name+" "+text] = true
	}
}

func (s *surface) object(name string, o types.Object) {
	of, ok := o.(*types.TypeName)
	if !ok {
		s.fact(strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T ", o), "*types."))+name, o.Type())
		return
	}
	switch t := of.Type().Underlying().(type) {
	case *types.Struct:
		s.facts["type "+name+" struct"] = true
		for f := range t.Fields() {
			if f.Exported() {
				s.fact("field "+name+"."+f.Name(), f.Type())
			}
		}
	default:
		s.fact("type "+name, t)
	}
	for m := range types.NewMethodSet(types.NewPointer(of.Type())).Methods() {
		if m.Obj().Exported() && !types.IsInterface(of.Type()) {
			s.fact("method "+name+"."+m.Obj().Name(), m.Type())
		}
	}
}

// spell writes a type with public names alone.
func (s *surface) spell(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		if o := t.Obj(); o.Pkg() == nil || !ours(o.Pkg().Path()) {
			s.named(o)
			return t.String()
		}
		return s.spell(types.Unalias(t))
	case *types.Named:
		return s.named(t.Obj()) + s.spellAll("[", slices.Collect(t.TypeArgs().Types()), "]")
	case *types.Pointer:
		return "*" + s.spell(t.Elem())
	case *types.Slice:
		return "[]" + s.spell(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), s.spell(t.Elem()))
	case *types.Map:
		return "map[" + s.spell(t.Key()) + "]" + s.spell(t.Elem())
	case *types.Chan:
		return [...]string{"chan ", "chan<- ", "<-chan "}[t.Dir()] + s.spell(t.Elem())
	case *types.Signature:
		text := "func(" + s.spellAll("", tuple(t.Params()), "")
		if t.Variadic() {
			text += "..."
		}
		return text + ")" + s.spellAll(" (", tuple(t.Results()), ")")
	case *types.Struct:
		text := "struct{"
		for f := range t.Fields() {
			text += f.Name() + " " + s.spell(f.Type()) + "; "
		}
		return text + "}"
	case *types.Interface:
		text := "interface{"
		for m := range t.Methods() {
			if m.Exported() {
				text += m.Name() + " " + s.spell(m.Type()) + "; "
			}
		}
		return text + "}"
	default:
		return t.String()
	}
}

func (s *surface) spellAll(before string, list []types.Type, after string) string {
	var texts []string
	for _, t := range list {
		texts = append(texts, s.spell(t))
	}
	if len(texts) == 0 {
		return ""
	}
	return before + strings.Join(texts, ", ") + after
}

func tuple(of *types.Tuple) (list []types.Type) {
	for v := range of.Variables() {
		list = append(list, v.Type())
	}
	return list
}

// named is the public name of a type; one that has none is a leak.
func (s *surface) named(o *types.TypeName) string {
	if o.Pkg() == nil { // error, any
		return o.Name()
	}
	if name := s.names[o]; name != "" {
		return name
	}
	path, name := o.Pkg().Path(), o.Pkg().Path()+"."+o.Name()
	if first, _, _ := strings.Cut(path, "/"); ours(path) || strings.Contains(first, ".") { // not of the standard library
		s.foreign = append(s.foreign, name)
	}
	return name
}

// TestSurface changes a package in ways that break programs, and in ways that do not.
func TestSurface(t *testing.T) {
	const source = `package p
		import "io"
		const Most = 1
		type Kind int
		type T struct { A int; b Kind }
		func (T) Say(w io.Writer, more ...string) (n int, err error) { return }
		type Reader interface { Read() map[Kind]*T }`
	from := compiled(t, "io")
	of := func(text string) *surface {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "p.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&types.Config{Importer: from}).Check("handoff/p", files, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return surfaceOf(p)
	}
	before := strings.Join(slices.Sorted(maps.Keys(of(source).facts)), "\n")
	for _, c := range []struct{ old, new, want string }{
		{"A int", "A string", "field handoff/p.T.A int"},
		{"Most", "Least", "const handoff/p.Most untyped int"},
		{"Say(w io.Writer", "Say(w io.StringWriter", "method handoff/p.T.Say func(io.Writer, []string...) (int, error)"},
		{"Read()", "Write(); Read()", "type handoff/p.Reader interface{Read func() (map[handoff/p.Kind]*handoff/p.T); }"},
		{"(w io.Writer", "(to io.Writer", ""},
		{"Most = 1", "Most = 2", ""},
		{"b Kind", "b Kind; C Kind", ""},
	} {
		got := strings.Join(removed(before, of(strings.Replace(source, c.old, c.new, 1)).facts), "\n")
		if got != c.want {
			t.Errorf("%s -> %s: %q, want %q", c.old, c.new, got, c.want)
		}
	}
	leaks := of(strings.ReplaceAll(source, "Kind", "kind")).leaks
	if len(leaks) != 1 || !slices.Equal(leaks["type handoff/p.Reader"], []string{"handoff/p.kind"}) {
		t.Errorf("leaks are %v", leaks)
	}
}
