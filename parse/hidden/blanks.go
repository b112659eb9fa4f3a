package hidden

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// farBlanks is how many blanks put text out of sight on a screen of any width.
// Tables need more, because their columns are padded.
const (
	farBlanks  = 100
	farInTable = 250
	tabBlanks  = 4 // as wide as a tab of Markdown
	// Fewer than fewEntities entities are not checked if there are no other
	// runs of blanks.
	fewEntities = 5
)

// blankEntities are displayed as a blank outside of code.
var blankEntities = []string{"&nbsp;", "&#160;", "&#xa0;", "&ensp;", "&emsp;", "&#8195;", "&#8199;"}

// blankEntity is the length of the entity at the start of a text, 0 if there is
// none.
func blankEntity(text string) int {
	for _, e := range blankEntities {
		if len(text) >= len(e) && strings.EqualFold(text[:len(e)], e) {
			return len(e)
		}
	}
	return 0
}

// far reports whether some line can have so many blanks that text is out of
// sight. Such blanks fill a long stretch completely, so it checks only one byte
// in fifty.
func (s *scanner) far() bool {
	const step = farBlanks / 2
	if strings.Count(s.src, "\t") >= farBlanks/tabBlanks || strings.Count(s.src, "&") >= fewEntities {
		return true // they take fewer bytes than blanks
	}
	for i := step - 1; i < len(s.src); i += step {
		if !blankByte(s.src[i]) {
			continue
		}
		from, to := i, i+1
		for from > 0 && blankByte(s.src[from-1]) {
			from--
		}
		for to < len(s.src) && blankByte(s.src[to]) {
			to++
		}
		if to-from >= farBlanks {
			return true
		}
		i = max(i, to-step)
	}
	return false
}

// blankByte reports whether a byte can be part of a blank of any length.
func blankByte(c byte) bool {
	return c == ' ' || c == '\t' || 0x80 <= c && c <= 0x8a || c == 0x9a || c == 0x9f || c == 0xa0 || c == 0xaf || c == 0xc2 || 0xe1 <= c && c <= 0xe3
}

// blank reports whether a character is displayed as empty space, as U+2800 is.
func blank(r rune) bool { return r == ' ' || r == '\t' || r == 0x2800 || unicode.Is(unicode.Zs, r) }

// blanks finds text far to the right, even in code. The piece is the blanks.
func (s *scanner) blanks() {
	if !s.far() {
		return
	}
	for n := 1; n < len(s.line); n++ {
		line, at := s.doc.Line(n), s.doc.Offset(n)
		least := farBlanks
		if len(line) > 0 && line[0] == '|' {
			least = farInTable
		}
		run, from, entity := 0, 0, 0 // entity is the offset at which one ends
		for i, r := range line {
			if i < entity {
				continue
			}
			if r == '&' && s.line[n] != code {
				entity = i + blankEntity(line[i:])
			}
			if blank(r) || i < entity {
				if run == 0 {
					from = i
				}
				if run++; r == '\t' {
					run += tabBlanks - 1
				}
				continue
			}
			if run >= least && !(least == farInTable && r == '|' && s.padded(n, utf8.RuneCountInString(line[:from]), run)) {
				s.found = append(s.found, Piece{From: at + from, To: at + i, Blanks: true, What: "text after " + strconv.Itoa(run) + " blanks"})
			}
			run = 0
		}
	}
}

// padded reports whether blanks of a row of a table pad its cell to the width of another row, which has text there:
// formatters do that. A line of dashes is as wide in every table.
func (s *scanner) padded(n, from, run int) bool {
	row := func(n int) bool {
		return n > 0 && n < len(s.line) && strings.HasPrefix(s.doc.Line(n), "|")
	}
	for _, step := range [...]int{-1, 1} {
		for m := n + step; row(m); m += step {
			cells := []rune(s.doc.Line(m))
			if delimiters(string(cells)) == 0 && len(cells) >= from+run && !hasFarBlanks(cells[from:from+run]) {
				return true
			}
		}
	}
	return false
}

// hasFarBlanks reports whether a text has so many blanks that what follows is out of sight.
func hasFarBlanks(text []rune) bool {
	run := 0
	for _, r := range text {
		if run++; !blank(r) {
			run = 0
		}
		if run >= farBlanks {
			return true
		}
	}
	return false
}
