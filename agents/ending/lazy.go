package ending

import (
	"regexp"
	"sync"
)

// lazy compiles an expression when it is first used: all of them together would cost each start of
// every command half a millisecond.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
