package hidden

import "strings"

// tags finds what HTML does not display.
func (s *scanner) tags() {
	list, rest := s.allTags()
	s.found = append(s.found, rest...)
	closers := closersOf(list)
	end := 0 // of the last hidden element
	for i := range list {
		t := &list[i]
		if t.closes || t.from < end {
			continue
		}
		s.spoken(t)
		if !t.conceals() {
			continue
		}
		end = s.elementEnd(t, closers[i])
		s.looked += end - t.to
		if inner := s.src[t.to:end]; hasWord(withoutTags(inner)) {
			s.add(t.from, end, "an element that is not displayed")
		}
	}
}

// spoken finds attributes with text for a reader, and tags that consist of a sentence.
func (s *scanner) spoken(t *tag) {
	const sentence = 3
	bare := 0
	for i := range t.attributes {
		a := &t.attributes[i]
		if a.bare {
			bare++
		} else if a.speaks() {
			s.add(a.from, a.to, "an attribute of an HTML tag")
		}
	}
	if bare >= sentence {
		s.found = append(s.found, Piece{From: t.from, To: t.to, Shown: true, What: "a sentence in angle brackets"})
	}
}

// closersOf maps the index of each opening tag to the end of its closing tag.
func closersOf(list []tag) map[int]int {
	open, closers := map[string][]int{}, map[int]int{}
	for i := range list {
		t := &list[i]
		switch stack := open[t.name]; {
		case !t.closes:
			open[t.name] = append(stack, i)
		case len(stack) > 0:
			closers[stack[len(stack)-1]] = t.to
			open[t.name] = stack[:len(stack)-1]
		}
	}
	return closers
}

// elementEnd is the end of the element of a tag: after its closing tag, else
// the end of the paragraph. closer is the end of the closing tag, 0 if there is
// none.
func (s *scanner) elementEnd(open *tag, closer int) int {
	switch {
	case void(open.name), strings.HasSuffix(s.src[open.from:open.to], "/>"):
		return open.to
	case raw(open.name):
		closer = s.rawEnd(open)
	}
	if closer > 0 {
		return closer
	}
	return s.paragraphEnd(open.to - 1)
}

// rawEnd is the end of an element whose content has no tags, 0 if it is not
// closed.
func (s *scanner) rawEnd(open *tag) int {
	for at := open.to; ; {
		if at = s.index("</", at, len(s.src)); at < 0 {
			return 0
		}
		at += len("</")
		if name := s.src[at:]; len(name) >= len(open.name) && strings.EqualFold(name[:len(open.name)], open.name) {
			return s.index(">", at, len(s.src)) + 1
		}
	}
}

// paragraphEnd is the end of the paragraph around an offset: before the next
// blank line or heading.
func (s *scanner) paragraphEnd(at int) int {
	if s.ends == nil {
		s.ends = make([]int32, s.doc.NumLines()+1)
		end := len(s.src)
		for n := s.doc.NumLines(); n > 0; n-- {
			line := strings.TrimSpace(s.doc.Line(n))
			if line == "" || line[0] == '#' {
				end = s.doc.Offset(n) + len(s.doc.Line(n))
			}
			s.ends[n] = int32(end)
			if line == "" || line[0] == '#' {
				end = max(0, s.doc.Offset(n)-1)
			}
		}
	}
	return int(s.ends[s.doc.LineAt(at)])
}

// allTags lists the tags outside of code and comments. rest are declarations,
// processing instructions and CDATA.
func (s *scanner) allTags() (list []tag, rest []Piece) {
	end := 0
	s.text(func(from, to int) bool {
		for at := max(from, end); at < to; {
			i := strings.IndexByte(s.src[at:to], '<')
			if i < 0 {
				return true
			}
			at += i
			after, what := s.notATag(at)
			switch {
			case what != "":
				if inner := s.src[at+2 : after]; hasWord(inner) {
					rest = append(rest, Piece{From: at, To: after, What: what, Shown: what == openComment})
				}
				at = after
			case after > at: // a comment
				at = after
			default:
				t, ok := s.tagAt(at)
				if at++; ok {
					list, at = append(list, t), t.to
				}
			}
			end = at
		}
		return true
	})
	return list, rest
}

// tagAt reads the tag at an offset. The tag may continue on the next line, but
// not after its paragraph, and its length is limited.
func (s *scanner) tagAt(at int) (tag, bool) {
	const longest = 4 << 10
	n := s.doc.LineAt(at)
	line := s.doc.Offset(n) + len(s.doc.Line(n))
	limit := min(line, at+longest)
	t, ok := tagAt(s.src, at, limit)
	if t.cut {
		limit = min(s.paragraphEnd(at), at+longest)
		t, ok = tagAt(s.src, at, limit)
	}
	if ok {
		limit = t.to
	}
	s.looked += limit - at
	return t, ok
}

// openComment hides everything below it, which is too much to remove.
const openComment = "a comment that is never closed, with all that is below it,"

// notATag is the end of something that begins with "<" and is not a tag, and
// its description; "" for a comment.
func (s *scanner) notATag(at int) (end int, what string) {
	src := s.src[at:]
	for _, form := range [...]struct{ open, close, what string }{
		{"<!--", "-->", ""},
		{"<![CDATA[", "]]>", "a CDATA section"},
		{"<?", "?>", "a processing instruction"},
	} {
		if !strings.HasPrefix(src, form.open) {
			continue
		}
		if i := s.index(form.close, at+2, len(s.src)); i >= 0 {
			return i + len(form.close), form.what
		}
		if form.what == "" && s.opensLine(at) {
			form.what = openComment
		}
		return s.paragraphEnd(at + 1), form.what
	}
	if len(src) > 2 && src[1] == '!' && letter(src[2]) {
		if i := s.index(">", at, len(s.src)); i >= 0 {
			return i + 1, "a declaration"
		}
	}
	return at, ""
}

// withoutTags removes the text between "<" and ">".
func withoutTags(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "<")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if _, text, ok = strings.Cut(rest, ">"); !ok {
			return b.String()
		}
	}
}
