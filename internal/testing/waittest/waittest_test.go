package waittest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"handoff/internal/testing/waittest"
)

// failing records that a test failed, and ends its goroutine as t.Fatal does.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(string, ...any) {
	f.failed = true
	panic(f)
}

// fails reports whether a wait fails, and the time it takes, in virtual time.
func fails(t *testing.T, wait func(testing.TB)) (failed bool, took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		f, start := &failing{TB: t}, time.Now()
		defer func() { failed, took = f.failed, time.Since(start) }()
		defer func() { _ = recover() }()
		wait(f)
	})
	return failed, took
}

func TestUntil(t *testing.T) {
	looks := 0
	if failed, took := fails(t, func(t testing.TB) {
		waittest.Until(t, "three looks", func() bool { looks++; return looks == 3 })
	}); failed || took > time.Second {
		t.Errorf("failed %v, after %v", failed, took)
	}
	if failed, took := fails(t, func(t testing.TB) {
		waittest.Until(t, "nothing", func() bool { return false })
	}); !failed || took < waittest.Limit {
		t.Errorf("what never happens: failed %v, after %v", failed, took)
	}
}

// TestPause: a look that takes long is not repeated at once, and one that takes very long is, after a moment.
func TestPause(t *testing.T) {
	for look, want := range map[time.Duration]time.Duration{0: 5 * time.Millisecond, 10 * time.Millisecond: 50 * time.Millisecond, 5 * time.Second: 5250 * time.Millisecond} {
		looks := 0
		if _, took := fails(t, func(t testing.TB) {
			waittest.Until(t, "the second look", func() bool {
				if looks++; looks == 1 {
					time.Sleep(look)
				}
				return looks == 2
			})
		}); took != want {
			t.Errorf("a look of %v: the next one after %v, want %v", look, took, want)
		}
	}
}

func TestFor(t *testing.T) {
	c := make(chan int, 1)
	c <- 7
	if got := waittest.For(t, "a value", c); got != 7 {
		t.Errorf("%d", got)
	}
	if failed, took := fails(t, func(t testing.TB) { waittest.For(t, "nothing", make(chan int)) }); !failed || took < waittest.Limit {
		t.Errorf("what never comes: failed %v, after %v", failed, took)
	}
}

func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		<-waittest.Context(t).Done()
		if took := time.Since(start); took != waittest.Limit {
			t.Errorf("ended after %v", took)
		}
	})
}
