package memtest

import (
	"runtime"
	"testing"
)

const (
	part  = 16 << 10
	parts = 1024
)

func TestPeak(t *testing.T) {
	if !Alone(t) {
		return
	}
	var kept [][]byte
	keep := func() {
		for range parts {
			kept = append(kept, make([]byte, part))
		}
	}
	if peak := Peak(keep); peak < part*parts*3/4 {
		t.Errorf("work that keeps %d bytes: peak of %d", part*parts, peak)
	}
	runtime.KeepAlive(kept)
	kept = nil
	drop := func() {
		for range parts * 16 {
			kept = append(kept[:0], make([]byte, part))
		}
	}
	if peak := Peak(drop); peak > part*parts/2 {
		t.Errorf("work that keeps %d bytes at a time: peak of %d", part, peak)
	}
}
