// Command gencorpus writes a workspace of seed-shaped handoff documents to
// measure linters on: task folders with a plan, a report and one to eight
// handoffs, and the source files that the handoffs refer to.
//
// The same flags give the same bytes on every machine. One document in ten has
// one defect; manifest.tsv at the root of the corpus lists the planted defects,
// so that findings can be compared with them.
//
// It shares no code with the product: a misreading of the handoff schema would
// otherwise be the same in both and go unnoticed.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

func main() {
	n := flag.Int("n", 10000, "handoffs to write")
	out := flag.String("o", "", "folder to write to; must be empty or not exist")
	seed := flag.Uint64("seed", 1, "another seed, another corpus")
	flag.Parse()
	if *out == "" || *n < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: gencorpus -o FOLDER [-n HANDOFFS] [-seed N]")
		os.Exit(2)
	}
	sum, err := generate(*out, *seed, *n)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gencorpus:", err)
		os.Exit(1)
	}
	sum.print(os.Stderr)
}

// summary counts what was written.
type summary struct {
	tasks, handoffs, bytes, lines int
	defects                       []int // as in the table of defects
}

func (s *summary) print(w io.Writer) {
	defective := 0
	for _, n := range s.defects {
		defective += n
	}
	fmt.Fprintf(w, "%d handoffs in %d tasks, %.1f MB, mean %d B and %.1f lines, %d with a defect:\n",
		s.handoffs, s.tasks, float64(s.bytes)/1e6, s.bytes/s.handoffs,
		float64(s.lines)/float64(s.handoffs), defective)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, n := range s.defects {
		fmt.Fprintf(tw, "  %s\t%d\n", defects[i].name, n)
	}
	tw.Flush()
}
