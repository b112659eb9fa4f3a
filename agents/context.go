package agents

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Facts describe the session for which the limit is wanted.
type Facts struct {
	Model  string
	Window int                 // as the host reported it, 0 if it did not
	Used   int                 // tokens in the context
	Getenv func(string) string // nil for no environment
}

// Limit is the number of tokens at which the agent compacts the session, and
// the size of its context; 0 if that is not known. The reported window comes
// before the model's, and that before the usual one. A context that holds more
// than that must have a larger one of the table. A model that the table does not
// have is not known: the window of another one could be a sixth of its own.
func (c Context) Limit(f Facts) (tokens, window int) {
	if window = f.Window; window == 0 {
		window = c.window(f)
	}
	if f.Getenv != nil && c.Env != "" {
		if n, err := strconv.Atoi(f.Getenv(c.Env)); err == nil && n > 0 && (window == 0 || n < window) {
			window = n
		}
	}
	return c.compacts(window), window
}

// compacts is the number of tokens at which a context of this size is compacted.
func (c Context) compacts(window int) int {
	switch {
	case c.At > 0 && window > 0:
		return min(c.At, window)
	case c.At > 0:
		return c.At
	case c.Percent == 0 || window == 0:
		return 0
	}
	return max(1, window*c.Percent/100-c.Reserve)
}

// Limits are the numbers of tokens at which the agent compacts, for all windows that the
// table has, in their order.
func (c Context) Limits() (all []int) {
	if c.At > 0 {
		return []int{c.At}
	}
	for _, window := range slices.Concat(c.Windows, slices.Collect(maps.Values(c.Models))) {
		if n := c.compacts(window); n > 0 {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (c Context) window(f Facts) (window int) {
	if n, chosen := chosenSize(f.Model); chosen {
		return n
	}
	longest := -1
	for begin, n := range c.Models {
		if strings.HasPrefix(f.Model, begin) && len(begin) > longest {
			longest, window = len(begin), n
		}
	}
	sizes := c.Windows
	if window > 0 {
		sizes = append([]int{window}, slices.Sorted(maps.Values(c.Models))...)
	}
	for _, n := range sizes {
		if n >= f.Used && n >= window {
			return n
		}
	}
	return 0
}

// chosenSize is the size that a model's name has in brackets, as in large[1m]: that of the
// model alone would be another one. It is 0 if the name has a size that cannot be read.
func chosenSize(model string) (tokens int, chosen bool) {
	_, size, chosen := strings.Cut(model, "[")
	if !chosen {
		return 0, false
	}
	size = strings.ToLower(strings.TrimSuffix(size, "]"))
	unit := 1
	switch {
	case strings.HasSuffix(size, "m"):
		unit = 1_000_000
	case strings.HasSuffix(size, "k"):
		unit = 1_000
	}
	n, err := strconv.Atoi(strings.TrimRight(size, "mk"))
	if err != nil || n < 1 || n > 1_000_000 {
		return 0, true
	}
	return n * unit, true
}
