// Package memtest measures how much memory work needs, for tests of what must not
// grow with its input.
package memtest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Peak is by how many bytes the heap grew at most while work ran, garbage
// included, of which a quarter of what is in use may lie around. Work that holds
// all of its input to its end cannot hide between two looks.
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

// heap is how many bytes of the heap are taken by objects, dead ones that were
// not collected yet among them.
func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
