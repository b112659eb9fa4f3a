package hidden

import (
	"strings"
)

// links finds titles of links, and unused link definitions.
func (s *scanner) links() {
	if strings.Contains(s.src, "](") {
		s.inline()
	}
	if strings.Contains(s.src, "]:") {
		s.definitions()
	}
}

// inline finds the titles of "[text](address "title")".
func (s *scanner) inline() {
	s.text(func(from, to int) bool {
		for at := from; at < to; {
			i := strings.Index(s.src[at:to], "](")
			if i < 0 {
				return true
			}
			open := s.emptyText(from, at+i)
			at += i + 2
			// The address may contain characters that end a run of text, so
			// this reads the line.
			line := s.doc.LineAt(at)
			end := s.doc.Offset(line) + len(s.doc.Line(line))
			address := addressEnd(s.src[:end], at)
			s.looked += address - at
			if strings.Count(s.src[at:address], " ") > 1 {
				s.add(at, address, "the address of a link")
			}
			if i := strings.IndexByte(s.src[address:end], ')'); open >= 0 && i >= 0 && hasWord(s.src[at:address+i]) {
				s.add(open, address+i+1, "a link without a text")
			}
			at = max(at, address) // a link in an address is not a link
			if open, close := s.titleAt(address, end); close > open {
				s.add(open, close, "the title of a link")
				at = close
			}
		}
		return true
	})
}

// emptyText is the offset of the link whose text ends at an offset, if that
// text is empty; -1 if it is not, or belongs to a picture.
func (s *scanner) emptyText(from, end int) int {
	at := end - 1
	for at >= from && space(s.src[at]) {
		at--
	}
	if at < from || s.src[at] != '[' || at > from && s.src[at-1] == '!' {
		return -1
	}
	return at
}

// addressEnd is the end of the address that begins at src[at:], after blanks.
func addressEnd(src string, at int) int {
	for at < len(src) && space(src[at]) {
		at++
	}
	if at < len(src) && src[at] == '<' {
		if end := strings.IndexByte(src[at:], '>'); end >= 0 {
			return at + end + 1
		}
	}
	depth := 0
	for ; at < len(src) && !space(src[at]); at++ {
		switch src[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return at
			}
		case '\\':
			at++
		}
	}
	return min(at, len(src))
}

// titleAt is the start and end of the title after the blanks at an offset; both
// are the same if there is none, or it is empty. It ends before limit.
func (s *scanner) titleAt(at, limit int) (open, close int) {
	for open = at; open < limit && space(s.src[open]); open++ {
	}
	if open == at || open == limit {
		return at, at
	}
	end := ""
	switch s.src[open] {
	case '"', '\'':
		end = s.src[open : open+1]
	case '(':
		end = ")"
	default:
		return at, at
	}
	for close = open + 1; ; close++ {
		if close = s.index(end, close, limit); close < 0 || close == open+1 {
			return at, at
		}
		if s.src[close-1] != '\\' {
			return open, close + 1
		}
	}
}

// definitions finds the lines "[label]: address "title"" that no link uses, and
// the titles of the others.
func (s *scanner) definitions() {
	used := s.labels()
	free := true // a definition cannot interrupt a paragraph
	quoted := false
	for n := 1; n < len(s.line); n++ {
		line := s.doc.Line(n)
		text := strings.TrimLeft(line, " ")
		if s.line[n] != markdown || len(line)-len(text) > 3 {
			free = true
			continue
		}
		quote := strings.HasPrefix(text, ">")
		free = free || quote && !quoted // but a quote can
		quoted = quote
		text = strings.TrimLeft(text, "> ")
		item := withoutMarkers(text)
		label, rest, ok := strings.Cut(item, "]:")
		if !ok || len(label) < 2 || label[0] != '[' || strings.IndexByte(label[1:], ']') >= 0 || !free && item == text {
			free = free && ok || text == "" || text[0] == '#' || line != text
			continue
		}
		s.definition(n, label[1:], rest, used)
	}
}

// definition finds what is hidden in the definition on line n. rest is the text
// after its colon.
func (s *scanner) definition(n int, label, rest string, used map[string]bool) {
	from, last := s.doc.Offset(n), n
	end := from + len(s.doc.Line(n))
	afterColon := end - len(rest)
	footnote := strings.HasPrefix(label, "^")
	address := addressEnd(s.src[:end], afterColon)
	if strings.TrimSpace(rest) == "" { // the address is on the next line
		if last++; last > s.doc.NumLines() {
			return
		}
		end = s.doc.Offset(last) + len(s.doc.Line(last))
		address = addressEnd(s.src[:end], s.doc.Offset(last))
	}
	open, close := s.titleAt(address, end)
	if open == close && last < s.doc.NumLines() && strings.TrimSpace(s.src[address:end]) == "" { // the title may be
		next := s.doc.Offset(last+1) + len(s.doc.Line(last+1))
		if o, c := s.titleAt(address, next); c > o && strings.TrimSpace(s.src[c:next]) == "" {
			open, close, end = o, c, next
		}
	}
	plain := strings.TrimSpace(s.src[address:end]) == "" || close > open && strings.TrimSpace(s.src[close:end]) == ""
	switch {
	case !footnote && !plain: // text after the address: a paragraph, not a definition
	case !used[folded(label)]:
		what := "a link definition that no link uses"
		if footnote {
			what = "a footnote that nothing refers to"
		}
		target := strings.TrimSpace(s.src[afterColon:address])
		s.found = append(s.found, Piece{From: from, To: end, What: what, Comment: !footnote && close > open && (target == "#" || target == "<>")})
	case !footnote && close > open:
		s.add(open, close, "the title of a link")
	}
}

// labels are the labels that links use: any "[label]", even in code, except for
// the definitions. If in doubt, a definition is used.
func (s *scanner) labels() map[string]bool {
	used := map[string]bool{}
	for at := 0; ; {
		open := s.index("[", at, len(s.src))
		if open < 0 {
			return used
		}
		stop := s.index("]", open, len(s.src))
		if stop < 0 {
			return used
		}
		const longest = 999 // of a label, in CommonMark
		if stop-open <= longest+1 && (!strings.HasPrefix(s.src[stop+1:], ":") || !s.opensLine(open)) {
			used[folded(s.src[open+1:stop])] = true
		}
		at = open + 1
		if i := strings.IndexByte(s.src[at:stop], '['); i < 0 {
			at = stop + 1
		}
	}
}

// opensLine reports whether only blanks and the marks of quotes and lists are
// before an offset on its line.
func (s *scanner) opensLine(at int) bool {
	return withoutMarkers(s.src[s.doc.Offset(s.doc.LineAt(at)):at]) == ""
}

// withoutMarkers removes the marks of quotes and lists at the start of a line.
func withoutMarkers(line string) string {
	for {
		line = strings.TrimLeft(line, "> ")
		rest := line
		for digits := 0; digits < 9 && rest != "" && '0' <= rest[0] && rest[0] <= '9'; digits++ {
			rest = rest[1:]
		}
		marks := "-*+"
		if len(rest) < len(line) {
			marks = ".)"
		}
		if len(rest) < 2 || strings.IndexByte(marks, rest[0]) < 0 || rest[1] != ' ' {
			return line
		}
		line = rest[1:]
	}
}

func folded(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }
