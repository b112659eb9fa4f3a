package handoff

import (
	"slices"
	"strings"
	"unicode"

	"handoff/document/words"
)

// NextStep is where a document announces what comes next.
type NextStep struct {
	From   string // the heading or label above it, as written; "Next" for a line of prose; the template's name for a next action
	Inline string // what follows a bold heading on its own line
	Lines  Lines  // all its other lines, without the heading; zero if it has none
	Text   string // its text, including Inline, as written
	Kind   Kind   // NextAction, or Other

	Entries int    // of a log of sessions; 0 if the document is none
	Entry   string // the heading of the entry that it is from; "" if it is outside of all
}

// NextStep returns the next action, or the most similar part of the document: a
// section, heading, label or line that announces the next step ("Next Phase",
// "Next: …"), otherwise one that lists what is left ("Remaining Work", "Notes
// for Phase 4"). In a log of sessions the newest entry that has one counts. ok is
// false if there is none, or it is empty.
func (d *Document) NextStep() (step NextStep, ok bool) {
	n := nextSearch{doc: d, best: place{rank: noRank}}
	own := d.Section(NextAction)
	certain := own != nil && own.filled() && own.Kind == kindOf(own) && !d.repeats(own)
	if certain && !d.mayBeLog() {
		return own.nextAction(d), true
	}
	n.log = d.logEntries()
	if certain && (len(n.log) == 0 || n.log[0].lines.Has(own.Heading.Lines.First)) {
		return own.nextAction(d), true
	}
	if len(n.log) == 0 && own != nil && own.filled() {
		return own.nextAction(d), true
	}
	n.section(&d.Preamble)
	for i := range d.Sections {
		if s := &d.Sections[i]; !d.isPast(s) {
			n.section(s)
		}
	}
	if n.best.rank == noRank {
		n.titled()
	}
	if n.best.rank == noRank {
		return NextStep{}, false
	}
	n.step.Entries = len(n.log)
	if i := n.best.entry; i >= 0 && i < len(n.log) {
		n.step.Entry = n.log[i].heading
	}
	return n.step, true
}

// isPast reports whether a section is about what another one is about now: "Previous Focus" beside "Current Focus".
func (d *Document) isPast(s *Section) bool {
	when, what := firstWords(s.Heading.Text)
	if when != "previous" && when != "earlier" && when != "prior" || what == "" {
		return false
	}
	return slices.ContainsFunc(d.Sections, func(o Section) bool {
		now, same := firstWords(o.Heading.Text)
		return (now == "current" || now == "latest") && same == what
	})
}

// firstWords are the first two words of a heading, in small letters.
func firstWords(heading string) (first, second string) {
	fields := strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return !unicode.IsLetter(r) })
	return append(fields, "", "")[0], append(fields, "", "")[1]
}

// kindOf is the section that a heading names in any document.
func kindOf(s *Section) Kind {
	kind, _ := KindOf(s.Heading.Text)
	return kind
}

// repeats reports whether another section is of the same kind as s.
func (d *Document) repeats(s *Section) bool {
	for i := range d.Sections {
		if o := &d.Sections[i]; o != s && o.Kind == s.Kind && o.filled() {
			return true
		}
	}
	return false
}

// OtherNextSteps yields the sections besides the next action that announce
// another next step.
func (d *Document) OtherNextSteps(yield func(*Section) bool) {
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Kind == Other && s.filled() && mayAnnounce(s.Heading.Text) && words.Competes(s.Heading.Text) && !yield(s) {
			return
		}
	}
}

// nextSearch is the best next step so far.
type nextSearch struct {
	doc  *Document
	log  []entry // of a log of sessions, the newest first
	step NextStep
	best place
}

// The ranks of a candidate: its words count more than its form.
const (
	announced  = 0  // its heading is "Next Steps"
	mentioned  = 4  // its heading contains that
	hinted     = 8  // its heading is about what is left
	lastRank   = 11 // all of it is done
	noRank     = 12 // its heading does neither
	subheading = 1
	label      = 2
	line       = 3
)

