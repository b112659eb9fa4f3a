//go:build linux

// Command ssetail measures the event stream of a thread from its end: each
// round starts a server, reconnects a client to the tail, posts a message, and
// waits for its frame.
//
//	ssetail [-rounds N] HANDOFF THREAD SHORT LONG
//
// SHORT and LONG are workspaces with a thread of that id but of different length.
// They are measured in turn. It prints the cost of each, and the ratio of LONG to
// SHORT.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 20, "servers to begin in each workspace")
	flag.Parse()
	if err := run(*rounds, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "ssetail:", err)
		os.Exit(1)
	}
}

// sample is the cost of one round.
type sample struct {
	connect time.Duration // from the request to the answer's header
	posted  time.Duration // from sending the message to its frame
	again   time.Duration // from a request for the last event to its frame
	cpu     time.Duration // of the server, from start to exit
	rss     float64       // its peak, in 10^6 bytes
}

// columns are the values to print.
var columns = []struct {
	name string
	of   func(sample) time.Duration
}{
	{"connect at the tail", func(s sample) time.Duration { return s.connect }},
	{"post to frame", func(s sample) time.Duration { return s.posted }},
	{"connect to the last frame", func(s sample) time.Duration { return s.again }},
	{"CPU of the server, whole process", func(s sample) time.Duration { return s.cpu }},
}

func run(rounds int, args []string) error {
	if len(args) != 4 || rounds < 1 {
		return errors.New("usage: ssetail [-rounds N] HANDOFF THREAD SHORT LONG")
	}
	places := args[2:]
	samples := make([][]sample, len(places))
	for round := range rounds + 1 {
		order := []int{0, 1}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, i := range order {
			s, err := measure(args[0], args[1], places[i])
			if err != nil {
				return fmt.Errorf("%s: %w", places[i], err)
			}
			if round > 0 { // the first round only warms the caches
				samples[i] = append(samples[i], s)
			}
		}
	}
	report(samples[0], samples[1])
	return nil
}

func report(short, long []sample) {
	fmt.Println("| event stream, median, ms | short | long | ratio (bar 1.5) | |\n|---|---:|---:|---:|---|")
	for _, c := range columns {
		a, b := median(short, c.of), median(long, c.of)
		ratio := b / a
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %s |\n", c.name, a, b, ratio, verdict(ratio <= 1.5))
	}
	peak := func(list []sample) (most float64) {
		for _, s := range list {
			most = max(most, s.rss)
		}
		return most
	}
	fmt.Printf("| peak memory, MB (bar 64) | %.1f | %.1f | %.2f | %s |\n", peak(short), peak(long), peak(long)/peak(short), verdict(peak(long) < 64))
}

func median(list []sample, of func(sample) time.Duration) float64 {
	var all []time.Duration
	for _, s := range list {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return float64(all[(len(all)-1)/2]+all[len(all)/2]) / 2 / float64(time.Millisecond)
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "missed"
}
