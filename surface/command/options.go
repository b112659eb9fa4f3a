package command

import (
	"fmt"
	"slices"

	"handoff/surface/command/cli"
)

// The flags of a command are bound to the fields of its options. Each build of a command has
// options of its own, so that one run says nothing to the next. What works with them takes
// them, and needs no command line.

// Arguments are what a command got besides its flags.
type Arguments []string

// ArgsOf returns the arguments of the command that is called.
func ArgsOf(c *cli.Context) Arguments { return c.Args().Slice() }

// First is the first argument, "" without one.
func (a Arguments) First() string { return a.Get(0) }

// Get is the argument at n, "" without one.
func (a Arguments) Get(n int) string {
	if n >= len(a) {
		return ""
	}
	return a[n]
}

// Tail is what follows the first argument.
func (a Arguments) Tail() []string {
	if len(a) < 2 {
		return nil
	}
	return a[1:]
}

// Only is the only argument of a command.
func (a Arguments) Only(command, what string) (string, error) {
	if len(a) != 1 {
		return "", fmt.Errorf("%s needs %s", command, what)
	}
	return a[0], nil
}

// The actions of flags for which a destination is not enough. The library calls them for
// the flags that the user sets, before the command works.

// To sets a list. The library's own destination for a list is a type of its own.
func To[T any](p *T) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error { *p = value; return nil }
}

// Some sets a value that is nil without the flag.
func Some[T any](p **T) func(*cli.Context, T) error {
	return func(_ *cli.Context, value T) error { *p = &value; return nil }
}

// Noting records that the user sets the flag, to whatever.
func Noting[T any](given *bool) func(*cli.Context, T) error {
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

// GivenFlags are the flags that the user set, in the order of the help.
func GivenFlags(c *cli.Context) (set []cli.Flag) {
	given := c.LocalFlagNames()
	if len(given) == 0 {
		return nil
	}
	for _, f := range c.Command.Flags {
		if slices.Contains(given, f.Names()[0]) {
			set = append(set, f)
		}
	}
	return set
}

// GivenNames are the names of [GivenFlags].
func GivenNames(c *cli.Context) (names []string) {
	for _, f := range GivenFlags(c) {
		names = append(names, f.Names()[0])
	}
	return names
}