// rankOf ranks a heading or a label by its words.
func rankOf(text string) int { return int(words.Step(text)) * mentioned }

// place is where a candidate is, and how good that is.
type place struct {
	class int // 0 in the newest entry of a log, 1 outside of its entries, then by the age of the entry
	rank  int
	entry int // its index in the log; -1 for none
}

// place returns the place of a candidate that begins on a line.
func (n *nextSearch) place(rank, first int) place {
	p := place{rank: rank, entry: slices.IndexFunc(n.log, func(e entry) bool { return e.lines.Has(first) })}
	switch {
	case len(n.log) == 0:
	case p.entry > 0:
		p.class = 1 + p.entry
	case p.entry == 0 && rank >= hinted:
		p.class = 1
	case p.entry < 0 && (rank > announced+subheading || n.log[0].level <= 2):
		p.class = 1 // a section above a history in subheadings is brought up to date with each session
	}
	return p
}

// farBack is how many entries of a log may be newer than the one that a next step is from. What an older one planned
// says nothing of today.
const farBack = 2

// take takes a candidate that is better than those before. A list of what is left that is empty is none,
// and a text to start a session with that names no step either. What is done of a list counts no longer.
func (n *nextSearch) take(rank, first int, step NextStep) {
	if rank >= noRank || step.Text == "" || onlyVersion(step.Text) || rank >= hinted && words.IsNone(step.Text) ||
		words.StartPrompt(step.From) && words.OnlyStarts(step.Text) {
		return
	}
	text, done := toDo(step.Text)
	if step.Text = text; done {
		rank = lastRank
	}
	p := n.place(rank, first)
	if p.entry > farBack {
		return
	}
	if p.class < n.best.class || p.class == n.best.class && rank < n.best.rank || n.best.rank == noRank {
		n.best, n.step = p, step
	}
}

// titled takes the list below a title that announces the next step, as in "Next session: finish the parser".
func (n *nextSearch) titled() {
	items, rank := n.doc.Preamble.Items, rankOf(n.doc.Title.Text)
	if len(items) == 0 || rank >= hinted {
		return
	}
	lines := Lines{First: items[0].Lines.First, Last: items[len(items)-1].Lines.Last}
	n.take(rank+line, lines.First, NextStep{From: n.doc.Title.Text, Lines: lines, Text: strings.TrimSpace(n.doc.Text(lines))})
}

// section checks a section's heading and everything below it that can announce
// a next step.
func (n *nextSearch) section(s *Section) {
	if s.Kind == NextAction {
		n.take(announced, s.Heading.Lines.First, s.nextAction(n.doc))
	} else if s.Heading.Level > 0 {
		n.take(n.heading(s.Heading.Text, s.Heading.Lines.First), s.Heading.Lines.First, s.step(n.doc))
	}
	for i, b := range s.Blocks {
		switch b.Kind {
		case Subheading:
			text := strings.Trim(n.doc.Line(b.Lines.First), "# ")
			if rank := n.heading(text, b.Lines.First); rank < noRank {
				n.take(rank+subheading, b.Lines.First, n.doc.below(text, s.Blocks[i:]))
			}
		case Paragraph:
			n.paragraph(b.Lines, s.Blocks[i+1:])
		}
	}
	for i := range s.Labels {
		l := &s.Labels[i]
		rank := words.Step(l.Name)
		if l.Value != "" {
			rank = words.Label(l.Name)
		}
		if rank < words.Silent {
			n.take(int(rank)*mentioned+label, l.Lines.First, n.doc.labelled(s, l))
		}
	}
	for i := range s.Items {
		it := &s.Items[i]
		if it.Text == "" {
			continue
		}
		name, rank := opensNext(it.Text)
		if rank < noRank && (hasValue(it.Text) || it.Lines.Last > it.Head.Last) {
			n.take(rank+line, it.Lines.First, NextStep{From: name, Lines: it.Lines, Text: n.doc.itemText(it)})
		}
	}
}

