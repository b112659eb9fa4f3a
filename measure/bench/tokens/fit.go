package main

import (
	"fmt"
	"math"
	"slices"

	"handoff/internal/text/tokens"
)

// fit finds non-negative weights with least squares: each chunk's error is
// divided by the square root of its size, so that a long text may be off by
// more tokens but not by a larger share. It improves one weight at a time until
// they no longer change.
func fit(chunks []sample) tokens.Counts {
	const rounds = 20_000
	features := make([]tokens.Counts, len(chunks))
	for i, c := range chunks {
		features[i] = tokens.Features(c.text)
	}
	var w [tokens.NumFeatures]float64
	rest := make([]float64, len(chunks)) // actual count minus estimate
	for i, c := range chunks {
		rest[i] = float64(c.o200k)
	}
	for range rounds {
		moved := 0.0
		for f := range w {
			var up, down float64
			for i := range chunks {
				x := float64(features[i][f])
				up += x * rest[i] / float64(chunks[i].o200k)
				down += x * x / float64(chunks[i].o200k)
			}
			if down == 0 {
				continue
			}
			next := max(0, w[f]+up/down)
			for i := range chunks {
				rest[i] -= (next - w[f]) * float64(features[i][f])
			}
			moved = max(moved, math.Abs(next-w[f]))
			w[f] = next
		}
		if moved < 1e-7 {
			break
		}
	}
	var whole tokens.Counts
	for f := range w {
		whole[f] = int(math.Round(w[f] * 1000))
	}
	return whole
}

// estimate is tokens.Estimate with other weights.
func estimate(w tokens.Counts, text string) int {
	sum := 0
	for f, n := range tokens.Features(text) {
		sum += n * w[f]
	}
	return (sum + 500) / 1000
}

// report prints the error of the estimate: for each file if there are few, and
// in total.
func report(samples []sample, estimate func(string) int) {
	const few = 40
	var off []float64
	real, est, bytes4 := 0, 0, 0
	for _, s := range samples {
		e := estimate(s.text)
		real, est, bytes4 = real+s.o200k, est+e, bytes4+(len(s.text)+3)/4
		share := 100 * float64(e-s.o200k) / float64(s.o200k)
		off = append(off, math.Abs(share))
		if len(samples) <= few {
			fmt.Printf("%+6.1f %%  about %6d  o200k %6d  cl100k %6d  %s\n", share, e, s.o200k, s.cl100k, s.path)
		}
	}
	if len(off) == 0 {
		return
	}
	slices.Sort(off)
	at := func(p int) float64 { return off[min(len(off)-1, len(off)*p/100)] }
	fmt.Printf("%d files: off by %.1f %% (median), %.1f %% (p90), %.1f %% (most); all together %+.1f %%, bytes/4 %+.1f %%\n",
		len(off), at(50), at(90), off[len(off)-1], 100*float64(est-real)/float64(real), 100*float64(bytes4-real)/float64(real))
}
