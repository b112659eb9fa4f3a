package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"handoff/internal/state"
)

// TestStateFiles finds paths below .handoff, or in git folders, that code makes of names which
// are not in the table of package state. A part that is computed counts as any name.
func TestStateFiles(t *testing.T) {
	files, constants := map[string]*ast.File{}, map[string]string{} // by path; by "folder.Name"
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		file = filepath.ToSlash(file)
		switch {
		case err != nil || e.IsDir() && (slices.Contains([]string{"measure", "release", "internal/testing", "internal/file", "sdk"}, file) || e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".") && file != "."):
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return err
		case e.IsDir(), !strings.HasSuffix(file, ".go"), strings.HasSuffix(file, "_test.go"):
			return nil
		}
		files[file], err = parser.ParseFile(token.NewFileSet(), file, nil, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 { // constants are made of others
		for file, f := range files {
			r := reader{path.Dir(file), importsOf(f), constants}
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
					r.constants.take(r, g)
				}
			}
		}
	}
	found := 0
	for file, f := range files {
		r := reader{path.Dir(file), importsOf(f), constants}
		ast.Inspect(f, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok {
				for _, p := range r.stated(x) {
					found++
					if !inTable(p) {
						t.Errorf("%s: %q is not in the table of state: add it there", file, p)
					}
				}
			}
			return true
		})
	}
	if found < 30 {
		t.Errorf("only %d paths were found: the test no longer sees how they are made", found)
	}
}

// inTable reports whether a path with "*" for computed parts can be one of the table.
func inTable(p string) bool {
	if _, ok := state.Find(p, false); ok {
		return true
	}
	if _, ok := state.Find(p, true); ok {
		return true
	}
	parts := strings.Split(p, "/")
	return slices.ContainsFunc(state.Table, func(r state.Row) bool {
		row := strings.Split(strings.TrimSuffix(r.Name, "/"), "/")
		if len(row) != len(parts) {
			return false
		}
		for i, part := range parts {
			is, _ := path.Match(part, row[i])
			fits, _ := path.Match(row[i], part)
			if !is && !fits {
				return false
			}
		}
		return true
	})
}

// constantsOf are the string constants of packages, by "folder.Name".
type constantsOf map[string]string

func (c constantsOf) take(r reader, g *ast.GenDecl) {
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		for i, name := range v.Names {
			if i < len(v.Values) {
				if text := r.text(v.Values[i]); !strings.Contains(text, "*") {
					c[r.dir+"."+name.Name] = text
				}
			}
		}
	}
}

// reader reads expressions of a file.
type reader struct {
	dir       string
	imports   map[string]string // folder by name
	constants constantsOf
}

func importsOf(f *ast.File) map[string]string {
	list := map[string]string{}
	for _, imp := range f.Imports {
		from, _ := strconv.Unquote(imp.Path.Value)
		dir := strings.TrimPrefix(from, "handoff/")
		name := path.Base(from)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		list[name] = dir
	}
	return list
}

// text is the value of an expression, with a "*" for each part that is computed.
func (r reader) text(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
			return text
		}
	case *ast.Ident:
		if text, ok := r.constants[r.dir+"."+x.Name]; ok {
			return text
		}
	case *ast.SelectorExpr:
		if on, ok := x.X.(*ast.Ident); ok {
			if text, ok := r.constants[r.imports[on.Name]+"."+x.Sel.Name]; ok {
				return text
			}
		}
	case *ast.BinaryExpr:
		return r.text(x.X) + r.text(x.Y)
	case *ast.CallExpr:
		if _, name := called(x); name == "FromSlash" {
			return r.text(x.Args[0])
		}
	}
	return "*"
}

func called(c *ast.CallExpr) (on, name string) {
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
		if x, ok := sel.X.(*ast.Ident); ok {
			on = x.Name
		}
		return on, sel.Sel.Name
	}
	return "", ""
}

// stated returns the paths below our folders that an expression makes.
func (r reader) stated(x ast.Expr) (paths []string) {
	var text string
	switch x := x.(type) {
	case *ast.BasicLit, *ast.BinaryExpr:
		text = r.text(x)
	case *ast.CallExpr:
		switch on, name := called(x); {
		case name == "Join" && (on == "filepath" || on == "path"):
			text = r.joined(x.Args)
		case (name == "Beside" || name == "Apart") && len(x.Args) > 0:
			return []string{r.joined(x.Args)}
		case on == "filepath" && name == "Dir" && len(x.Args) == 1 && r.dir != "log/receipt":
			if sel, ok := x.Args[0].(*ast.SelectorExpr); ok && sel.Sel.Name == "Dir" && r.imports["receipt"] != "" {
				return []string{"beside the receipts, but not with Place.Beside"}
			}
		}
	}
	for _, field := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" `\"'(),;:\n", c) }) {
		for _, top := range []string{state.Dir + "/", ".git/" + state.InGit + "/"} {
			_, below, _ := strings.Cut("/"+field, "/"+top)
			if below = strings.TrimRight(below, "./"); below != "" {
				paths = append(paths, below)
			}
		}
	}
	return paths
}

func (r reader) joined(args []ast.Expr) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = r.text(a)
	}
	return strings.Join(list, "/")
}
