// Package bench is what the commands begin with that measure one package of
// ours each, beside others and as a process of its own: the command line, whose
// turn it is, percentiles.
package bench

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
)

// Main ends the process with 2 and says why, where run fails.
func Main(name string, run func(args []string) error) {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(2)
	}
}

// Args reads "WHAT [flags] PATH". None at all is an error that says what there
// is.
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

// TurnOf is how many appends one makes before the next one's turn comes, so
// that whatever else the disk does falls on all of them alike.
const TurnOf = 50

// Turn gives each its turn, and every other time in the opposite order.
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

// At is the value that a part of the list is not above: 0.5 for the median.
func At[T cmp.Ordered](list []T, part float64) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(part*float64(len(sorted)-1))]
}

// Progress is what a user would see of the making of an index.
func Progress(done, total int64) {
	fmt.Fprintf(os.Stderr, "\rindex: %d of %d MB", done>>20, total>>20)
	if done == total {
		fmt.Fprintln(os.Stderr)
	}
}
