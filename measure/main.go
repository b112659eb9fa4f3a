// Command measure measures what handoffs do for a successor, beside working without a
// tool, and answers the questions of docs/spec as handoff does. Only those who work on
// handoff run it, so it is a module of its own and no part of the product.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"handoff/internal/text/visible"
)

const usage = `usage: measure [flags] [SUITE ...]
       measure figures [-all | SOURCE ...]
       measure answer

Measures what handoffs do for a successor, beside working without a tool. It uses no
network, and but for next no model; the same seed gives the same figures. The workspaces are generated, in
a folder that is removed; replay and next
read recorded sessions and need -transcript, and next a model, by -score; outcome
reads recorded runs, by -runs; planted uses clones of real repositories, by
-repository. There is no
score: docs/bench.md has the tables, and what they do not show.
Suites: %s.

measure figures lists where each figure of README and docs is from, with file
and line: a command, a test, a script or a person. It runs the sources that are
named, or with -all those that take no minutes, and says what it could not run.

measure answer answers the questions on standard input as handoff does:

  handoff conformance -- measure answer

Flags:
`

// options are the flags.
type options struct {
	transcripts    list
	repositories   list
	runs, score    string
	program        string
	seed           uint64
	every          int
	json, markdown bool
	misses, all    bool
}

// list is a flag that may be repeated.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// streams are what the program reads and prints.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}

// run returns the exit status: 0, or 2 if something could not be measured.
func run(ctx context.Context, s streams, args []string) int {
	o, suites, err := parse(s, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err == nil && len(suites) == 1 && suites[0] == "answer":
		err = answer(s)
	case err == nil && len(suites) > 0 && suites[0] == "figures":
		err = listFigures(ctx, s, o, suites[1:])
	case err == nil:
		err = bench(ctx, s, o, suites)
	}
	if err != nil {
		fmt.Fprintln(s.err, "measure:", visible.Text(err.Error()))
		return 2
	}
	return 0
}

// parse reads the command line. Flags may follow the suites.
func parse(s streams, args []string) (o options, suites []string, err error) {
	f := flag.NewFlagSet("measure", flag.ContinueOnError)
	f.SetOutput(s.err)
	f.Usage = func() {
		fmt.Fprintf(s.err, usage, strings.Join(suiteNames(), ", "))
		f.PrintDefaults()
	}
	f.Var(&o.transcripts, "transcript", "replay the session in `FILE`, or all in a folder; may be repeated")
	f.Var(&o.repositories, "repository", "plant statements in a clone of the git repository in `FOLDER`; may be repeated")
	f.StringVar(&o.program, "handoff", "", "`PROGRAM` that planted asks; built from the source if it is not given")
	f.BoolVar(&o.all, "all", false, "with figures, run every source that takes no minutes")
	f.BoolVar(&o.misses, "misses", false, "with -repository, print the statements that were missed or called false on standard error")
	f.StringVar(&o.runs, "runs", "", "`FOLDER` with the recorded runs of a study, for `outcome`")
	f.StringVar(&o.score, "score", "", "`PROGRAM` that tells how likely a language model takes a call; `next` needs it")
	f.IntVar(&o.every, "every", 1, "of so many cuts of sessions `next` asks the model for one, a `NUMBER`")
	f.Uint64Var(&o.seed, "seed", 1, "`NUMBER` from which workspaces are generated")
	f.BoolVar(&o.json, "json", false, "print JSON (bench.schema.json)")
	f.BoolVar(&o.markdown, "markdown", false, "print Markdown, with the limits of each suite")
	for err = f.Parse(args); err == nil && f.NArg() > 0; err = f.Parse(f.Args()[1:]) {
		suites = append(suites, f.Arg(0))
	}
	if err == nil && o.json && o.markdown {
		err = errors.New("-json and -markdown exclude each other")
	}
	return o, suites, err
}
