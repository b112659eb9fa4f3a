//go:build linux

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// bar is a limit for a command, alone or relative to another.
type bar struct {
	text  string
	left  string
	right string // empty for memory and wall time
	kind  byte   // '/' ratio of CPU, '-' difference of CPU in ms, 'm' memory in MB, 'w' wall time in ms
	wall  bool   // wall time instead of CPU time
	part  bool   // the limit was written as a fraction, 1/15, and the result is printed as one
	limit float64
}

// parseBar reads the six forms: "lint / floor <= 3", "lint / rumdl <= 1/15",
// "one - hello <= 3ms", "lint <= 40MB", "wall lint / floor <= 3" and "wall next <= 50ms".
func parseBar(s string) (bar, error) {
	b := bar{text: s}
	f := strings.Fields(s)
	if b.wall = len(f) == 6 && f[0] == "wall" && f[2] == "/" || len(f) == 4 && f[0] == "wall"; b.wall {
		f = f[1:]
	}
	var limit string
	switch {
	case len(f) == 5 && (f[1] == "/" || f[1] == "-") && f[3] == "<=":
		b.left, b.kind, b.right, limit = f[0], f[1][0], f[2], f[4]
	case len(f) == 3 && f[1] == "<=":
		b.left, b.kind, limit = f[0], 'm', f[2]
		if b.wall {
			b.kind = 'w'
		}
	default:
		return b, fmt.Errorf("%q: write \"A / B <= 3\", \"A - B <= 3ms\", \"A <= 40MB\" or \"wall A <= 50ms\"", s)
	}
	unit := map[byte]string{'-': "ms", 'm': "MB", 'w': "ms"}[b.kind]
	value, ok := strings.CutSuffix(limit, unit)
	if b.kind == '/' && strings.HasPrefix(value, "1/") {
		b.part, value = true, value[2:]
	}
	var err error
	if b.limit, err = strconv.ParseFloat(value, 64); err != nil || !ok || b.limit <= 0 {
		return b, fmt.Errorf("%q: %q is no limit in %s", s, limit, unit)
	}
	if b.part {
		b.limit = 1 / b.limit
	}
	return b, nil
}

// printBars writes every bar and the measured value, in Markdown.
func printBars(w io.Writer, list []*command, bars []bar) {
	if len(bars) == 0 {
		return
	}
	fmt.Fprintln(w, "\n| bar (CPU) | measured | |\n|---|---:|---|")
	for _, b := range bars {
		measured, verdict := b.against(list)
		fmt.Fprintf(w, "| %s | %s | %s |\n", b.text, measured, verdict)
	}
}

func (b bar) against(list []*command) (measured, verdict string) {
	left, right := find(list, b.left), find(list, b.right)
	if left == nil {
		return "–", "not measured: " + b.left + " did not run"
	}
	if right == nil && b.right != "" {
		return "–", "not measured: " + b.right + " did not run"
	}
	var value float64
	switch b.kind {
	case 'm':
		value = left.rss
		measured = memory(value, ownRSS()) + " MB"
	case 'w':
		value = median(left.wall)
		measured = number(value) + " ms"
	case '-':
		value = median(left.cpu) - median(right.cpu)
		measured = number(value) + " ms"
	default:
		value = median(b.times(left)) / median(b.times(right))
		measured = number(value)
		if b.part {
			measured = "1/" + number(1/value)
		}
	}
	if value <= b.limit {
		return measured, "ok"
	}
	return measured, "missed"
}

func (b bar) times(c *command) []float64 {
	if b.wall {
		return c.wall
	}
	return c.cpu
}
