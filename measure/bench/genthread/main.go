// Command genthread writes a long thread: continuity frames, one per line, as a
// client that sends messages, runs tools and compacts would write them.
//
//	genthread [-n EVENTS] FILE
//	genthread -threads N FOLDER
//	genthread -depth N FOLDER
//
// With -threads it writes a thread and N-1 branches of it to the folder, one file
// each, with -depth a chain of N threads, each a branch of the one before.
//
// The same flags give the same bytes on every machine. It shares no code with the
// product.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
)

func main() {
	n := flag.Int("n", 1_000_000, "events to write")
	threads := flag.Int("threads", 0, "threads to write into a folder, in place of one long one")
	depth := flag.Int("depth", 0, "threads to write into a folder, each a branch of the one before")
	flag.Parse()
	if flag.NArg() != 1 || *n < 1 || *threads < 0 || *depth < 0 {
		fmt.Fprintln(os.Stderr, "usage: genthread [-n EVENTS] FILE | genthread -threads N FOLDER | genthread -depth N FOLDER")
		os.Exit(2)
	}
	var err error
	switch {
	case *depth > 0:
		err = writeChain(flag.Arg(0), *depth)
	case *threads > 0:
		err = writeMany(flag.Arg(0), *threads)
	default:
		err = write(flag.Arg(0), *n)
	}
	if err != nil {
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
	t := thread{w: w, id: threadID, left: n}
	t.generate()
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}
