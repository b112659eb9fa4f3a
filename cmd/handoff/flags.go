package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/internal/text/nearest"
)

// flags joins single flags and groups of them.
func flags(parts ...any) (all []cli.Flag) {
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

// dirFlag is -C, which every command has.
func dirFlag() cli.Flag {
	return &cli.StringFlag{Name: "C", Usage: "work in `DIR`"}
}

// colourFlag is --color of the commands that print for people.
func colourFlag(to *string) cli.Flag {
	return oneOf(&cli.StringFlag{Name: "color", Destination: to, Value: "auto", Usage: "colour output `WHEN`: auto, always or never"})
}

// logFlag is --log-format of the commands that run until they are interrupted.
func logFlag(to *string) cli.Flag {
	return oneOf(&cli.StringFlag{Name: "log-format", Destination: to, Value: "text", Usage: "`FORMAT` of the log on stderr: text or json"})
}

// oneOf makes a flag accept only the values that its usage lists.
func oneOf(f *cli.StringFlag) cli.Flag {
	f.Action = then(func(_ *cli.Context, value string) error {
		if values := enumerated(f.Usage); !slices.Contains(values, value) {
			return fmt.Errorf("unknown %s %q%s", dashed(f.Name), value, hint(value, values))
		}
		return nil
	}, f.Action)
	return f
}

// atLeast makes a flag accept only numbers from least.
func atLeast(least int, f *cli.IntFlag) cli.Flag {
	f.Action = then(func(_ *cli.Context, n int) error {
		if n < least {
			return fmt.Errorf("%s %d: want %d or more", dashed(f.Name), n, least)
		}
		return nil
	}, f.Action)
	return f
}

// given lists the flags that the user set, as typed.
func given(c *cli.Context, flags ...string) (set []string) {
	for _, name := range flags {
		if c.IsSet(name) {
			set = append(set, dashed(name))
		}
	}
	return set
}

// repeated are flags as the user set them, for a printed command that does the same.
func repeated(c *cli.Context, flags ...string) (args []string) {
	for _, name := range flags {
		switch value := c.Value(name); {
		case !c.IsSet(name) || value == false:
		case value == true:
			args = append(args, dashed(name))
		default:
			args = append(args, dashed(name), fmt.Sprint(value))
		}
	}
	return args
}

// hint suggests the most similar known name, or lists all of them.
func hint(name string, known []string) string {
	if k := nearest.Word(name, known); k != "" {
		return fmt.Sprintf(": did you mean %s?", k)
	}
	return " (" + strings.Join(known, ", ") + ")"
}

func commandNamed(commands []*cli.Command, name string) *cli.Command {
	for _, cmd := range commands {
		if cmd.HasName(name) {
			return cmd
		}
	}
	return nil
}

func takesValue(cmd *cli.Command, name string) bool {
	f := findFlag(cmd.Flags, name)
	return f != nil && wantsValue(f)
}

func findFlag(flags []cli.Flag, name string) cli.Flag {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

func wantsValue(f cli.Flag) bool {
	_, isBool := f.(*cli.BoolFlag)
	return !isBool
}

// dashed returns a flag as the user types it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// enumerated reads the values from a usage such as "colour output `WHEN`: auto,
// always or never". It ignores the text after a semicolon, and returns nothing
// for a usage that lists no values.
func enumerated(usage string) []string {
	_, text, _ := strings.Cut(usage, ": ")
	text, _, _ = strings.Cut(text, ";")
	words := strings.Split(strings.ReplaceAll(text, " or ", ", "), ", ")
	if len(words) < 2 || slices.ContainsFunc(words, func(word string) bool { return word == "" || strings.Contains(word, " ") }) {
		return nil
	}
	return words
}

// allowEmptyFlag is --allow-empty of the commands that fail if there is no
// folder for handoffs: without that error, a check in the wrong folder would
// pass.
func allowEmptyFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "allow-empty", Destination: to, Usage: "succeed if there is no specs/ here or above"}
}

// quietFlag is --quiet of the commands that end with a count.
func quietFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Destination: to, Aliases: []string{"q"}, Usage: "print no count at the end"}
}

func keyFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "idempotency-key", Destination: to, Usage: "idempotency `KEY`: repeating the request has no further effect"}
}
