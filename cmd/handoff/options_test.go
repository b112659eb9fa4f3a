package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// TestFlagsAreBound: a flag sets an option, of the build that it belongs to. One that sets
// nothing must be looked up by its name, where a misspelt one reads as empty; one that sets
// what another build also sets would tell one run what another was asked.
func TestFlagsAreBound(t *testing.T) {
	w := &command.Process{Getenv: func(string) string { return "" }}
	var walk func(above string, list, again []*cli.Command)
	walk = func(above string, list, again []*cli.Command) {
		for i, cmd := range list {
			name := above + cmd.Name
			walk(name+" ", cmd.Subcommands, again[i].Subcommands)
			for n, f := range cmd.Flags {
				flag := f.Names()[0]
				to, action := reflect.ValueOf(f).Elem().FieldByName("Destination"), reflect.ValueOf(f).Elem().FieldByName("Action")
				if flag != "C" && to.IsNil() && action.IsNil() {
					t.Errorf("%s %s sets nothing", name, command.Dashed(flag))
				}
				if other := reflect.ValueOf(again[i].Flags[n]).Elem().FieldByName("Destination"); !to.IsNil() && to.Pointer() == other.Pointer() {
					t.Errorf("%s %s sets the same in two builds", name, command.Dashed(flag))
				}
			}
		}
	}
	walk("", newApp(w, "").Commands, newApp(w, "").Commands)
}

// TestLookUps: flags are bound to options, and what works with the process is a function that
// takes what it needs. Lower a limit when you get below it.
func TestLookUps(t *testing.T) {
	const (
		mostLookUps = 40 // of flags by name, in the whole command line
		mostMethods = 34 // of command.Process
	)
	var lookUps, methods []string
	for _, folder := range []string{".", "../../surface/command"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			tree, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					for range looksUp(n) {
						lookUps = append(lookUps, path)
					}
				case *ast.FuncDecl:
					if n.Recv != nil && isProcess(n.Recv.List[0].Type) {
						methods = append(methods, n.Name.Name)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(lookUps) > mostLookUps {
		t.Errorf("%d flags are looked up by name, more than %d: bind them to options\n%s", len(lookUps), mostLookUps, strings.Join(lookUps, "\n"))
	}
	if len(methods) > mostMethods {
		t.Errorf("command.Process has %d methods, more than %d: write a function that takes what it needs\n%s", len(methods), mostMethods, strings.Join(methods, "\n"))
	}
	if len(lookUps) == 0 || len(methods) == 0 {
		t.Error("the test finds nothing: it does not see -C, which enter looks up, or say")
	}
}

// looksUp is the number of flags that a call looks up: one in c.Bool("json"), two in
// Repeated(c, "budget", "view").
func looksUp(call *ast.CallExpr) (n int) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if ok && (sel.Sel.Name == "Given" || sel.Sel.Name == "Repeated") {
		return len(call.Args) - 1
	}
	if !ok || len(call.Args) != 1 || !slices.Contains([]string{"String", "StringSlice", "Bool", "Int", "Int64", "Uint", "Uint64", "Float64", "Duration", "Value", "IsSet"}, sel.Sel.Name) {
		return 0
	}
	of, named := sel.X.(*ast.Ident)
	flag, literal := call.Args[0].(*ast.BasicLit)
	if named && of.Name == "c" && literal && flag.Kind == token.STRING {
		return 1
	}
	return 0
}

func isProcess(of ast.Expr) bool {
	star, ok := of.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := star.X.(*ast.Ident)
	return ok && name.Name == "Process"
}
