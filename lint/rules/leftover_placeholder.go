package rules

import (
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/lint"
)

// placeholders are those of the template. If two begin alike, the first one is
// the shorter. The text after the beginning is the author's unless it is the
// template's closing brace.
var placeholders = [...]string{
	"{P}", "{timestamp}", "{TIMESTAMP}", "{N}", "{SLUG}", "{path}", "{X}", "{Decision}", "{Approach}",
	"{Brief rationale", "{Why it failed", "{Essential fact ", "{Single specific step",
	"{absolute path to file being worked on}", "{tactic/statement/function name}", "{current proof goal",
}

// leftoverPlaceholder flags placeholders of the template in a document.
func leftoverPlaceholder(p *lint.Pass) {
	src := p.Doc.Source
	if strings.IndexByte(src, '{') < 0 {
		return
	}
	leftIn(p, p.Doc.Title.Lines, nil)
	for s := range p.Doc.Parts {
		leftIn(p, s.Lines, s)
	}
}

// leftIn reports the placeholders in a range of lines, all in one finding.
func leftIn(p *lint.Pass, lines handoff.Lines, s *handoff.Section) {
	var left []string // each token once
	at, more := 0, false
	for n := max(lines.First, 1); n <= lines.Last; n++ {
		if s != nil && fencedIn(p, s, n) {
			continue
		}
		line := p.Doc.Line(n)
		code, last := codeSpans{text: line}, strings.LastIndexByte(line, '}')
		for i := 0; i < last; i++ {
			if line[i] != '{' || code.has(i) {
				continue
			}
			token := placeholderAt(line[i:])
			if token == "" {
				continue
			}
			if at == 0 {
				at = n
			}
			i += len(token) - 1
			switch {
			case slices.Contains(left, token):
			case len(left) < mostTokens:
				left = append(left, token)
			default:
				more = true
			}
		}
	}
	if at > 0 {
		p.At(handoff.Lines{First: at, Last: at}, "leftover template text: %s", listed(left, more))
	}
}

// mostTokens is how many placeholders a finding names: the template has no
// more.
const mostTokens = len(placeholders)

// placeholderAt is the placeholder at the start of text, "" if there is none.
func placeholderAt(text string) string {
	if text[0] != '{' {
		return ""
	}
	for _, token := range placeholders {
		if !strings.HasPrefix(text, token) {
			continue
		}
		if token[len(token)-1] == '}' {
			return token
		}
		return text[:strings.IndexByte(text, '}')+1]
	}
	return words.Prompt(text)
}

// listed lists the placeholders, long ones shortened.
func listed(tokens []string, more bool) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteString(", ")
		}
		if len(t) > 30 {
			t = strings.TrimRight(t[:28], " -(") + "…}"
		}
		b.WriteString(t)
	}
	if more {
		b.WriteString(" and more")
	}
	return b.String()
}
