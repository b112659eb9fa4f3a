package claims

import (
	"strings"

	"handoff/document/handoff"
	"handoff/document/seen"
)

// kindsOf is what a sentence that something passes speaks of; tests if it does not say.
func kindsOf(list []token, sentence string) (kinds seen.Kinds) {
	for _, t := range list {
		switch {
		case t.lists&wordRemoteChecks != 0:
			return 0
		case t.lists&wordBuilding != 0:
			kinds |= seen.Builds
		case t.lists&wordLinting != 0:
			kinds |= seen.Lints
		case t.lists&wordTesting != 0:
			kinds |= seen.Tests
		}
	}
	if kinds != 0 {
		return kinds
	}
	switch build, remote := otherChecks(sentence); {
	case remote:
		return 0
	case build:
		return seen.Builds
	}
	return seen.Tests
}

// Mark returns the text of a new document with marks at the end of what it claims without one, where the record of its
// author's session decides: the command that showed it, or that the last one failed, or was not run after the last edit. The
// next action and dead ends get none. commit returns the commit that has everything that was checked, "" for none. Nothing else of the text is changed.
func Mark(doc *handoff.Document, session seen.Session, commit func() string) string {
	if len(session.Ran) == 0 {
		return doc.Source
	}
	marks := map[int]string{} // by line
	for block, list := range blocks(doc) {
		if mark := markOf(list, block, doc, session, commit); mark != "" {
			marks[block.Last] = mark
		}
	}
	if len(marks) == 0 {
		return doc.Source
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(doc.Source) {
		if n++; marks[n] != "" {
			text := strings.TrimRight(line, " \t\r\n")
			line = text + " " + marks[n] + strings.TrimLeft(line[len(text):], " \t")
		}
		b.WriteString(line)
	}
	return b.String()
}

// blocks are the claims of each item and paragraph, without those of the next action, and of dead ends, which are past.
func blocks(doc *handoff.Document) map[handoff.Lines][]Claim {
	of := map[handoff.Lines][]Claim{}
	for c := range In(doc, false) {
		if c.Section != handoff.NextAction && c.Section != handoff.DeadEnds && !c.row {
			of[c.Block] = append(of[c.Block], c)
		}
	}
	return of
}

// markOf is the mark of an item or a paragraph, "" for none. That it was verified is written only at the end of the sentence
// that says so, and if it says nothing else that was not.
func markOf(list []Claim, block handoff.Lines, doc *handoff.Document, session seen.Session, commit func() string) string {
	var kinds seen.Kinds
	alone := strings.HasSuffix(strings.TrimSpace(doc.Text(block)), list[0].Text)
	for _, c := range list {
		if c.Marked {
			return ""
		}
		kinds |= c.Kinds
		alone = alone && c.Kind == Tests && c.Kinds != 0
	}
	ran, ok := session.Of(kinds)
	if !ok || !alone && ran.Reason() == "" {
		return ""
	}
	if ran.Reason() != "" {
		return ran.Mark("")
	}
	return ran.Mark(commit())
}
