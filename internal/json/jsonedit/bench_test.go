package jsonedit

import (
	"strings"
	"testing"
)

// BenchmarkSet parses a file of the largest real size, 5 kB, and sets a value.
func BenchmarkSet(b *testing.B) {
	row := "    {\n      \"type\": \"report\",\n      \"path\": \"specs/259_x/reports/01_y.md\",\n      \"summary\": \"a < b\"\n    },\n"
	src := []byte("{\n  \"artifacts\": [\n" + strings.TrimSuffix(strings.Repeat(row, 50), ",\n") + "\n  ],\n  \"status\": \"x\"\n}\n")
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		f, err := Parse(src)
		if err == nil {
			err = f.Set(Path{"status"}, "partial")
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
