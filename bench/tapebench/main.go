//go:build unix

// Command tapebench measures package tape: beside Bub's own store on the same
// file, and as a process of its own for each question.
//
//	tapebench peer -python PROGRAM -script peer.py [-rounds N] FILE
//	tapebench durable -python PROGRAM -script peer.py [-n APPENDS] FILE
//	tapebench context|anchors|append|recover|index FOLDER
//
// FILE is a tape in a folder of Bub; FOLDER is a store with the tape "main".
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tapebench:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("peer, durable, or what to do with a tape?")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	var b bench
	flags.StringVar(&b.python, "python", "python3", "with Bub")
	flags.StringVar(&b.script, "script", "peer.py", "what it runs")
	flags.IntVar(&b.rounds, "rounds", 5, "rounds")
	flags.IntVar(&b.appends, "n", 2000, "appends")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("name one file or folder")
	}
	switch path := flags.Arg(0); args[0] {
	case "peer":
		return b.peer(path)
	case "ours": // of peer
		return ours(path)
	case "durable":
		return b.durable(path)
	default:
		return once(args[0], path)
	}
}

type bench struct {
	python, script  string
	rounds, appends int
}
