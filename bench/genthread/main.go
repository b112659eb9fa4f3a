// Command genthread writes a long thread: continuity frames, one a line, as a
// client that asks, runs tools and compacts would leave them.
//
//	genthread [-n EVENTS] FILE
//
// The same flags give the same bytes on every machine. It knows the frames
// only as text: it shares no code with the product.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
)

func main() {
	n := flag.Int("n", 1_000_000, "events to write")
	flag.Parse()
	if flag.NArg() != 1 || *n < 1 {
		fmt.Fprintln(os.Stderr, "usage: genthread [-n EVENTS] FILE")
		os.Exit(2)
	}
	if err := write(flag.Arg(0), *n); err != nil {
		fmt.Fprintln(os.Stderr, "genthread:", err)
		os.Exit(1)
	}
}

func write(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	t := thread{w: w, left: n}
	t.generate()
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}
