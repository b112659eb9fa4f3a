package rules

import (
	"slices"
	"strings"

	"handoff"
	"handoff/lint"
)

// LeftoverPlaceholder flags the template's own tokens in a document.
var LeftoverPlaceholder = lint.Rule{
	Name:     "leftover-placeholder",
	Severity: lint.Error,
	Check:    leftoverPlaceholder,
}

// placeholders are the tokens of the template. Where two open alike the first
// one is the shorter; what stands behind a token's opening is the author's
// only when it is not the template's closing brace.
var placeholders = [...]string{
	"{P}", "{timestamp}", "{TIMESTAMP}", "{N}", "{SLUG}", "{path}", "{X}", "{Decision}", "{Approach}",
	"{Brief rationale", "{Why it failed", "{Essential fact ", "{Single specific step",
	"{absolute path to file being worked on}", "{tactic/statement/function name}", "{current proof goal",
}

func leftoverPlaceholder(p *lint.Pass) {
	src := p.Doc.Source
	if strings.IndexByte(src, '{') < 0 {
		return
	}
	leftIn(p, p.Doc.Title.Lines, nil)
	for s := range everySection(p.Doc) {
		leftIn(p, s.Lines, s)
	}
}

// leftIn reports the tokens in a range of lines, all in one finding.
func leftIn(p *lint.Pass, lines handoff.Lines, s *handoff.Section) {
	var left []string
	at := 0
	for n := max(lines.First, 1); n <= lines.Last; n++ {
		if s != nil && fencedIn(s, n) {
			continue
		}
		line := p.Doc.Line(n)
		for i := 0; i < len(line); i++ {
			token := placeholderAt(line[i:])
			if token == "" || inCode(line, i) {
				continue
			}
			if at == 0 {
				at = n
			}
			left = append(left, token)
			i += len(token) - 1
		}
	}
	if at > 0 {
		p.At(handoff.Lines{First: at, Last: at}, "text of the template is left: %s", listed(left))
	}
}

// placeholderAt is the token that opens text, "" when none does.
func placeholderAt(text string) string {
	if text[0] != '{' {
		return ""
	}
	end := strings.IndexByte(text, '}')
	if end < 0 {
		return ""
	}
	for _, token := range placeholders {
		if text[:end+1] == token || token[len(token)-1] != '}' && strings.HasPrefix(text, token) {
			return text[:end+1]
		}
	}
	return ""
}

// listed names each token once, the long ones by how they open.
func listed(tokens []string) string {
	var b strings.Builder
	for i, t := range tokens {
		if slices.Contains(tokens[:i], t) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		if len(t) > 30 {
			t = strings.TrimRight(t[:28], " -(") + "…}"
		}
		b.WriteString(t)
	}
	return b.String()
}
