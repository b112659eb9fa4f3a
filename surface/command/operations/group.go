// Package operations makes the commands of the operations that are values: the flags come from the tags of
// a request, as package ops describes, and the operation works here or on the server that --server names. It also has
// what groups of commands share around them: what a level allows, and documents that are written besides.
package operations

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"

	"handoff/log/artifact"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
)

// Call is how the command of an operation is called.
type Call struct {
	context.Context
	W       *command.Process
	About   *ops.About
	Command string // "tape merge", "claim"
	Args    command.Arguments
	Server  ServerOptions
	JSON    bool
	Given   []string    // names of the flags that the user set
	ByFlag  bool        // a flag names what the operation is about, no argument
	Tape    TapeOptions // of a command on tapes
	Request any         // a pointer, whose fields the flags have set
	Result  reflect.Type
}

// Group makes the commands of a group of operations at S. P is where they are done.
type Group[S any, P ops.Place[S]] struct {
	W       *command.Process
	Name    string // "tape"; "" for commands that are in no group
	Usage   string // after the first line of the usage of an operation on one thing
	Missing func(a *ops.About) string
	More    string // after the error for an unexpected argument
	Takes   string // instead of that error, after the command: "takes one handoff"
	Special map[string]Special[P]
	// Flags are all flags, given those of the request. It runs before the command is called.
	Flags func(k *Call, of []cli.Flag) []cli.Flag
	// With finds what the command names, in the workspace or on a server.
	With  func(k *Call, ref string, do func(at P, id string) error) error
	Print func(k *Call, result any) error
}

// Special is what a command does in another way than its operation alone.
type Special[P any] struct {
	flags func(ofRequest []cli.Flag) []cli.Flag // nil: those of the request
	check func(k *Call) error                   // before anything is opened; nil for nothing
	tail  bool                                  // a command may follow what the operation is about
	// do prints what it does. Without it, the result of the operation is printed.
	do func(k *Call, at P, id string) error
}

// Doing is the special action of an operation.
func Doing[S, R, T, P any](_ *ops.Op[S, R, T], do func(k *Call, at P, id string, r R) error) Special[P] {
	return Special[P]{do: func(k *Call, at P, id string) error { return do(k, at, id, *k.Request.(*R)) }}
}

// Checking is the special check of the request of an operation.
func Checking[P, S, R, T any](_ *ops.Op[S, R, T], check func(k *Call, r *R) error) Special[P] {
	return Special[P]{check: func(k *Call) error { return check(k, k.Request.(*R)) }}
}

// WithFlags is s with other flags than those of the request.
func (s Special[P]) WithFlags(flags func([]cli.Flag) []cli.Flag) Special[P] {
	s.flags = flags
	return s
}

// WithCommand is s with a command after what the operation is about.
func (s Special[P]) WithCommand() Special[P] {
	s.tail = true
	return s
}

// After is s with the check of another special action before it.
func (s Special[P]) After(check Special[P]) Special[P] {
	s.check = check.check
	return s
}

// Commands are the commands of the operations of a group.
func Commands[S any, P ops.Place[S]](g *Group[S, P], operations []ops.Any[S]) (list []*cli.Command) {
	for _, o := range operations {
		list = append(list, g.Of(o))
	}
	return list
}

