package rules

import (
	"strings"

	"handoff"
	"handoff/lint"
)

// HiddenComment flags comments that agents read and people do not see.
var HiddenComment = lint.Rule{
	Name:     "hidden-comment",
	Severity: lint.Warning,
	Unquoted: true,
	Check:    hiddenComment,
}

func hiddenComment(p *lint.Pass) {
	for i := range p.Doc.Comments {
		c := &p.Doc.Comments[i]
		if c.Text == "" || strings.HasPrefix(c.Text, lint.Directive) || forTools(c.Text) {
			continue
		}
		p.Report(lint.Finding{Lines: c.Lines, Col: c.Col, EndCol: len(p.Doc.Line(c.Lines.Last)) + 1,
			Message: "this comment does not show on the rendered page, but the successor reads it: write it as visible text or remove it"})
	}
	hiddenDefinitions(p)
}

// forTools reports whether text is a directive of another tool, which is not
// prose.
func forTools(text string) bool {
	if strings.HasPrefix(text, "prettier-ignore") {
		return !strings.ContainsAny(text, " \n")
	}
	rest, ok := strings.CutPrefix(text, "markdownlint-")
	if !ok {
		return false
	}
	for at := strings.IndexByte(rest, ' '); at >= 0 && at < len(rest); {
		var word string
		word, rest = nextWord(rest[at:])
		if at = 0; word == "" {
			break
		}
		if !strings.HasPrefix(word, "MD") || len(word) != 5 {
			return false
		}
	}
	return true
}

// hiddenDefinitions flags comments in the form of a link definition that no
// link can use: "[//]: # (text)".
func hiddenDefinitions(p *lint.Pass) {
	for _, mark := range [...]string{"]: #", "]: <>"} {
		for at := 0; ; {
			i := strings.Index(p.Doc.Source[at:], mark)
			if i < 0 {
				break
			}
			at += i + len(mark)
			n := p.Doc.LineAt(at - 1)
			at = p.Doc.Offset(n + 1) // report a line once
			line := strings.TrimLeft(p.Doc.Line(n), " ")
			_, behind, _ := strings.Cut(line, mark)
			if strings.HasPrefix(line, "[") && strings.TrimLeft(behind, " ") != "" && strings.IndexByte("(\"'", strings.TrimLeft(behind, " ")[0]) >= 0 && !inFence(p, n) {
				p.At(handoff.Lines{First: n, Last: n}, "this line does not show on the rendered page, but the successor reads it: write it as visible text or remove it")
			}
		}
	}
}
