package handoff

import (
	"math"
	"strings"
	"unicode"

	"handoff/document/words"
)

// Source is what shows when a document was written.
type Source string

// The sources, the best first. Only the last two need more than the document: see package
// documents.
const (
	ByName    Source = "name"
	ByFront   Source = "frontmatter"
	ByLabel   Source = "label"
	ByTitle   Source = "title"
	ByHeading Source = "heading"
	ByFolder  Source = "folder"
	ByCommit  Source = "commit" // the last one of the file, if the file is as committed
	ByFile    Source = "file"   // its time: when it was written here, or copied
	ByNothing Source = "unknown"
)

// Sources are all sources.
var Sources = []Source{ByName, ByFront, ByLabel, ByTitle, ByHeading, ByFolder, ByCommit, ByFile, ByNothing}

// When is when a document was written, and what shows that. By is empty if nobody has tried
// to find out, and ByNothing if nothing shows it.
type When struct {
	At Moment
	By Source
}

// stated returns when the text was updated, and when the document was created: in the
// frontmatter, else in a label, else, for the second, in the title.
func (d *Document) stated() (updated, created When) {
	if d.Front != nil {
		updated, created = When{d.Front.Updated, ByFront}, When{d.Front.Written, ByFront}
	}
	labels := d.labelTimes()
	if !updated.At.Known() {
		updated = When{labels[0], ByLabel}
	}
	if !created.At.Known() {
		created = When{labels[1], ByLabel}
	}
	if i := strings.LastIndex(d.Title.Text, " - "); i >= 0 && !created.At.Known() {
		created = When{ParseMoment(d.Title.Text[i+3:]), ByTitle}
	}
	return updated, created
}

// narrowed is the time of a name as the text states it more exactly. A later update does not
// make a document newer whose name has a date.
func (d *Document) narrowed(named Moment) When {
	updated, created := d.stated()
	w := When{named.narrow(created.At), created.By}
	if updated.At.Known() && updated.At.Unit < w.At.Unit && updated.At.Compare(w.At) == Unordered {
		w = updated
	}
	if w.At == named {
		w.By = ByName
	}
	return w
}

// undated is the time of a document whose name has none.
func (d *Document) undated() When {
	updated, created := d.stated()
	for _, w := range [...]When{updated, created, {dateIn(d.Title.Text), ByTitle}, {d.datedHeading(), ByHeading}} {
		if w.At.Known() {
			return w
		}
	}
	return When{}
}

// dateIn is the first date in a text, in any form that a log of sessions may have, with
// midnight as the whole day.
func dateIn(text string) Moment {
	m, found := FindMoment(isoDates(text))
	return wholeDay(m, found)
}

func wholeDay(m Moment, found string) Moment {
	switch {
	case found == "":
		return Moment{}
	case m.Unit < Day:
		if day := ParseMoment(found); day.Unit == Day {
			return day
		}
	}
	return m
}

// Where labels are looked for: in so many lines after the frontmatter, above the sections
// wherever those begin, and in the last lines.
const (
	headLines = 15
	mostLines = 60
	footLines = 3
)

// labelTimes are the times of the first label that says when the text was updated, and of the
// best one that says when it was created: "**Timestamp**: …", "_Last updated: …_",
// "| Date | … |", "Created (UTC): …".
func (d *Document) labelTimes() (times [2]Moment) {
	first := 1
	if d.Front != nil {
		first = d.Front.Lines.Last + 1
	}
	end := min(max(first+headLines, d.Preamble.Lines.Last+1), first+mostLines, d.NumLines()+1)
	best := math.MaxInt
	for n := first; n < end; n++ {
		for part := range labelParts(d.Line(n)) {
			name, m := cutLabel(part)
			if rank, ok := words.Created(name); ok && rank < best {
				times[1], best = m, rank
			}
			if !times[0].Known() && words.Updated(name) {
				times[0] = m
			}
		}
	}
	for n := max(end, d.NumLines()-footLines+1); n <= d.NumLines() && !times[0].Known(); n++ {
		if name, m := cutLabel(d.Line(n)); words.Updated(name) {
			times[0] = m
		}
	}
	return times
}

// labelParts yields a line, and its parts if several labels are on it.
func labelParts(line string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !strings.Contains(line, "20") && !strings.Contains(line, "２０") || !yield(line) { // a date of this century
			return
		}
		if !strings.ContainsAny(line, "|·•;") {
			return
		}
		for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("|·•;", r) }) {
			if !yield(part) {
				return
			}
		}
	}
}

// cutLabel reads a label with a date as its value. name is "" if the text is something else.
func cutLabel(text string) (name string, m Moment) {
	text = isoDates(text)
	m, found := FindMoment(text)
	if found == "" {
		return "", m
	}
	name, _, _ = strings.Cut(text, found)
	if open := strings.IndexAny(name, "(（"); open >= 0 {
		if end := strings.IndexAny(name[open:], ")）"); end >= 0 {
			name = name[:open] + " " + strings.TrimLeft(name[open+end:], ")）")
		}
	}
	name, _, _ = strings.Cut(name, " by ")
	name = words.Fold(strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r)
	}), " "))
	for _, word := range [...]string{" at", " on", " am", " le", " el", " al", " il", " em", " utc"} {
		name = strings.TrimSuffix(name, word)
	}
	return name, wholeDay(m, found)
}

// datedHeading is the latest date of a heading that is about that date: "## 2026-02-12",
// "### Session 12 - 2026-02-12", "## Status (2026-02-12)". Logs have the newest entry first
// or last.
func (d *Document) datedHeading() (latest Moment) {
	take := func(text string) {
		if m := headingDate(text); m.Known() && (!latest.Known() || m.Time.After(latest.Time)) {
			latest = m
		}
	}
	for part := range d.Parts {
		take(part.Heading.Text)
		for _, b := range part.Blocks {
			if b.Kind == Subheading {
				take(d.Line(b.Lines.First))
			}
		}
	}
	return latest
}

// headingDate is the date that a heading begins with, after words like "Session 12", or that
// it ends with, in parentheses or after a dash. A remark may follow in parentheses. A date elsewhere may be a deadline.
func headingDate(text string) Moment {
	text = isoDates(text)
	m, found := FindMoment(text)
	if found == "" {
		return Moment{}
	}
	before, after, _ := strings.Cut(text, found)
	before = strings.TrimSpace(before)
	tail := strings.TrimFunc(after, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) == "" || remark(before, after)
	ends := false
	for _, sign := range [...]string{"(", "（", "[", "-", "–", "—"} {
		ends = ends || tail && strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(before, "as of"), " "), sign)
	}
	if !ends && !words.Entry(before) {
		return Moment{}
	}
	return wholeDay(m, found)
}

// remark reports whether all that follows the date of a heading is a remark in parentheses: "Update — 2026-04-19 (the parser)",
// "Completed (2026-04-26, v1.2)".
func remark(before, after string) bool {
	after = strings.TrimSpace(after)
	if !strings.HasSuffix(after, ")") && !strings.HasSuffix(after, "）") {
		return false
	}
	open := strings.IndexAny(after, "(（")
	if strings.HasSuffix(before, "(") || strings.HasSuffix(before, "（") {
		return open < 0 && strings.IndexAny(after, ",;，；") == 0
	}
	return open == 0 && strings.Count(after, "(")+strings.Count(after, "（") == 1
}
