// Command hello prints one line. It shows the start-up cost of the smallest
// useful Go program, with which a check of one file is compared. With a file as
// argument it also appends the line to it and flushes that to the disk, as any
// program must that records something.
package main

import (
	"fmt"
	"os"
)

const line = "hello, world\n"

func main() {
	if len(os.Args) == 2 {
		if err := record(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "hello:", err)
			os.Exit(1)
		}
	}
	fmt.Print(line)
}

func record(file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(line); err != nil {
		return err
	}
	return f.Sync()
}
