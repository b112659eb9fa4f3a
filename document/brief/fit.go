package brief

import (
	"fmt"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/say"
)

// parts are the parts of a brief: our head, the report, its end mark, our foot.
type parts struct {
	head      []string
	first     []string   // of the report: nothing else has room before all of it
	sections  [][]string // the other sections of the report, each ending with an empty line
	end, foot string
	path      string
}

// fit joins the parts, and leaves lines of the report out until they fit the budget. It
// closes a fence that is cut open.
func (p *parts) fit(maxBytes int) (string, error) {
	body, lines := p.first[:len(p.first):len(p.first)], len(p.first)
	for _, s := range p.sections {
		body, lines = append(body, s...), lines+len(s)
	}
	if all := p.join(append(body, closing(body)...), p.foot); len(all) <= maxBytes {
		return all, nil
	}
	note := func(kept int) string {
		return fmt.Sprintf("[%d lines left out to stay within %d bytes; the document: %s]", lines-kept, maxBytes, p.path)
	}
	if room := maxBytes - len(p.join(p.first, note(0))); room >= 0 {
		body, kept := p.shared(room)
		return p.join(body, note(kept)), nil
	}
	for kept := longest(p.first, maxBytes); kept >= 0; kept-- {
		body := append(p.first[:kept:kept], closing(p.first[:kept])...)
		if text := p.join(body, note(kept)); len(text) <= maxBytes {
			return text, nil
		}
	}
	return "", fmt.Errorf("%w: %d bytes are too few for the first lines of a brief", handoff.ErrInvalid, maxBytes)
}

func (p *parts) join(body []string, last string) string {
	lines := append(append(append([]string{}, p.head...), body...), p.end, last)
	return strings.Join(lines, "\n") + "\n"
}

// shared returns the first lines of the report, uncut, and as many lines of each section
// as fit into the remaining room. Sections that need less than an equal share leave the
// rest to the others. kept is the number of report lines.
func (p *parts) shared(room int) (body []string, kept int) {
	keep, cut := make([]int, len(p.sections)), len(p.sections)
	for settled := true; settled && cut > 0; {
		settled = false
		for i, s := range p.sections {
			if size := sizeOf(s); keep[i] == 0 && size <= room/cut {
				keep[i], room, cut, settled = len(s), room-size, cut-1, true
				if cut == 0 {
					break
				}
			}
		}
	}
	lengthen := func(share func() int) {
		for i, s := range p.sections {
			if keep[i] < len(s) {
				before := costOf(s, keep[i])
				keep[i] = max(keep[i], longestCut(s, before+share()))
				room -= costOf(s, keep[i]) - before
			}
		}
	}
	equal := room / max(cut, 1)
	lengthen(func() int { return equal })
	lengthen(func() int { return room }) // what other sections could not use
	body, kept = p.first[:len(p.first):len(p.first)], len(p.first)
	for i, s := range p.sections {
		if body, kept = append(body, cutAfter(s, keep[i])...), kept+keep[i]; 0 < keep[i] && keep[i] < len(s) {
			kept++ // the empty line at its end
		}
	}
	return body, kept
}

// longest is how many of the first lines have at most so many bytes.
func longest(lines []string, most int) (n int) {
	for ; n < len(lines); n++ {
		if most -= len(lines[n]) + 1; most < 0 {
			break
		}
	}
	return n
}

// longestCut is the longest beginning of a section that costs at most so many bytes: 0, or
// its heading and at least one line.
func longestCut(s []string, most int) int {
	for n := min(longest(s, most), len(s)-1); n > 1; n-- {
		if costOf(s, n) <= most {
			return n
		}
	}
	return 0
}

func costOf(s []string, n int) int { return sizeOf(cutAfter(s, n)) }

func sizeOf(lines []string) (n int) {
	for _, l := range lines {
		n += len(l) + 1
	}
	return n
}

// cutAfter cuts a section after that many lines, and adds a note about the cut.
func cutAfter(s []string, n int) []string {
	if n == 0 || n == len(s) {
		return s[:n]
	}
	return append(append(s[:n:n], closing(s[:n])...), fmt.Sprintf("[%s left out]", say.Count(len(s)-1-n, "line")), "")
}

// closing is the line that closes an open fence, if there is one.
func closing(lines []string) []string {
	open := ""
	for _, l := range lines {
		t := strings.TrimLeft(l, " ")
		run := len(t) - len(strings.TrimLeft(t, "`"))
		switch {
		case open == "" && run >= 3:
			open = l[:len(l)-len(t)] + t[:run]
		case open != "" && run >= len(strings.TrimSpace(open)) && strings.Trim(t, "` ") == "":
			open = ""
		}
	}
	if open == "" {
		return nil
	}
	return []string{open}
}
