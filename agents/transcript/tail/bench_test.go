package tail

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// BenchmarkOpen reads transcripts of 100 MB, which end at different places. It
// reports the slowest of each hundred.
func BenchmarkOpen(b *testing.B) {
	lines := slices.Collect(bytes.Lines(longTranscript(b)))
	path := filepath.Join(b.TempDir(), "session.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	const ends = 50 // places at which the file ends
	all := bytes.Join(lines, nil)
	for n := 0; n < 100<<20; n += len(all) {
		if _, err := f.Write(all); err != nil {
			b.Fatal(err)
		}
	}
	_ = f.Close()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		if i%ends == 0 || i < ends {
			b.StopTimer()
			appendTo(b, path, bytes.Join(lines[i%ends*len(lines)/ends:(i%ends+1)*len(lines)/ends], nil))
			b.StartTimer()
		}
		begun := time.Now()
		t, err := Open(path, "")
		if err != nil || t.Session.Used == 0 {
			b.Fatal(t, err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func appendTo(b *testing.B, path string, src []byte) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(src); err != nil {
		b.Fatal(err)
	}
}

// longTranscript is a recorded one.
func longTranscript(b *testing.B) []byte {
	corpus := needs.Folder(b, "HANDOFF_CORPUS")
	src, err := os.ReadFile(filepath.Join(corpus, "transcripts", "claude-code", "8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	return src
}
