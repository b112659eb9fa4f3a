package journal

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkAppend measures an append without the flush.
func BenchmarkAppend(b *testing.B) {
	j, err := Create(b.Context(), filepath.Join(b.TempDir(), "log"), strict, Options{sync: func(*os.File) error { return nil }}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	j.index.tender.covered.Store(1 << 60)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := j.Append(context.Background(), Any(), add("a record of some length, as most are")); err != nil {
			b.Fatal(err)
		}
	}
}
