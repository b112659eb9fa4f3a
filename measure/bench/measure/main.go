//go:build linux

// Command measure runs commands in turn, A B C C B A A B C …, so that other
// load on the machine affects all of them alike, and prints the cost of each:
//
//	measure [-rounds N] [-base NAME] [-logs FOLDER] [-before NAME=PROGRAM]… [-in NAME=FILE]… [-bar BAR]… NAME COMMAND… --- NAME COMMAND…
//
// CPU time (user and system, of the command and the children it waited for) is
// the measure; wall time and memory are printed as well. Every command runs
// once before the rounds, to warm the caches, with its output kept in FOLDER.
// A program that -before names runs before each run of its command and is not measured:
// it puts back what the run changes. A command reads the file that -in names, else nothing.
//
// A missed bar is printed and does not change the exit code. Exit code 1 means that
// a command could not run.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 5, "rounds after the warm-up")
	base := flag.String("base", "", "name of the command that the others are multiples of; the first if empty")
	logs := flag.String("logs", "", "folder for the output of the warm-up; a temporary one if empty")
	var bars []bar
	flag.Func("bar", "\"A / B <= 3\", \"A / B <= 1/15\", \"A - B <= 3ms\", \"A <= 40MB\", \"wall A / B <= 3\" or \"wall A <= 50ms\"; may be repeated", func(s string) error {
		b, err := parseBar(s)
		bars = append(bars, b)
		return err
	})
	around := surroundings{map[string]string{}, map[string]string{}}
	flag.Func("before", "\"NAME=PROGRAM\": PROGRAM runs before each run of the command NAME, and is not measured; may be repeated", byName(around.before))
	flag.Func("in", "\"NAME=FILE\": the command NAME reads FILE as its standard input; may be repeated", byName(around.in))
	flag.Parse()
	if err := run(*rounds, *base, *logs, flag.Args(), around, bars); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// surroundings are what -before and -in give to commands, by their names.
type surroundings struct{ before, in map[string]string }

// byName reads "NAME=VALUE" into a map.
func byName(values map[string]string) func(string) error {
	return func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return fmt.Errorf("%q: write NAME=VALUE", s)
		}
		values[name] = value
		return nil
	}
}

func run(rounds int, base, logs string, args []string, around surroundings, bars []bar) error {
	list, err := parseCommands(args)
	if err != nil {
		return err
	}
	for _, c := range list {
		c.before, c.in = around.before[c.name], around.in[c.name]
	}
	for _, named := range []map[string]string{around.before, around.in} {
		for name := range named {
			if !slices.ContainsFunc(list, func(c *command) bool { return c.name == name }) {
				return fmt.Errorf("-before or -in: no command is named %q", name)
			}
		}
	}
	if logs == "" {
		if logs, err = os.MkdirTemp("", "measure-"); err != nil {
			return err
		}
		defer os.RemoveAll(logs)
	}
	failed := measure(list, rounds, logs)
	if base == "" {
		base = list[0].name
	}
	printTable(os.Stdout, list, base)
	printBars(os.Stdout, list, bars)
	return failed
}

// measure runs the warm-up and the rounds. A command that cannot run is left
// out of the rounds; the others still run.
func measure(list []*command, rounds int, logs string) error {
	var failed error
	for _, c := range list {
		if err := c.warmUp(logs); err != nil {
			c.failed = err
			failed = errors.Join(failed, fmt.Errorf("%s: %w", c.name, err))
		}
	}
	for round := range rounds {
		for _, c := range turn(list, round) {
			if c.failed != nil {
				continue
			}
			if err := c.sample(); err != nil {
				c.failed = err
				failed = errors.Join(failed, fmt.Errorf("%s: %w", c.name, err))
			}
		}
	}
	return failed
}

// turn is the order of a round. Every second round runs in reverse: the command
// after a heavy one finds cold processor caches, and in a fixed order that
// would always be the same command.
func turn(list []*command, round int) []*command {
	if round%2 == 0 {
		return list
	}
	back := slices.Clone(list)
	slices.Reverse(back)
	return back
}
