package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

// The flags of a command are bound to the fields of its options. Each build of a command has
// options of its own, so that one run says nothing to the next. What works with them takes
// them, and needs no command line.

// arguments are what a command got besides its flags.
type arguments []string

func argsOf(c *cli.Context) arguments { return c.Args().Slice() }

// First is the first argument, "" without one.
func (a arguments) First() string { return a.Get(0) }

// Get is the argument at n, "" without one.
func (a arguments) Get(n int) string {
	if n >= len(a) {
		return ""
	}
	return a[n]
}

// Tail is what follows the first argument.
func (a arguments) Tail() []string {
	if len(a) < 2 {
		return nil
	}
	return a[1:]
}

// only is the only argument of a command.
func (a arguments) only(command, what string) (string, error) {
	if len(a) != 1 {
		return "", fmt.Errorf("%s needs %s", command, what)
	}
	return a[0], nil
}

// The actions of flags for which a destination is not enough. The library calls them for
// the flags that the user sets, before the command works.

// to sets a list. The library's own destination for a list is a type of its own.
func to[T any](p *T) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error { *p = value; return nil }
}

// some sets a value that is nil without the flag.
func some[T any](p **T) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error { *p = &value; return nil }
}

// noting records that the user sets the flag, to whatever.
func noting[T any](given *bool) func(*cli.Context, T) error {
	return func(*cli.Context, T) error { *given = true; return nil }
}

// then is the action of a flag that also has a check: the check comes first.
func then[T any](check, next func(*cli.Context, T) error) func(*cli.Context, T) error {
	if next == nil {
		return check
	}
	return func(c *cli.Context, value T) error {
		if err := check(c, value); err != nil {
			return err
		}
		return next(c, value)
	}
}

// givenFlags are the flags that the user set, in the order of the help.
func givenFlags(c *cli.Context) (set []cli.Flag) {
	for _, f := range c.Command.Flags {
		if c.IsSet(f.Names()[0]) {
			set = append(set, f)
		}
	}
	return set
}

// givenNames are the names of [givenFlags].
func givenNames(c *cli.Context) (names []string) {
	for _, f := range givenFlags(c) {
		names = append(names, f.Names()[0])
	}
	return names
}
