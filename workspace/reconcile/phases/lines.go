package phases

import "strings"

// phaseHeadings are the headings of a plan that name phases, without its title.
// Headings in fenced code do not count. But nested fences end code in other
// places than their author meant, and hide real headings: then a heading in
// code must refer to a phase of the plan.
func phaseHeadings(src []byte) (list []phaseHeading, err error) {
	var s planLines
	var inCode []phaseHeading
	first := true
	for line := range strings.Lines(string(src)) {
		level, text, code := s.heading(strings.TrimRight(line, " \t\r\n"))
		title := first && level == 1 && !code
		if level == 0 || title || code && level == 1 { // "# Phase 1" may be a comment in a script
			first = first && !title
			continue
		}
		first = false
		h, ok, err := readPhaseHeading(text)
		if err != nil && !code {
			return nil, err
		}
		h.level = level
		switch {
		case ok && code:
			h.about = true
			inCode = append(inCode, h)
		case ok:
			list = append(list, h)
		}
	}
	if s.nested {
		list = append(list, inCode...)
	}
	if s.fence != "" || s.comment {
		return nil, unclear("code or a comment without an end")
	}
	return list, nil
}

// planLines separates headings from code and comments.
type planLines struct {
	fence   string // of the code that contains the last line
	nested  bool   // some code contains the start of other code
	comment bool
}

// heading returns the level and text of a heading, and whether it is in fenced
// code; level 0 for all other lines.
func (s *planLines) heading(line string) (level int, text string, code bool) {
	if s.comment {
		s.comment = !strings.Contains(line, "-->")
		return 0, "", false
	}
	if run := fenceMark(line); run != "" {
		closes := strings.HasPrefix(run, s.fence) && strings.TrimLeft(line, " ") == run
		switch {
		case s.fence == "":
			s.fence = run
		case closes:
			s.fence = ""
		default:
			s.nested = true
		}
		return 0, "", false
	}
	if prose := withoutCode(line); s.fence == "" && strings.LastIndex(prose, "<!--") > strings.LastIndex(prose, "-->") {
		s.comment = true
	}
	text = strings.TrimLeft(line, " ")
	if s.fence == "" && len(line)-len(text) > 3 {
		return 0, "", false // indented code
	}
	rest := strings.TrimLeft(text, "#")
	level = len(text) - len(rest)
	if level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, "", false
	}
	return level, strings.Trim(strings.TrimRight(rest, "#"), " \t"), s.fence != ""
}

// fenceMark is the run of backticks or tildes that opens or closes a fence.
func fenceMark(line string) string {
	t := strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if n := len(t) - len(strings.TrimLeft(t, c)); n >= 3 && !strings.Contains(t[n:], c) {
			return t[:n]
		}
	}
	return ""
}
