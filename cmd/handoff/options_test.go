package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"handoff/agents"
	"handoff/workspace/check"
)

// TestFlagsAreBound: a flag sets an option, of the build that it belongs to. One that sets
// nothing must be looked up by its name, where a misspelt one reads as empty; one that sets
// what another build also sets would tell one run what another was asked.
func TestFlagsAreBound(t *testing.T) {
	w := &process{getenv: func(string) string { return "" }}
	var walk func(above string, list, again []*cli.Command)
	walk = func(above string, list, again []*cli.Command) {
		for i, cmd := range list {
			name := above + cmd.Name
			walk(name+" ", cmd.Subcommands, again[i].Subcommands)
			for n, f := range cmd.Flags {
				flag := f.Names()[0]
				to, action := reflect.ValueOf(f).Elem().FieldByName("Destination"), reflect.ValueOf(f).Elem().FieldByName("Action")
				if flag != "C" && to.IsNil() && action.IsNil() {
					t.Errorf("%s %s sets nothing", name, dashed(flag))
				}
				if other := reflect.ValueOf(again[i].Flags[n]).Elem().FieldByName("Destination"); !to.IsNil() && to.Pointer() == other.Pointer() {
					t.Errorf("%s %s sets the same in two builds", name, dashed(flag))
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
		mostMethods = 34 // of process
	)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var lookUps, methods []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				for range looksUp(n) {
					lookUps = append(lookUps, f.Name())
				}
			case *ast.FuncDecl:
				if n.Recv != nil && isProcess(n.Recv.List[0].Type) {
					methods = append(methods, n.Name.Name)
				}
			}
			return true
		})
	}
	if len(lookUps) > mostLookUps {
		t.Errorf("%d flags are looked up by name, more than %d: bind them to options\n%s", len(lookUps), mostLookUps, strings.Join(lookUps, "\n"))
	}
	if len(methods) > mostMethods {
		t.Errorf("process has %d methods, more than %d: write a function that takes what it needs\n%s", len(methods), mostMethods, strings.Join(methods, "\n"))
	}
	if len(lookUps) == 0 || len(methods) == 0 {
		t.Error("the test finds nothing: it does not see -C, which enter looks up, or say")
	}
}

// looksUp is the number of flags that a call looks up: one in c.Bool("json"), two in
// repeated(c, "budget", "view").
func looksUp(call *ast.CallExpr) (n int) {
	if of, ok := call.Fun.(*ast.Ident); ok && (of.Name == "given" || of.Name == "repeated") {
		return len(call.Args) - 1
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
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
	return ok && name.Name == "process"
}

// TestOptionActions: what the actions of flags record, beside destinations.
func TestOptionActions(t *testing.T) {
	type options struct {
		task, never *int
		list        []string
		zone        string
		quiet       bool
		zoneGiven   bool
		least       int
	}
	parse := func(args ...string) (o options, err error) {
		app := &cli.App{
			DisableSliceFlagSeparator: true,
			ExitErrHandler:            func(*cli.Context, error) {},
			Writer:                    io.Discard,
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "task", Action: some(&o.task)},
				&cli.IntFlag{Name: "never", Action: some(&o.never)},
				&cli.StringSliceFlag{Name: "list", Aliases: []string{"l"}, Action: to(&o.list)},
				oneOf(&cli.StringFlag{Name: "zone", Value: "utc", Destination: &o.zone, Action: noting[string](&o.zoneGiven), Usage: "`ZONE`: utc or local"}),
				&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &o.quiet},
				atLeast(1, &cli.IntFlag{Name: "least", Value: 3, Destination: &o.least}),
			},
			Action: func(*cli.Context) error { return nil },
		}
		err = app.Run(append([]string{"x"}, args...))
		return o, err
	}
	o, err := parse()
	if err != nil || o.task != nil || o.list != nil || o.zoneGiven || o.zone != "utc" || o.least != 3 {
		t.Errorf("without flags: %+v, %v", o, err)
	}
	o, err = parse("--task", "0", "-l", "a, b", "-l", "c", "--zone", "utc", "-q")
	if err != nil || o.task == nil || *o.task != 0 || o.never != nil || !slices.Equal(o.list, []string{"a, b", "c"}) || !o.zoneGiven || !o.quiet {
		t.Errorf("with flags: %+v, %v", o, err)
	}
	if o, err = parse("--zone", "mars"); err == nil || o.zoneGiven {
		t.Errorf("a refused value is recorded: %+v, %v", o, err)
	}
	if _, err = parse("--least", "0"); err == nil {
		t.Error("a number below the least is accepted")
	}
}

