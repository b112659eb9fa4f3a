// Package bench has what the commands that measure one package have in common:
// the command line, the order of turns, percentiles.
package bench

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
)

// Main runs a command. If run fails, it prints the error and exits with 2.
func Main(name string, run func(args []string) error) {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(2)
	}
}

// Args reads "WHAT [flags] PATH". Without arguments, the error lists the
// possible ones.
func Args(args []string, there string, set func(*flag.FlagSet)) (what, path string, err error) {
	if len(args) == 0 {
		return "", "", errors.New(there)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	set(flags)
	if err := flags.Parse(args[1:]); err != nil {
		return "", "", err
	}
	if flags.NArg() != 1 {
		return "", "", errors.New("name one file or folder")
	}
	return args[0], flags.Arg(0), nil
}

// TurnOf is the number of appends in one turn, so that other load on the disk
// affects all competitors alike.
const TurnOf = 50

// Turn calls each for all competitors in turn, every second time in reverse
// order.
func Turn[T any](n int, all []T, each func(T) error) error {
	if n%2 == 1 {
		all = slices.Clone(all)
		slices.Reverse(all)
	}
	for _, one := range all {
		if err := each(one); err != nil {
			return err
		}
	}
	return nil
}

// At is a percentile of the list: 0.5 for the median.
func At[T cmp.Ordered](list []T, part float64) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(part*float64(len(sorted)-1))]
}

// Progress prints the progress of building an index, as a user would see it.
func Progress(done, total int64) {
	fmt.Fprintf(os.Stderr, "\rindex: %d of %d MB", done>>20, total>>20)
	if done == total {
		fmt.Fprintln(os.Stderr)
	}
}
