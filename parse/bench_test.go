package parse

import (
	"os"
	"testing"
)

func seedShaped(b *testing.B) []byte {
	b.Helper()
	src, err := os.ReadFile("testdata/lean.md")
	if err != nil {
		b.Fatal(err)
	}
	if _, ok := fast(src); !ok {
		b.Fatal("the scanner does not understand the document")
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	return src
}

// BenchmarkDocument reads the example of the handoff schema.
func BenchmarkDocument(b *testing.B) {
	src := seedShaped(b)
	for b.Loop() {
		Document(src)
	}
}

// BenchmarkGoldmark reads the same document without the line scanner.
func BenchmarkGoldmark(b *testing.B) {
	src := seedShaped(b)
	for b.Loop() {
		slow(src)
	}
}
