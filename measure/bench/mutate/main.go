//go:build linux

// Command mutate measures the tests: it changes one condition at a time in the
// code, as a mistake would, and runs the tests that could notice.
//
//	mutate [-count N] [-seed N] [-least PERCENT] [-without PACKAGE]… [PACKAGE…]
//
// The changes are spread evenly over the packages, whatever their size, and the
// same seed makes the same ones. A change is made with `go test -overlay`, so no
// file of the checkout is touched. The tests of the changed package run first,
// then those of the packages that import it, up to the first failure: the change
// is killed. A test that runs into its time limit also kills it.
//
// Changes that no test can notice are listed in equivalent.txt with the reason
// and are never made. Exit code 1 means that fewer than PERCENT were killed or
// that something could not run.
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
	"syscall"
)

type options struct {
	count    int
	seed     uint64
	least    int             // percent
	without  map[string]bool // packages that are not changed and whose tests are not run
	patterns []string        // packages to change, as for go list
	root     string          // of the module
	same     string          // file of changes that no test can notice
}

func main() {
	o := options{without: map[string]bool{}}
	flag.IntVar(&o.count, "count", 60, "how many conditions to change")
	flag.Uint64Var(&o.seed, "seed", 1, "the same seed makes the same changes")
	flag.IntVar(&o.least, "least", 85, "percent that must be killed")
	flag.StringVar(&o.root, "C", "../..", "folder of the module")
	flag.StringVar(&o.same, "equivalent", "mutate/equivalent.txt", "file of changes that no test can notice")
	flag.Func("without", "package to leave out, with its tests; may be repeated", func(s string) error {
		o.without[s] = true
		return nil
	})
	flag.Parse()
	if o.patterns = flag.Args(); len(o.patterns) == 0 {
		o.patterns = []string{"./..."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	all, err := list(o.root, "./...")
	if err != nil {
		return err
	}
	chosen, err := list(o.root, o.patterns...)
	if err != nil {
		return err
	}
	same, err := readEquivalent(o.same)
	if err != nil {
		return err
	}
	t, err := newTester(o, all)
	if err != nil {
		return err
	}
	defer t.close()
	chosen, err = withConditions(changeable(all, chosen, o.without))
	if err != nil {
		return err
	}
	tally := newTally(out)
	for _, d := range deal(chosen, o.count, o.seed) {
		if err := t.changePackage(ctx, d, o.seed, same, tally); err != nil {
			return err
		}
	}
	err = tally.print(o.least)
	if len(t.failing) > 0 {
		err = errors.Join(err, fmt.Errorf("tests that fail without any change could not judge: %s", strings.Join(t.failing, " ")))
	}
	return err
}
