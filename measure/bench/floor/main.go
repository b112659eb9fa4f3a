//go:build linux

// Command floor does the minimum work of any linter of a tree of handoffs:
// it walks the tree, reads every Markdown file in a folder named handoffs and
// counts its lines. The cost of a linter is reported as a multiple of it.
//
// It takes every short cut that Linux offers a Go program: the kernel's own
// directory entries with their types, files opened relative to their folder,
// system calls that bypass the scheduler, one set of buffers for each worker. It
// does not parse Markdown or follow symbolic links.
package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: floor FOLDER")
		os.Exit(2)
	}
	total, err := count(os.Args[1], runtime.GOMAXPROCS(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(2)
	}
	fmt.Printf("%d files, %d lines, %d bytes\n", total.files, total.lines, total.bytes)
}
