//go:build unix

// Command tapebench measures package tape: compared with Bub's own store on the
// same file, and with a process of its own for each question.
//
//	tapebench peer -python PROGRAM -script peer.py [-rounds N] FILE
//	tapebench durable -python PROGRAM -script peer.py [-n APPENDS] FILE
//	tapebench context|anchors|append|recover|index FOLDER
//
// FILE is a tape in a folder of Bub; FOLDER is a store with the tape "main".
package main

import (
	"flag"

	"handoff/measure/bench/internal/bench"
)

func main() { bench.Main("tapebench", run) }

func run(args []string) error {
	var b measured
	what, path, err := bench.Args(args, "peer, durable, or what to do with a tape?", func(f *flag.FlagSet) {
		f.StringVar(&b.python, "python", "python3", "with Bub")
		f.StringVar(&b.script, "script", "peer.py", "what it runs")
		f.IntVar(&b.rounds, "rounds", 5, "rounds")
		f.IntVar(&b.appends, "n", 2000, "appends")
	})
	switch {
	case err != nil:
		return err
	case what == "peer":
		return b.peer(path)
	case what == "ours": // started by peer
		return ours(path)
	case what == "durable":
		return b.durable(path)
	}
	return once(what, path)
}

// measured has the paths for the measurements against Bub.
type measured struct {
	python, script  string
	rounds, appends int
}
