// Command journalbench measures internal/journal: durable appends compared with a
// bare write and fsync and with other stores, concurrent appends, and single
// operations on a journal, each in a process of its own.
//
//	journalbench durable [-n APPENDS] FOLDER
//	journalbench appenders [-n APPENDS] FOLDER
//	journalbench open|get|find|list|last|append|index FILE
package main

import (
	"flag"

	"handoff/measure/bench/internal/bench"
)

func main() { bench.Main("journalbench", run) }

func run(args []string) error {
	var n int
	what, path, err := bench.Args(args, "durable, appenders, or what to do with a file?", func(f *flag.FlagSet) {
		f.IntVar(&n, "n", 2000, "appends")
	})
	switch {
	case err != nil:
		return err
	case what == "durable":
		return durable(path, n)
	case what == "appenders":
		return appenders(path, n)
	}
	return once(what, path)
}
