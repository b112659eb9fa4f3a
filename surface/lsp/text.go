package lsp

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// encoding is how a client counts characters in a line.
type encoding string

// The encodings of the protocol. UTF-16 is the default.
const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// encodingOf is the first encoding that a client offers and the server knows.
func encodingOf(offered []string) encoding {
	for _, e := range offered {
		if slices.Contains([]encoding{utf8Units, utf16Units, utf32Units}, encoding(e)) {
			return encoding(e)
		}
	}
	return utf16Units
}

// units is the length of a part of a text that is valid UTF-8.
func (e encoding) units(s string) (n int) {
	if e == utf8Units {
		return len(s)
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0xf0 && e == utf16Units: // the first byte of a character that is a surrogate pair
			n += 2
		case c < 0x80 || c >= 0xc0: // not the second, third or fourth byte of a character
			n++
		}
	}
	return n
}

// text is the text of a document with the start of each line. Lines end with "\n",
// "\r\n" or "\r", as the protocol defines; the lines of a [handoff.Document] do not end
// with a lone "\r", so offsets are what both have in common.
type text struct {
	src    string
	starts []int
	enc    encoding
	sums   []int // units before each block: without them, many positions in one long line would take quadratic time
}

const block = 1 << 10 // bytes

func newText(src string, enc encoding) text {
	t := text{src: src, enc: enc, starts: make([]int, 1, 2+strings.Count(src, "\n")), sums: make([]int, 1, 1+len(src)/block)}
	for at := block; at <= len(src); at += block {
		t.sums = append(t.sums, t.sums[len(t.sums)-1]+enc.units(src[at-block:at]))
	}
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// line returns line n, from 0, without its end.
func (t text) line(n int) string {
	end := len(t.src)
	if n+1 < len(t.starts) {
		end = t.starts[n+1]
	}
	return strings.TrimRight(t.src[t.starts[n]:end], "\r\n")
}

// position returns the position of a byte.
func (t text) position(offset int) position {
	offset = min(max(offset, 0), len(t.src))
	n := sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > offset }) - 1
	return position{Line: n, Character: t.before(offset) - t.before(t.starts[n])}
}

// before is the number of units before a byte.
func (t text) before(offset int) int {
	return t.sums[offset/block] + t.enc.units(t.src[offset/block*block:offset])
}

// offset returns the byte at a position. A character after the end of a line means that
// end; one inside of a character, such as the second half of a surrogate pair, means its
// start; a line after the last one means the end of the text.
func (t text) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(t.starts) {
		return len(t.src)
	}
	line, units := t.line(p.Line), 0
	for i := 0; i < len(line); {
		_, size := utf8.DecodeRuneInString(line[i:])
		if units += t.enc.units(line[i : i+size]); units > p.Character {
			return t.starts[p.Line] + i
		}
		i += size
	}
	return t.starts[p.Line] + len(line)
}

// span returns the range between two bytes.
func (t text) span(from, to int) textRange { return textRange{t.position(from), t.position(to)} }

// apply returns the text after a change.
func (t text) apply(c change) text {
	if c.Range == nil {
		return newText(c.Text, t.enc)
	}
	from := t.offset(c.Range.Start)
	to := max(from, t.offset(c.Range.End))
	return newText(t.src[:from]+c.Text+t.src[to:], t.enc)
}

// editTo returns the edits that turn the text into another one: none, or one that begins
// and ends at the start of a line, so that cursors in other lines stay where they are.
func (t text) editTo(fixed string) []textEdit {
	if fixed == t.src {
		return nil
	}
	most := min(len(t.src), len(fixed))
	from := 0
	for from < most && t.src[from] == fixed[from] {
		from++
	}
	from = strings.LastIndexByte(t.src[:from], '\n') + 1
	tail := 0
	for tail < most-from && t.src[len(t.src)-1-tail] == fixed[len(fixed)-1-tail] {
		tail++
	}
	same := t.src[len(t.src)-tail:]
	if !startsLine(t.src, len(t.src)-tail) || !startsLine(fixed, len(fixed)-tail) {
		_, same, _ = strings.Cut(same, "\n")
	}
	return []textEdit{{Range: t.span(from, len(t.src)-len(same)), Text: fixed[from : len(fixed)-len(same)]}}
}

func startsLine(s string, at int) bool { return at == 0 || s[at-1] == '\n' }
