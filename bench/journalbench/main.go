// Command journalbench measures internal/journal: durable appends beside a
// bare write and fsync and beside other stores, appends of many at once, and,
// as a process of its own each time, what is asked of a journal.
//
//	journalbench durable [-n APPENDS] FOLDER
//	journalbench appenders [-n APPENDS] FOLDER
//	journalbench open|get|find|list|last|append|index FILE
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "journalbench:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("durable, appenders, or what to do with a file?")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	n := flags.Int("n", 2000, "appends")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("name one file or folder")
	}
	switch path := flags.Arg(0); args[0] {
	case "durable":
		return durable(path, *n)
	case "appenders":
		return appenders(path, *n)
	default:
		return once(args[0], path)
	}
}
