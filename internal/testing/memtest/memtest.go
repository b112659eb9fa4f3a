// Package memtest measures how much memory a piece of work needs, for tests of work
// whose memory must not grow with its input.
package memtest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Peak returns by how many bytes the live heap grew at most while work ran; see [Alone].
// The garbage collector runs whenever the heap has grown by a quarter, so work that keeps
// all of its input until its end is seen with at least four fifths of it. Garbage does
// not count. The work gets one processor, so that it does not run between a collection
// and the look at its result.
func Peak(work func()) int64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	runtime.GC()
	before, most := live(), int64(0)
	done, seen := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, live())
			case <-done:
				seen <- max(most, live())
				return
			}
		}
	}()
	work()
	close(done)
	return <-seen - before
}

// live is the size in bytes of the objects that the last collection found in use.
func live() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
