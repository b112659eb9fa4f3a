package parse

import "strings"

// signs is the level of the heading on the line, 0 if it is not a heading.
func (s *scanner) signs(l *line) int {
	level := run(s.src[l.at:l.end], '#')
	if level > 6 || l.at+level < l.end && s.src[l.at+level] != ' ' {
		return 0
	}
	return level
}

func (s *scanner) heading(l *line, level int) bool {
	start, end := l.at+level, l.end
	for start < end && s.src[start] == ' ' {
		start++
	}
	// Number signs at the end belong to the heading if a blank is before them.
	closing := end
	for closing > start && s.src[closing-1] == '#' {
		closing--
	}
	if closing == start {
		end = start
	} else if closing < end && s.src[closing-1] == ' ' {
		for end = closing; s.src[end-1] == ' '; {
			end--
		}
	}
	b := s.add(l, hashed)
	b.level = uint8(level)
	if start < end {
		b.start, b.end = int32(start), int32(end)
	}
	return true
}

// ticks is the length of the fence that the line opens, 0 if it opens none.
func (s *scanner) ticks(l *line, mark byte) int {
	n := run(s.src[l.at:l.end], mark)
	if n < 3 || mark == '`' && strings.IndexByte(s.src[l.at+n:l.end], '`') >= 0 {
		return 0
	}
	return n
}

func (s *scanner) openFence(l *line, mark byte, length int) bool {
	info := l.at + length
	for info < l.end && s.src[info] == ' ' {
		info++
	}
	b := s.add(l, fenced)
	if info < l.end {
		b.start, b.end = int32(info), int32(l.end)
	}
	s.fence = openFence{length: length, mark: mark, column: l.column - l.shift, index: s.size - 1}
	return true
}

// isRule reports whether the line consists of at least three marks and blanks.
func (s *scanner) isRule(l *line, mark byte) bool {
	marks := 0
	for i := l.at; i < l.end; i++ {
		switch s.src[i] {
		case mark:
			marks++
		case ' ':
		default:
			return false
		}
	}
	return marks >= 3
}

func (s *scanner) rule(l *line, mark byte) bool {
	if l.inner || s.para != none || run(s.src[l.at:l.end], mark) != l.end-l.at {
		return false // may underline a heading, or be a list in goldmark
	}
	s.add(l, rule)
	return true
}

// digits is the width of the number at the start of the line and its mark, 0 if
// it is not a list marker.
func (s *scanner) digits(l *line) int {
	n := 0
	for l.at+n < l.end && '0' <= s.src[l.at+n] && s.src[l.at+n] <= '9' {
		n++
	}
	if n > 9 || l.at+n == l.end || s.src[l.at+n] != '.' && s.src[l.at+n] != ')' {
		return 0
	}
	return n + 1
}

// marker reads a line that may begin with a list marker of the given width.
func (s *scanner) marker(l *line, width int) bool {
	text := l.at + width
	if text == l.end {
		return false // an empty item
	}
	if s.src[text] != ' ' {
		return s.words(l)
	}
	number := int32(0)
	for i := l.at; i < text-1; i++ {
		number = number*10 + int32(s.src[i]-'0')
	}
	if s.para != none && l.depth == s.open && width > 1 && number != 1 {
		return s.continueText(l) // only a list that begins with 1 can interrupt a paragraph
	}
	for s.src[text] == ' ' {
		text++
	}
	if l.inner || l.shift != 0 || text-l.at-width > 4 {
		return false
	}
	if s.open = s.openItem(l, s.src[l.at+width-1], number, l.column+text-l.at); s.open > maxItems {
		return false
	}
	l.column += text - l.at
	l.at, l.depth, l.inner = text, s.open, true
	return s.content(l)
}

// openItem starts an item: in the list of the last item at this depth if the
// marker is of the same kind, otherwise in a new list. It returns the number of
// open items.
func (s *scanner) openItem(l *line, marker byte, number int32, column int) int {
	var it openItem
	if l.depth < s.open && s.out[s.items[l.depth].item].marker == marker {
		it.list = s.items[l.depth].list
	} else {
		s.add(l, list)
		it.list = s.size - 1
	}
	b := s.add(l, item)
	b.marker, b.number = marker, number
	it.item, it.column = s.size-1, column
	if l.depth < maxItems {
		s.items[l.depth] = it
	}
	return l.depth + 1
}

// maybeHTML reports whether the line, which begins with "<", may begin HTML.
func (s *scanner) maybeHTML(l *line) bool {
	if l.at+1 == l.end {
		return false
	}
	c := s.src[l.at+1]
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '/' || c == '!' || c == '?'
}

// comment reads a comment that ends on its line.
func (s *scanner) comment(l *line) bool {
	text := s.src[l.at:l.end]
	if l.inner || !strings.HasPrefix(text, commentOpen) || !strings.Contains(text, commentClose) {
		return false
	}
	start := l.at - l.column
	end := len(s.src)
	if i := strings.IndexByte(s.src[l.end:], '\n'); i >= 0 {
		end = l.end + i + 1
	}
	b := s.add(l, html)
	b.start, b.end = int32(start), int32(end)
	return true
}
