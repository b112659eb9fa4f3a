package handoff

import "strings"

// NextStep is where a document announces what comes next.
type NextStep struct {
	From   string // the heading or label above it, as written; "Next" for a line of prose; the template's name for a next action
	Inline string // what follows a bold heading on its own line
	Lines  Lines  // all its other lines, without the heading; zero if it has none
	Text   string // its text, including Inline, as written
	Kind   Kind   // NextAction, or Other
}

// NextStep returns the next action, or the most similar part of the document: a
// section, heading, label or line that announces the next step ("Next Phase",
// "Next: …"), otherwise one that lists what is left ("Remaining Work", "Notes
// for Phase 4"). ok is false if there is none, or it is empty.
func (d *Document) NextStep() (step NextStep, ok bool) {
	if s := d.Section(NextAction); s != nil && s.filled() {
		step := s.step(d)
		step.From, step.Kind = NextAction.String(), NextAction
		return step, true
	}
	best := nextSearch{doc: d, rank: noRank}
	best.section(&d.Preamble)
	for i := range d.Sections {
		best.section(&d.Sections[i])
	}
	return best.step, best.rank < noRank
}

// OtherNextSteps yields the sections besides the next action that announce
// another next step.
func (d *Document) OtherNextSteps(yield func(*Section) bool) {
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Kind == Other && s.filled() && mayAnnounce(s.Heading.Text) && announces(s.Heading.Text) == announced && !yield(s) {
			return
		}
	}
}

// nextSearch is the best next step so far.
type nextSearch struct {
	doc  *Document
	step NextStep
	rank int
}

// The ranks of a candidate: its words count more than its form.
const (
	announced  = 0  // its heading is "Next Steps"
	mentioned  = 4  // its heading contains that
	hinted     = 8  // its heading is about what is left
	noRank     = 12 // its heading does neither
	subheading = 1
	label      = 2
	line       = 3
)

func (n *nextSearch) take(rank int, step NextStep) {
	if rank < n.rank && step.Text != "" {
		n.rank, n.step = rank, step
	}
}

// section checks a section's heading and everything below it that can announce
// a next step.
func (n *nextSearch) section(s *Section) {
	if rank := announces(s.Heading.Text); rank < noRank {
		n.take(rank, s.step(n.doc))
	}
	for i, b := range s.Blocks {
		switch b.Kind {
		case Subheading:
			text := strings.Trim(n.doc.Line(b.Lines.First), "# ")
			if rank := announces(text); rank < noRank {
				n.take(rank+subheading, n.doc.below(text, s.Blocks[i:]))
			}
		case Paragraph:
			n.paragraph(b.Lines)
		}
	}
	for i := range s.Labels {
		l := &s.Labels[i]
		if rank := announces(l.Name); rank < noRank {
			n.take(rank+label, n.doc.labelled(s, l))
		}
	}
	for i := range s.Items {
		if it := &s.Items[i]; it.Text != "" && opensNext(it.Text) {
			n.take(announced+line, NextStep{From: "Next", Lines: it.Lines, Text: it.Text})
		}
	}
}

// paragraph looks for a line that begins with "Next: ".
func (n *nextSearch) paragraph(l Lines) {
	for at := l.First; at <= l.Last; at++ {
		if opensNext(n.doc.Line(at)) {
			l.First = at
			n.take(announced+line, NextStep{From: "Next", Lines: l, Text: n.doc.Text(l)})
			return
		}
	}
}

// filled reports whether a section has more than its heading.
func (s *Section) filled() bool { return s.Body.First > 0 || s.Inline != "" }

func (s *Section) step(d *Document) NextStep {
	return NextStep{From: s.Heading.Text, Inline: s.Inline, Lines: s.Body, Text: strings.TrimSpace(s.Inline + "\n" + d.Text(s.Body))}
}

// below is the content under a subheading, which is the first of the blocks.
func (d *Document) below(heading string, blocks []Block) NextStep {
	step := NextStep{From: heading}
	for _, b := range blocks[1:] {
		if b.Kind == Subheading && b.Level <= blocks[0].Level {
			break
		}
		if step.Lines.First == 0 {
			step.Lines.First = b.Lines.First
		}
		step.Lines.Last = b.Lines.Last
	}
	step.Text = d.Text(step.Lines)
	return step
}

// labelled is the content of a label.
func (d *Document) labelled(s *Section, l *Label) NextStep {
	all := s.Under(l)
	if all != l.Lines || l.Value == "" && all.Count() > 1 {
		for all.First++; d.Line(all.First) == ""; {
			all.First++
		}
		return NextStep{From: l.Name, Lines: all, Text: d.Text(all)}
	}
	if l.Value == "" {
		return NextStep{}
	}
	return NextStep{From: l.Name, Lines: all, Text: l.Value}
}

// announces ranks a heading or label by its words about the next step.
func announces(text string) int {
	if text == "" {
		return noRank
	}
	spec := &Sections[NextAction-1]
	name := strings.TrimLeft(text, "0123456789.) ")
	for _, w := range spec.Instead {
		if isPhrase(name, w) {
			return announced
		}
	}
	for _, w := range spec.Instead[1:] { // "next" alone only counts as a hint
		if phraseIn(name, w) >= 0 {
			return mentioned
		}
	}
	for _, w := range spec.Hints {
		if phraseIn(name, w) >= 0 {
			return hinted
		}
	}
	return noRank
}

// mayAnnounce is a fast check for the words that announce a next step: every
// phrase contains one of two. Most headings have neither.
func mayAnnounce(heading string) bool {
	return phraseIn(heading, "next") >= 0 || phraseIn(heading, "recommended") >= 0
}

// isPhrase reports whether a heading is the phrase, except for an adjective
// before it and an addition after it: "Recommended Next Steps (in order)",
// "Next Phase: Phase 4", "Next Steps for Continuation".
func isPhrase(name, phrase string) bool {
	at := phraseIn(name, phrase)
	if at < 0 {
		return false
	}
	switch before := strings.TrimSpace(name[:at]); {
	case before == "", strings.EqualFold(before, "recommended"), strings.EqualFold(before, "suggested"),
		strings.EqualFold(before, "immediate"), strings.EqualFold(before, "proposed"):
	default:
		return false
	}
	after := strings.TrimSpace(name[at+len(phrase):])
	return after == "" || strings.IndexByte(":(-.,/", after[0]) >= 0 || after[0] >= 0x80 || phraseIn(after, "for") == 0
}

// opensNext reports whether a line of prose begins with "Next:" or a phrase
// such as "Next step".
func opensNext(text string) bool {
	text = strings.TrimLeft(text, " >*_-+")
	if len(text) < len("next:") || text[0]|0x20 != 'n' {
		return false
	}
	if phraseIn(text[:5], "next") == 0 && text[4] == ':' {
		return true
	}
	for _, w := range Sections[NextAction-1].Instead {
		if strings.HasPrefix(w, "next ") && phraseAt(text, 0, w) {
			return true
		}
	}
	return false
}

// phraseIn is the offset of a phrase of whole words in text, ignoring case; -1
// if it is not there.
func phraseIn(text, phrase string) int {
	for i := 0; i+len(phrase) <= len(text); i++ {
		if text[i]|0x20 == phrase[0] && phraseAt(text, i, phrase) {
			return i
		}
	}
	return -1
}

func phraseAt(text string, i int, phrase string) bool {
	end := i + len(phrase)
	return end <= len(text) && strings.EqualFold(text[i:end], phrase) &&
		(i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end]))
}

func wordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}
