package journal

import (
	"context"
	"path/filepath"
	"testing"
)

// BenchmarkAppend is all that an append costs but the disk.
func BenchmarkAppend(b *testing.B) {
	j, err := Create(filepath.Join(b.TempDir(), "log"), strict, Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	j.syncFile = func(*logFile) error { return nil }
	j.index.covered.Store(1 << 60)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := j.Append(context.Background(), Any(), add("a record of some length, as most are")); err != nil {
			b.Fatal(err)
		}
	}
}
