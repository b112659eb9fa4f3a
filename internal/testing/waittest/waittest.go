// Package waittest lets tests wait for other goroutines and processes without
// assuming how fast the machine is: each wait ends as soon as its condition is
// met, and only something that hangs reaches the limit.
package waittest

import (
	"context"
	"testing"
	"time"
)

// Limit is how long a test waits before it fails. A busy machine stops a
// process for tens of seconds, so it is long; it is shorter than the 10 minutes
// after which go test ends a package without reporting what it waited for.
const Limit = 4 * time.Minute

// between is the pause between two looks at a condition, and pauseMost the longest. The pause after a look is spare times as long
// as the look was: one that starts a process takes the time of processors from what is waited for.
const (
	between   = 5 * time.Millisecond
	spare     = 4
	pauseMost = 250 * time.Millisecond
)

// Until returns when so reports true. After Limit the test fails and names what
// it waited for.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	if !Within(Limit, so) {
		t.Fatalf("waited %v for %s", Limit, what)
	}
}

// Within waits until so returns true, up to a time limit, and reports whether it
// did. Use Until for a condition that must be met.
func Within(most time.Duration, so func() bool) bool {
	for end := time.Now().Add(most); ; {
		began := time.Now()
		if so() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(min(max(between, spare*time.Since(began)), pauseMost))
	}
}

// For returns the next value of a channel. After Limit the test fails and names
// what it waited for.
func For[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(Limit):
		t.Fatalf("waited %v for %s", Limit, what)
		panic("unreachable")
	}
}

// Context returns a context that ends with the test, or after Limit.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	t.Cleanup(cancel)
	return ctx
}

// Deadline returns the time after which an operation counts as hung.
func Deadline() time.Time { return time.Now().Add(Limit) }
