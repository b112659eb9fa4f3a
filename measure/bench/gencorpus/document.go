package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// The headings of the schema, exactly as it spells them.
const (
	nextAction = "## Immediate Next Action"
	state      = "## Current State"
	decisions  = "## Key Decisions Made"
	deadEnds   = "## What NOT to Try"
	context    = "## Critical Context (max 5 items)"
	references = "## References (read only if stuck)"
)

// screen is the maximum number of lines of a clean document.
const screen = 40

// wrapAt is the column, in runes, at which items are wrapped.
const wrapAt = 76

// document is one handoff before it is formatted, so that a defect can change a
// section by name.
type document struct {
	dir, base string // specs/12_port_parser, phase-1-handoff-….md
	title     string
	airy      bool // a blank line after every heading, as Markdown linters require
	sections  []section
}

type section struct {
	heading string
	lines   []string
}

// subject is what a document is about.
type subject struct {
	dir   string
	phase int
	stamp string // 20260212T143022Z
	file  source
}

// compose writes a clean document. If it is longer than a screen, compose
// discards it and writes another.
func compose(r *rand.Rand, s subject) *document {
	for {
		d := draft(r, s)
		if strings.Count(d.text(), "\n") <= screen {
			return d
		}
	}
}

func draft(r *rand.Rand, s subject) *document {
	width := 0
	if chance(r, 30) {
		width = wrapAt
	}
	d := &document{dir: s.dir, base: fmt.Sprintf("phase-%d-handoff-%s.md", s.phase, s.stamp),
		title: fmt.Sprintf("# Phase %d Handoff - %s", s.phase, s.stamp), airy: chance(r, 15)}
	d.add(nextAction, wrap(fill(r, "{action}"), "", width)...)
	d.add(state, stateLines(r, s.file)...)
	d.add(decisions, numbered(several(r, "choice", 1+r.IntN(3)), chance(r, 30), width)...)
	d.add(deadEnds, numbered(several(r, "deadend", 1+r.IntN(3)), false, width)...)
	d.add(context, bullets(several(r, "fact", 2+r.IntN(3)), width)...)
	d.add(references, referenceLines(r, s)...)
	return d
}

func (d *document) add(heading string, lines ...string) {
	d.sections = append(d.sections, section{heading, lines})
}

// section finds a section by its heading.
func (d *document) section(heading string) *section {
	for i := range d.sections {
		if d.sections[i].heading == heading {
			return &d.sections[i]
		}
	}
	panic("no section " + heading)
}

func (d *document) text() string {
	var b strings.Builder
	b.WriteString(d.title + "\n")
	for _, s := range d.sections {
		b.WriteString("\n" + s.heading + "\n")
		if d.airy {
			b.WriteString("\n")
		}
		for _, l := range s.lines {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

func stateLines(r *rand.Rand, f source) []string {
	lines := []string{
		"- **File**: " + f.path,
		fmt.Sprintf("- **Location**: Line %d, inside `%s %s`", 1+r.IntN(f.lines), f.lang.keyword, fill(r, "{name}")),
	}
	if chance(r, 55) {
		return append(lines, "- **Goal state**: "+fill(r, "{goal}"))
	}
	lines = append(lines, "- **Goal state**:", "  ```", "  case "+fill(r, "{tail}"))
	for _, h := range several(r, "math", 1+r.IntN(2)) {
		lines = append(lines, "  "+fill(r, "h_{stem}")+" : "+h)
	}
	return append(lines, "  ⊢ "+fill(r, "{type} ({name} s) {math}"), "  ```")
}

func referenceLines(r *rand.Rand, s subject) []string {
	lines := []string{
		fmt.Sprintf("- Plan: %s, Phase %d", s.dir+planPath, s.phase),
		fmt.Sprintf("- Research: %s, Section %q", s.dir+reportPath, fill(r, "{topic}")),
	}
	if chance(r, 30) {
		lines = append(lines, "- Related file: "+s.file.path)
	}
	return lines
}

// numbered writes items as "1. Choice: Reason", with the choice in bold if bold
// is set.
func numbered(items []string, bold bool, width int) []string {
	var lines []string
	for i, item := range items {
		if head, reason, ok := strings.Cut(item, ": "); ok && bold {
			item = "**" + head + "**: " + reason
		}
		lines = append(lines, wrap(fmt.Sprintf("%d. %s", i+1, item), "   ", width)...)
	}
	return lines
}

func bullets(items []string, width int) []string {
	var lines []string
	for _, item := range items {
		lines = append(lines, wrap("- "+item, "  ", width)...)
	}
	return lines
}

// wrap breaks text between words before column width and indents all lines but
// the first; width 0 means one line. It may break a code span: Markdown reads
// the line end as a space.
func wrap(text, indent string, width int) []string {
	if width == 0 {
		return []string{text}
	}
	var lines []string
	line := ""
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
