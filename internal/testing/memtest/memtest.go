// Package memtest measures how much memory a piece of work needs, for tests of work
// whose memory must not grow with its input.
package memtest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Peak returns by how many bytes the heap grew at most while work ran, including
// garbage of up to a quarter of what is in use. The heap is sampled every
// millisecond, so work that keeps all of its input until its end is always seen.
func Peak(work func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	runtime.GC()
	before, most := heap(), int64(0)
	done, seen := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, heap())
			case <-done:
				seen <- max(most, heap())
				return
			}
		}
	}()
	work()
	close(done)
	return <-seen - before
}

// heap is the size of all objects on the heap in bytes, including dead ones that
// are not collected yet.
func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
