package agents

import (
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
// than the usual window must have a larger one.
func (c Context) Limit(f Facts) (tokens, window int) {
	if window = f.Window; window == 0 {
		window = c.window(f)
	}
	if f.Getenv != nil && c.Env != "" {
		if n, err := strconv.Atoi(f.Getenv(c.Env)); err == nil && n > 0 {
			window = min(n, window)
		}
	}
	switch {
	case c.At > 0 && window > 0:
		return min(c.At, window), window
	case c.At > 0:
		return c.At, 0
	case c.Percent == 0 || window == 0:
		return 0, window
	}
	return max(1, window*c.Percent/100-c.Reserve), window
}

func (c Context) window(f Facts) (window int) {
	longest := -1
	for begin, n := range c.Models {
		if strings.HasPrefix(f.Model, begin) && len(begin) > longest {
			longest, window = len(begin), n
		}
	}
	if window >= f.Used && window > 0 {
		return window
	}
	for _, n := range c.Windows {
		if window = n; n >= f.Used {
			break
		}
	}
	return window
}