// itemText is what an item says: its first paragraph, and all below that if it is only an announcement.
func (d *Document) itemText(it *Item) string {
	if hasValue(it.Text) {
		return it.Text
	}
	return d.Text(Lines{First: it.Head.Last + 1, Last: it.Lines.Last})
}

// hasValue reports whether a line that may be a label has a value after it: not "Next:".
func hasValue(text string) bool {
	text, _, _ = strings.Cut(text, "\n")
	return !strings.HasSuffix(strings.TrimRight(text, " *_"), ":") && !strings.HasSuffix(strings.TrimRight(text, " *_"), "：")
}

// heading ranks a heading. That of an entry of a log only counts if it is nothing but an announcement: otherwise what
// comes next is below it.
func (n *nextSearch) heading(text string, line int) int {
	rank := rankOf(text)
	if rank > announced && slices.ContainsFunc(n.log, func(e entry) bool { return e.lines.First == line }) {
		return noRank
	}
	return rank
}

// onlyVersion reports whether a text is the version of something that is called Next: "15.2 (app router)".
func onlyVersion(text string) bool {
	if _, value, ok := strings.Cut(text, ":"); ok {
		if _, rank := opensNext(text); rank < noRank {
			text = strings.TrimLeft(value, " *_")
		}
	}
	word, rest, _ := strings.Cut(strings.TrimPrefix(text, "v"), " ")
	return strings.Contains(word, ".") && strings.Trim(word, "0123456789.,x") == "" && (rest == "" || rest[0] == '(')
}

// paragraph looks for a line that begins with "Next: ", and takes what is below one that is only "Next:".
func (n *nextSearch) paragraph(l Lines, after []Block) {
	for at := l.First; at <= l.Last; at++ {
		name, rank := opensNext(n.doc.Line(at))
		if rank == noRank {
			continue
		}
		l.First = at
		step := NextStep{From: name, Lines: l, Text: n.doc.Text(l)}
		if !hasValue(n.doc.Line(at)) {
			step = n.doc.under(name, Lines{First: at + 1, Last: l.Last}, after)
		}
		n.take(rank+line, at, step)
		if rank == announced {
			return
		}
	}
}

// under is what follows a line that is only an announcement: the rest of its paragraph, else the blocks up to the
// next paragraph, heading or break.
func (d *Document) under(name string, rest Lines, after []Block) NextStep {
	step := NextStep{From: name}
	if rest.First <= rest.Last {
		step.Lines = rest
	}
	for _, b := range after {
		if step.Lines.First > 0 || b.Kind == Subheading || b.Kind == Break || b.Kind == Paragraph && !hasValue(d.Line(b.Lines.First)) {
			break
		}
		step.Lines = b.Lines
	}
	step.Text = d.Text(step.Lines)
	return step
}

// filled reports whether a section has more than its heading.
func (s *Section) filled() bool { return s.Body.First > 0 || s.Inline != "" }

func (s *Section) step(d *Document) NextStep {
	return NextStep{From: s.Heading.Text, Inline: s.Inline, Lines: s.Body, Text: strings.TrimSpace(s.Inline + "\n" + d.Text(s.Body))}
}

// nextAction is the step of a section that is the next action.
func (s *Section) nextAction(d *Document) NextStep {
	step := s.step(d)
	step.From, step.Kind = NextAction.String(), NextAction
	return step
}

// below is the content under a subheading, which is the first of the blocks.
func (d *Document) below(heading string, blocks []Block) NextStep {
	step := NextStep{From: heading}
	for _, b := range blocks[1:] {
		if b.Kind == Subheading && b.Level <= blocks[0].Level {
			break
		}
		if b.Kind == Break { // at the end it is no part of the step
			continue
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
