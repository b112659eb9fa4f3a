//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// printTable writes one row per command, in Markdown.
func printTable(w io.Writer, list []*command, base string) {
	unit := 0.0
	if b := find(list, base); b != nil {
		unit = median(b.cpu)
	}
	own := ownRSS()
	fmt.Fprintf(w, "| command | CPU ms (min–max) | × %s | wall ms | RSS MB | exit | lines out | first line ms | faults |\n", base)
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, c := range list {
		if c.failed != nil {
			fmt.Fprintf(w, "| %s | could not run | | | | %d | | | |\n", c.name, c.exit)
			continue
		}
		fmt.Fprintf(w, "| %s | %s (%s–%s) | %s | %s | %s | %d | %d | %s | %s |\n", c.name,
			number(median(c.cpu)), number(slices.Min(c.cpu)), number(slices.Max(c.cpu)),
			multiple(median(c.cpu), unit), number(median(c.wall)), memory(c.rss, own), c.exit, c.lines, firstLine(c), number(median(c.faults)))
	}
}

func multiple(value, unit float64) string {
	if unit == 0 {
		return ""
	}
	return number(value / unit)
}

func firstLine(c *command) string {
	if c.first == 0 {
		return "–"
	}
	return number(milliseconds(c.first))
}

// memory marks values that cannot be measured: Linux counts the peak of the
// process that starts a command as the command's, so values below our own peak
// are hidden.
func memory(rss, own float64) string {
	if rss <= own {
		return "<" + number(own)
	}
	return number(rss)
}

// number writes three significant digits.
func number(f float64) string {
	switch {
	case f >= 100:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case f >= 10:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}

// ownRSS is this process's own peak memory in MB, 0 if unknown.
func ownRSS() float64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kilobytes * 1024 / 1e6
		}
	}
	return 0
}

// find returns the command of that name that ran, or nil.
func find(list []*command, name string) *command {
	for _, c := range list {
		if c.name == name && c.failed == nil && len(c.cpu) > 0 {
			return c
		}
	}
	return nil
}
