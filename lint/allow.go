package lint

import (
	"strings"

	"handoff/document/handoff"
)

// Allow is a comment by which a document allows what a rule flags:
//
//	<!-- handoff-lint allow long-document: the goal state needs the room -->
//
// Before the first section it applies to the whole document, otherwise to its
// section. The frontmatter key lint applies to the whole document.
type Allow struct {
	Rule, Reason string
	Line, Col    int
	Scope        handoff.Lines // zero: the whole document
	Ran          bool          // the rule was run, so that an allow that hides nothing is unused
	Used         bool          // it hid a finding
	Malformed    string        // why it is invalid; an invalid allow hides nothing
}

// Directive is the word that begins a comment for the linter.
const Directive = handoff.LintDirective

func allows(doc *handoff.Document) []Allow {
	var list []Allow
	if doc.Front != nil {
		for _, a := range doc.Front.Allow {
			list = append(list, checked(Allow{Rule: a.Rule, Reason: a.Reason, Line: a.Line, Col: 1}))
		}
	}
	for _, c := range doc.Comments {
		rest, ok := strings.CutPrefix(c.Text, Directive)
		if !ok {
			continue
		}
		a := Allow{Line: c.Lines.First, Col: c.Col, Scope: scope(doc, c.Lines.First)}
		verb, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if verb != "allow" {
			a.Malformed = "comment says " + quoteWord(verb) + ": write \"allow RULE: why\""
			list = append(list, a)
			continue
		}
		rule, reason, _ := strings.Cut(rest, ":")
		a.Rule, a.Reason = strings.TrimSpace(rule), strings.TrimSpace(reason)
		list = append(list, checked(a))
	}
	return list
}

func checked(a Allow) Allow {
	switch {
	case a.Rule == "":
		a.Malformed = "allow names no rule"
	case a.Reason == "":
		a.Malformed = "allow gives no reason: write \"allow " + a.Rule + ": why\""
	}
	return a
}

func quoteWord(s string) string {
	if s == "" {
		return "nothing"
	}
	return "\"" + s + "\""
}

func scope(doc *handoff.Document, line int) handoff.Lines {
	if s := doc.SectionAt(line); s != nil {
		return s.Lines
	}
	return handoff.Lines{}
}

// suppress removes the findings that are allowed and marks the allows that hid
// them.
func suppress(doc *handoff.Document, list []Finding, allows []Allow) []Finding {
	used := map[allowed]bool{} // whether an allow hid a finding
	for i := range allows {
		if a := &allows[i]; a.Malformed == "" {
			used[allowed{a.Rule, a.Scope.First}] = false
		}
	}
	kept := list[:0]
	for _, f := range list {
		everywhere, here := allowed{f.Rule, 0}, allowed{f.Rule, scope(doc, f.Lines.First).First}
		_, whole := used[everywhere]
		if whole {
			used[everywhere] = true
		}
		_, part := used[here]
		if part {
			used[here] = true
		}
		if !whole && !part {
			kept = append(kept, f)
		}
	}
	for i := range allows {
		if a := &allows[i]; a.Malformed == "" {
			a.Used = used[allowed{a.Rule, a.Scope.First}]
		}
	}
	return kept
}

// allowed is a rule and the first line of the section in which it is allowed, 0
// for the whole document.
type allowed struct {
	rule  string
	first int
}
