package draft

import (
	"strings"

	"handoff/document/seen"
)

// checkKinds are the ways of checking in words.
var checkKinds = map[seen.Kinds]string{seen.Tests: "tests", seen.Builds: "build", seen.Lints: "linters"}

// checked is what checked the work after its last recorded change: "All tests pass" is easily said before
// another change. Each way is none, passed, failed or unknown.
func (p *page) checked() string {
	own := p.o.Own
	if own == nil {
		own = func(string) bool { return false }
	}
	if len(p.f.Written) == 0 {
		return ""
	}
	var list, edits []string
	before := map[string][]string{} // the checks before a change
	for _, r := range p.f.Seen(p.f.Dir, own).Ran {
		text := ended(r) + ": " + checkKinds[r.Kinds] + ", " + code(r.Command, shownCommand) + p.at(r.Line)
		if r.Shown != "" {
			text += ", which printed " + code(r.Shown, shownCommand)
		}
		switch {
		case r.Edited == "":
			list = append(list, text)
			continue
		case before[r.Edited] == nil:
			edits = append(edits, r.Edited)
		}
		before[r.Edited] = append(before[r.Edited], text)
	}
	for _, edit := range edits {
		list = append(list, "none since "+code(edit, shownCommand)+"; before it "+strings.Join(before[edit], ", "))
	}
	if len(list) == 0 {
		return "none, as far as recorded" + p.at(p.f.Written[len(p.f.Written)-1].Line)
	}
	return strings.Join(list, "; ")
}

// ended is how a check ended, in a word.
func ended(r seen.Ran) string {
	switch r.Status {
	case seen.Passed:
		return "passed"
	case seen.Failed:
		return "failed"
	}
	return "unknown"
}
