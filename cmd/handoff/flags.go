package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"
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