// Of is the command of an operation.
func (g *Group[S, P]) Of(o ops.Any[S]) *cli.Command {
	a := o.Described()
	if g.W.Sub != "" && g.W.Sub != a.Name {
		return &cli.Command{Name: a.Name, Usage: a.Help} // not called: its name is enough
	}
	request, result := o.Types()
	k := &Call{W: g.W, About: a, Command: strings.TrimSpace(g.Name + " " + a.Name), Request: reflect.New(request).Interface(), Result: result}
	of, complete := bind(k.Request)
	is := g.Special[a.Name]
	if is.flags != nil {
		of = is.flags(of)
	}
	named, most := a.Named(request), argumentsOfRequest(request)+a.Extra
	usage, more := strings.TrimSpace("handoff "+k.Command+" "+a.Args)+" [flags]", a.More
	k.ByFlag = !named && !a.Whole
	if named {
		most, more = most+1, cmp.Or(more, g.Usage)
	}
	if is.tail {
		most, usage = math.MaxInt, usage+"\n"+usage+" -- COMMAND [ARG …]"
	}
	if more != "" {
		usage += "\n\n" + more
	}
	do := func(at P, id string) error {
		if err := complete(filling{g.W, k.Command, k.Artifact}); err != nil {
			return err
		}
		if is.do != nil {
			return is.do(k, at, id)
		}
		return g.perform(k, o, reflect.New(result), at, id)
	}
	return &cli.Command{Name: a.Name, Usage: a.Help, UsageText: usage, Description: a.Long, Flags: g.Flags(k, of), Action: func(c *cli.Context) error {
		k.Context, k.Args, k.Given = c.Context, command.ArgsOf(c), command.GivenNames(c)
		ref, err := g.reference(k, named, most)
		if err != nil {
			return err
		}
		setArguments(k.Request, k.Args)
		if is.check != nil {
			if err := is.check(k); err != nil {
				return err
			}
		}
		return g.With(k, ref, do)
	}}
}

// reference is the argument that names what the operation is about, "" for none. It refuses
// too few arguments and too many.
func (g *Group[S, P]) reference(k *Call, named bool, most int) (string, error) {
	switch {
	case named && k.Args.First() == "" && !strings.HasPrefix(k.About.Args, "["):
		return "", fmt.Errorf("%s needs %s", k.Command, g.Missing(k.About))
	case len(k.Args) > most && g.Takes != "":
		return "", fmt.Errorf("%s %s", k.Command, g.Takes)
	case len(k.Args) > most:
		return "", fmt.Errorf("unexpected argument %q (`handoff %s --help` shows the usage%s)", k.Args[most], k.Command, g.More)
	case !named:
		return "", nil
	}
	return k.Args.First(), nil
}

// perform does an operation and prints its result, also a part of it.
func (g *Group[S, P]) perform(k *Call, o ops.Any[S], result reflect.Value, at P, id string) error {
	err := at.Perform(k, o, id, k.Request, result.Interface())
	if err != nil && !k.About.Usable(result.Interface()) {
		return err
	}
	return cmp.Or(g.Print(k, result.Elem().Interface()), err)
}

// Needs is the error for a missing argument, nil if there is one.
func (k *Call) Needs(what string) error {
	_, err := k.Args.Only(k.Command, what)
	return err
}

// Artifact returns the artifact that an argument names, among those of the workspace or of the
// server.
func (k *Call) Artifact(name string) (artifact.ID, error) {
	if !k.Server.Given {
		return k.W.Workspace.FindArtifact(name)
	}
	if id, err := artifact.ParseID(name); err == nil {
		return id, nil
	}
	s, err := ServerOf(k.W, &k.Server)
	if err != nil {
		return artifact.ID{}, err
	}
	defer s.Close()
	if name, err = s.Resolve(k, "artifact", name); err != nil {
		return artifact.ID{}, err
	}
	return artifact.ParseID(name)
}

// TapeOptions are the options of the commands on tapes; each has some of them.
type TapeOptions struct {
	Name, Bub, Archive, Format    string
	Given, BubGiven, ArchiveGiven bool
}

// OfArchives are the operations that also read archived tapes.
var OfArchives = []string{tapeops.Read.Name, tapeops.Search.Name, tapeops.Context.Name, tapeops.Info.Name}

// PrintsJSON reports whether a command prints JSON.
func (k *Call) PrintsJSON() bool {
	switch {
	case k.JSON, k.Tape.Format == "json":
		return true
	case k.Tape.Format != "":
		return false
	}
	return !command.IsTerminal(k.W.Stdout)
}