// TestContradictions: options that contradict each other, without a command line.
func TestContradictions(t *testing.T) {
	lint := func(o lintOptions, paths ...string) error {
		req := check.Request{Paths: paths, Fix: o.fix, Diff: o.diff, Rename: o.rename, Staged: o.staged, StdinName: o.stdinName}
		return compatible(&o, &req)
	}
	watch := func(o watchOptions) error {
		if o.interval == 0 {
			o.interval = time.Minute
		}
		return watchUsage(&o)
	}
	gauge := func(o gaugeOptions) error {
		if o.interval == 0 {
			o.interval = time.Second
		}
		return gaugeUsage(&o)
	}
	for _, c := range []struct {
		err  error
		want string // what the error begins with; "" for none
	}{
		{lint(lintOptions{}), ""},
		{lint(lintOptions{staged: true, fix: true}), "--staged checks git's index, which"},
		{lint(lintOptions{staged: true}, "-"), "--staged reads"},
		{lint(lintOptions{}, "-", "a.md"), "- cannot be combined"},
		{lint(lintOptions{rename: true, fix: true}, "-"), "--rename needs a file"},
		{lint(lintOptions{stdinName: "a.md"}), "--stdin-filename requires -"},
		{lint(lintOptions{rename: true}), "--rename requires"},
		{lint(lintOptions{rename: true, diff: true, zoneGiven: true}), ""},
		{lint(lintOptions{zoneGiven: true}), "--zone requires"},
		{lint(lintOptions{prune: true}), "--prune and --update-baseline require"},
		{lint(lintOptions{prune: true, baseline: "b", only: []string{"title"}}), "a baseline counts all rules"},
		{lint(lintOptions{updateBaseline: true, baseline: "b", disable: []string{"title"}}), "a baseline counts all rules"},
		{lint(lintOptions{prune: true, updateBaseline: true, baseline: "b"}), "--update-baseline leaves"},
		{watch(watchOptions{}), ""},
		{watch(watchOptions{json: true}), "--json requires --status"},
		{watch(watchOptions{debounce: -1}), "--debounce"},
		{watch(watchOptions{interval: time.Millisecond}), "--interval"},
		{watch(watchOptions{asks: []string{"--status", "--install-service"}}), "--status and --install-service exclude"},
		{watch(watchOptions{asks: []string{"--status"}, settings: []string{"--poll"}}), "--status and --poll exclude"},
		{gauge(gaugeOptions{session: "a", transcript: "b"}), "--session and --transcript exclude"},
		{gauge(gaugeOptions{note: true, watch: true}), "--note and --watch exclude"},
		{gauge(gaugeOptions{intervalGiven: true}), "--interval requires --watch"},
		{gauge(gaugeOptions{watch: true, intervalGiven: true, interval: time.Millisecond}), "--interval: want"},
		{draftUsage(&draftOptions{slugGiven: true}), "--slug requires --task"},
		{draftUsage(&draftOptions{carry: true}), "--carry requires --task"},
		{draftUsage(&draftOptions{task: 1, output: "a.md"}), "--task and --output exclude"},
		{draftUsage(&draftOptions{task: 1, all: true}), "--task and --all exclude"},
		{draftUsage(&draftOptions{task: 1, slugGiven: true, carry: true}), ""},
		{spawnBudget(false, agentOf("text")), ""},
		{spawnBudget(true, agentOf("text")), "x does not report"},
	} {
		if got := cause(c.err); c.want == "" && c.err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func cause(err error) string {
	if err == nil {
		err = errors.New("")
	}
	return err.Error()
}

func agentOf(stream string) agents.Agent { return agents.Agent{Name: "x", Stream: stream} }
