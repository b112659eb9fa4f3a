package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkChange measures from a change to its diagnostics, as an editor sees it: one
// character is typed into a handoff in a folder with 20 others.
func BenchmarkChange(b *testing.B) {
	b.Run("handoff", func(b *testing.B) { benchmarkChange(b, strings.Replace(goodDoc, "plan.md", "lost.md", 1)) })
	b.Run("1MB", func(b *testing.B) {
		benchmarkChange(b, goodDoc+strings.Repeat("- specs/259_prove/lost.md: a reference that does not exist\n", 17000))
	})
}

func benchmarkChange(b *testing.B, text string) {
	root := newTree(b)
	path := filepath.Join(root, filepath.FromSlash(docPath))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 20 {
		name := fmt.Sprintf("phase-%d-handoff-202602121430%02dZ.md", i+1, i)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(goodDoc), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	c := start(b, `{}`)
	uri := uriOf(path)
	c.open(uri, text)
	c.settle()
	seen := 1
	var times []time.Duration
	for b.Loop() {
		began := time.Now()
		typed := change{Range: &textRange{position{3, 3}, position{3, 3}}, Text: "x"}
		if seen%2 == 0 { // it is deleted again
			typed = change{Range: &textRange{position{3, 3}, position{3, 4}}}
		}
		c.change(uri, seen+1, typed)
		c.settle()
		times = append(times, time.Since(began))
		seen++
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "ms-p99")
	if list := c.all(); len(list) != seen {
		b.Fatalf("%d publications for %d changes", len(list), seen-1)
	}
}
