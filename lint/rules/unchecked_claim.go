package rules

import (
	"strings"

	"handoff"
	"handoff/evidence"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// uncheckedClaim flags the first item that claims that tests pass without a mark of
// how that was checked.
func uncheckedClaim(p *lint.Pass) {
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		if s.Kind == handoff.NextAction || s.Kind == handoff.References {
			continue
		}
		for j := range s.Items {
			it := &s.Items[j]
			if isGoal(it.Text) || !saysPassing(it.Text) {
				continue
			}
			if _, m, err := evidence.Split(it.Text); m == nil && err == nil {
				p.At(it.Head, "says that tests pass: write how that was checked, \"[verified: COMMAND @COMMIT]\" or \"[unverified: why]\"")
				return
			}
		}
	}
}

// isGoal reports whether an item states a goal: "**Goal state**: all tests pass".
func isGoal(text string) bool {
	text = strings.TrimLeft(text, "*_ ")
	return len(text) >= len("goal") && strings.EqualFold(text[:len("goal")], "goal")
}

// saysPassing reports whether a text states that tests or a build pass.
func saysPassing(text string) bool {
	for _, verdict := range [...]string{"pass", "green", "succeed"} {
		for at := 0; ; at += len(verdict) {
			i := prose.IndexFold(text[at:], verdict)
			if i < 0 {
				break
			}
			if at += i; subject(text[:at]) && !inCode(text, at) {
				return true
			}
		}
	}
	return false
}

// inCode reports whether an offset is in a code span, which may be a quotation.
func inCode(text string, offset int) bool {
	for at := 0; at < offset; at++ {
		if text[at] == '`' {
			if at = prose.AfterCode(text, at) - 1; at >= offset {
				return true
			}
		}
	}
	return false
}

// subject reports whether the words right before a verdict are what passes, and nothing
// before them in the sentence makes it a wish or a condition.
func subject(before string) bool {
	if i := strings.LastIndexAny(before, ".;:\n"); i >= 0 {
		before = before[i+1:]
	}
	words, last := 0, ""
	for rest := strings.TrimRight(before, " *`"); rest != "" && words < 4; words++ {
		i := strings.LastIndexAny(rest, " (*`")
		last, rest = rest[i+1:], strings.TrimRight(rest[:max(i, 0)], " (*`")
		if prose.OneOf(last, "tests", "test", "suite", "build", "ci", "builds") {
			return !wished(rest)
		}
		if !prose.OneOf(last, "all", "now", "is", "are", "still", "also", "and", "both", "currently") {
			return false
		}
	}
	return false
}

// wished reports whether the beginning of a sentence makes the rest no statement.
func wished(before string) bool {
	for word := range strings.FieldsFuncSeq(before, func(r rune) bool { return r == ' ' || r == ',' || r == '*' }) {
		if prose.OneOf(word, "until", "once", "when", "if", "ensure", "make", "so", "verify", "check", "confirm", "should", "must", "to", "no", "not", "only", "before",
			"after", "whether", "unless", "expect", "expected", "fails", "failing", "without") {
			return true
		}
	}
	return false
}
