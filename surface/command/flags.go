package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/text/nearest"
	"handoff/surface/command/cli"
)

// Flags joins single flags and groups of them.
func Flags(parts ...any) (all []cli.Flag) {
	for _, p := range parts {
		switch p := p.(type) {
		case cli.Flag:
			all = append(all, p)
		case []cli.Flag:
			all = append(all, p...)
		}
	}
	return all
}

// DirFlag is -C, which every command has.
func DirFlag() cli.Flag {
	return &cli.StringFlag{Name: "C", Usage: "`DIR`  folder to work in"}
}

// NamedSession is how a person names an agent's session; empty for the one that a command runs in.
type NamedSession struct{ Session, Transcript, Agent string }

// SessionFlags name a session. forms are the files that the command reads.
func SessionFlags(o *NamedSession, forms string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "session", Destination: &o.Session, Usage: "`ID`  the id of the session, or its beginning"},
		&cli.StringFlag{Name: "transcript", Destination: &o.Transcript, Usage: "`FILE`  " + forms + " of the session"},
		&cli.StringFlag{Name: "agent", Destination: &o.Agent, Usage: "`NAME`  only sessions of this agent; with --transcript: the agent that wrote it"},
	}
}

// ColourFlag is --color of the commands that print for people.
func ColourFlag(to *string) cli.Flag {
	return OneOf(&cli.StringFlag{Name: "color", Destination: to, Value: "auto", Usage: "`WHEN`  when to colour the output: auto, always or never"})
}

// LogFlag is --log-format of the commands that run until they are interrupted.
func LogFlag(to *string) cli.Flag {
	return OneOf(&cli.StringFlag{Name: "log-format", Destination: to, Value: "text", Usage: "`FORMAT`  format of the log on stderr: text or json"})
}

// OneOf makes a flag accept only the values that its usage lists.
func OneOf(f *cli.StringFlag) cli.Flag {
	f.Action = then(func(_ *cli.Context, value string) error {
		if values := Enumerated(f.Usage); !slices.Contains(values, value) {
			return fmt.Errorf("unknown %s %q%s", Dashed(f.Name), value, nearest.Hint(value, values))
		}
		return nil
	}, f.Action)
	return f
}

// AtLeast makes a flag accept only numbers from least.
func AtLeast(least int, f *cli.IntFlag) cli.Flag {
	f.Action = then(func(_ *cli.Context, n int) error {
		if n < least {
			return fmt.Errorf("%s %d: want %d or more", Dashed(f.Name), n, least)
		}
		return nil
	}, f.Action)
	return f
}

// TaskFlag is --task of the commands that also know a task by what the plan of another tool calls it.
// It sets number or named.
func TaskFlag(number **int, named **string, f *cli.StringFlag) cli.Flag {
	f.Name = "task"
	f.Action = then(func(_ *cli.Context, value string) error {
		if strings.TrimSpace(value) == "" {
			return errors.New("--task: want a number, or the name of a task")
		}
		SetTask(number, named, value)
		return nil
	}, f.Action)
	return f
}

// SetTask sets one of both by a value of --task.
func SetTask(number **int, named **string, value string) {
	if n, err := strconv.Atoi(value); err == nil {
		*number = &n
		return
	}
	*named = &value
}

// Given lists the flags that the user set, as typed.
func Given(c *cli.Context, flags ...string) (set []string) {
	for _, name := range flags {
		if c.IsSet(name) {
			set = append(set, Dashed(name))
		}
	}
	return set
}

// Repeated are flags as the user set them, for a printed command that does the same.
func Repeated(c *cli.Context, flags ...string) (args []string) {
	for _, name := range flags {
		switch value := c.Value(name); {
		case !c.IsSet(name) || value == false:
		case value == true:
			args = append(args, Dashed(name))
		default:
			args = append(args, Dashed(name), fmt.Sprint(value))
		}
	}
	return args
}

// CommandNamed returns the command with that name or alias, nil if there is none.
func CommandNamed(commands []*cli.Command, name string) *cli.Command {
	for _, cmd := range commands {
		if cmd.HasName(name) {
			return cmd
		}
	}
	return nil
}

// TakesValue reports whether a command has that flag, and the flag wants a value.
func TakesValue(cmd *cli.Command, name string) bool {
	f := FindFlag(cmd.Flags, name)
	return f != nil && WantsValue(f)
}

// FindFlag returns the flag with that name or alias, nil if there is none.
func FindFlag(flags []cli.Flag, name string) cli.Flag {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

// WantsValue reports whether a flag is followed by a value.
func WantsValue(f cli.Flag) bool {
	switch f.(type) {
	case *cli.BoolFlag, *cli.JSONFlag:
		return false
	}
	return true
}

// Dashed returns a flag as the user types it.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// ValueAndUsage returns the name of a flag's value and its usage as they are shown. The name comes
// first, in backticks and before two blanks: "`FILE`  file to write to".
func ValueAndUsage(usage string) (value, text string) {
	if rest, ok := strings.CutPrefix(usage, "`"); ok {
		if value, text, ok := strings.Cut(rest, "`  "); ok {
			return value, text
		}
	}
	return "", usage
}

// Enumerated reads the values from a usage such as "when to colour the output: auto,
// always or never". It ignores the text after a semicolon, and returns nothing
// for a usage that lists no values.
func Enumerated(usage string) []string {
	_, text, _ := strings.Cut(usage, ": ")
	text, _, _ = strings.Cut(text, ";")
	words := strings.Split(strings.ReplaceAll(text, " or ", ", "), ", ")
	if len(words) < 2 || slices.ContainsFunc(words, func(word string) bool { return word == "" || strings.Contains(word, " ") }) {
		return nil
	}
	return words
}

// AllowEmptyFlag is --allow-empty of the commands that fail if there is no
// folder for handoffs: without that error, a check in the wrong folder would
// pass.
func AllowEmptyFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "allow-empty", Destination: to, Usage: "succeed if handoff is not set up here or above"}
}

// QuietFlag is --quiet of the commands that end with a count.
func QuietFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Destination: to, Aliases: []string{"q"}, Usage: "print no count at the end"}
}

// KeyFlag is --idempotency-key of the commands that may be repeated without a second effect.
func KeyFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "idempotency-key", Destination: to, Usage: "`KEY`  idempotency key: repeating the request has no further effect"}
}
