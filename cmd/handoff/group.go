package main

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/log/artifact"
	"handoff/surface/command"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
)

// call is how the command of an operation is called.
type call struct {
	context.Context
	w       *command.Process
	about   *ops.About
	command string // "tape merge"
	args    command.Arguments
	server  serverOptions
	json    bool
	given   []string    // names of the flags that the user set
	byFlag  bool        // a flag names what the operation is about, no argument
	tape    tapeOptions // of a command on tapes
	request any         // a pointer, whose fields the flags have set
}

// operationGroup makes the commands of a group of operations at S. P is where they are done.
type operationGroup[S any, P ops.Place[S]] struct {
	w       *command.Process
	name    string // "tape"
	usage   string // after the first line of the usage of an operation on one thing
	missing func(a *ops.About) string
	more    string // after the error for an unexpected argument
	special map[string]special[P]
	// flags are all flags, given those of the request. It runs before the command is called.
	flags func(k *call, of []cli.Flag) []cli.Flag
	// with finds what the command names, in the workspace or on a server.
	with  func(k *call, ref string, do func(at P, id string) error) error
	print func(k *call, result any) error
}

// special is what a command does in another way than its operation alone.
type special[P any] struct {
	flags func(ofRequest []cli.Flag) []cli.Flag // nil: those of the request
	check func(k *call) error                   // before anything is opened; nil for nothing
	// do prints what it does. Without it, the result of the operation is printed.
	do func(k *call, at P, id string) error
}

// doing is the special action of an operation.
func doing[S, R, T, P any](_ *ops.Op[S, R, T], do func(k *call, at P, id string, r R) error) special[P] {
	return special[P]{do: func(k *call, at P, id string) error { return do(k, at, id, *k.request.(*R)) }}
}

// checking is the special check of the request of an operation.
func checking[P, S, R, T any](_ *ops.Op[S, R, T], check func(k *call, r *R) error) special[P] {
	return special[P]{check: func(k *call) error { return check(k, k.request.(*R)) }}
}

func (s special[P]) withFlags(flags func([]cli.Flag) []cli.Flag) special[P] {
	s.flags = flags
	return s
}

func (s special[P]) after(check special[P]) special[P] {
	s.check = check.check
	return s
}

// commandsOf are the commands of the operations of a group.
func commandsOf[S any, P ops.Place[S]](g *operationGroup[S, P], operations []ops.Any[S]) (list []*cli.Command) {
	for _, o := range operations {
		list = append(list, g.command(o))
	}
	return list
}

// command is the command of an operation.
func (g *operationGroup[S, P]) command(o ops.Any[S]) *cli.Command {
	a := o.Described()
	if g.w.Sub != "" && g.w.Sub != a.Name {
		return &cli.Command{Name: a.Name, Usage: a.Help} // not called: its name is enough
	}
	request, result := o.Types()
	k := &call{w: g.w, about: a, command: g.name + " " + a.Name, request: reflect.New(request).Interface()}
	of, complete := bind(k.request)
	is := g.special[a.Name]
	if is.flags != nil {
		of = is.flags(of)
	}
	named, most := a.Named(request), argumentsOfRequest(request)+a.Extra
	usage, more := strings.TrimSpace("handoff "+k.command+" "+a.Args)+" [flags]", a.More
	k.byFlag = !named && !a.Whole
	if named {
		most, more = most+1, cmp.Or(more, g.usage)
	}
	if more != "" {
		usage += "\n\n" + more
	}
	do := func(at P, id string) error {
		if err := complete(filling{g.w, k.command, k.artifact}); err != nil {
			return err
		}
		if is.do != nil {
			return is.do(k, at, id)
		}
		return g.perform(k, o, reflect.New(result), at, id)
	}
	return &cli.Command{Name: a.Name, Usage: a.Help, UsageText: usage, Flags: g.flags(k, of), Action: func(c *cli.Context) error {
		k.Context, k.args, k.given = c.Context, command.ArgsOf(c), command.GivenNames(c)
		ref, err := g.reference(k, named, most)
		if err != nil {
			return err
		}
		setArguments(k.request, k.args)
		if is.check != nil {
			if err := is.check(k); err != nil {
				return err
			}
		}
		return g.with(k, ref, do)
	}}
}

// reference is the argument that names what the operation is about, "" for none. It refuses
// too few arguments and too many.
func (g *operationGroup[S, P]) reference(k *call, named bool, most int) (string, error) {
	switch {
	case named && len(k.args) == 0:
		return "", fmt.Errorf("%s needs %s", k.command, g.missing(k.about))
	case len(k.args) > most:
		return "", fmt.Errorf("unexpected argument %q (`handoff %s --help` shows the usage%s)", k.args[most], k.command, g.more)
	case !named:
		return "", nil
	}
	return k.args[0], nil
}

// perform does an operation and prints its result, also a part of it.
func (g *operationGroup[S, P]) perform(k *call, o ops.Any[S], result reflect.Value, at P, id string) error {
	err := at.Perform(k, o, id, k.request, result.Interface())
	if err != nil && !k.about.Usable(result.Interface()) {
		return err
	}
	return cmp.Or(g.print(k, result.Elem().Interface()), err)
}

// needs is the error for a missing argument, nil if there is one.
func (k *call) needs(what string) error {
	_, err := k.args.Only(k.command, what)
	return err
}

// artifact returns the artifact that an argument names, among those of the workspace or of the
// server.
func (k *call) artifact(name string) (artifact.ID, error) {
	if !k.server.given {
		return k.w.Workspace.FindArtifact(name)
	}
	if id, err := artifact.ParseID(name); err == nil {
		return id, nil
	}
	s, err := serverOf(k.w, &k.server)
	if err != nil {
		return artifact.ID{}, err
	}
	defer s.Close()
	if name, err = s.Resolve(k, "artifact", name); err != nil {
		return artifact.ID{}, err
	}
	return artifact.ParseID(name)
}

// tapeOptions are the options of the commands on tapes; each has some of them.
type tapeOptions struct {
	name, bub, archive, format    string
	given, bubGiven, archiveGiven bool
}

// ofArchives are the operations that also read archived tapes.
var ofArchives = []string{tapeops.Read.Name, tapeops.Search.Name, tapeops.Context.Name, tapeops.Info.Name}
