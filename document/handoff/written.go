package handoff

import (
	"strconv"
	"strings"
	"time"
)

// Written is when a document was written by its own statement: its name, its
// frontmatter, its title, labels like **Timestamp**, dated headings, its folder.
type Written struct {
	Name  Name
	Named Moment // by the name alone
	At    Moment // by all of it
	By    Source // what states At; "" if nothing does
}

// WrittenBy collects the times that a document states. d may be nil. A name with a time
// counts more than the text, which can only narrow it down.
func WrittenBy(n Name, d *Document) Written {
	named, _ := n.Moment()
	if named.Unit == Day { // without a phase, the digits after the date may be anything
		named.Time = named.Time.Truncate(Day)
	}
	w := Written{Name: n, Named: named, At: named}
	switch {
	case !named.Known():
		own := n.undated(d)
		w.At, w.By = own.At, own.By
	case d == nil || named.Zoned && named.Unit == time.Second:
		w.By = ByName
	default:
		own := d.narrowed(named)
		w.At, w.By = own.At, own.By
	}
	return w
}

// undated is when a document was written whose name has no time in a known place.
func (n Name) undated(d *Document) When {
	if m := dateIn(n.Base); m.Known() {
		return When{m, ByName}
	}
	if d != nil {
		if w := d.undated(); w.At.Known() {
			return w
		}
	}
	if !n.Filed.IsZero() {
		return When{Moment{Time: n.Filed, Unit: Day}, ByFolder}
	}
	return When{}
}

// Clock is the time of day at which the document was written: that of the name, with
// the zone that the document states, if its name has none and both agree.
func (w Written) Clock() Moment {
	if w.Named.Zoned || !w.At.Zoned || w.At.Unit > time.Minute {
		return w.Named
	}
	return w.At
}

// When is the best single time of all that is stated, and what states it. If the text
// contradicts the name, it is that of the name.
func (w Written) When() When {
	if !w.Named.Known() {
		return When{w.At, w.By}
	}
	switch c := w.Clock(); {
	case c != w.Named:
		return When{c, w.By}
	case w.At.Unit < w.Named.Unit:
		return When{w.At, w.By}
	}
	return When{w.Named, ByName}
}

// Compare orders two documents by their names: the times in them, else the hundredths of
// one second (X-20260227T143022.02Z.md), else the versions (X-20260227.md,
// X-20260227-v2.md). Of two documents of a task with the same second, the one of the higher
// phase is the newer: a program wrote several at once. Midnight is no such second, because
// it is what agents write who only know the date.
func (w Written) Compare(o Written) Order {
	if c := w.Named.Compare(o.Named); c != Unordered {
		return c
	}
	if w.Named.Known() && w.Named.Unit == o.Named.Unit && w.Named.Time.Equal(o.Named.Time) && w.Name.Count != o.Name.Count {
		return orderOf(w.Name.Count, o.Name.Count)
	}
	if w.Named.sameSecond(o.Named) {
		return w.Name.ComparePhase(o.Name)
	}
	return versionOf(w.Name).compare(versionOf(o.Name))
}

// ComparePhase orders names by their phases: 2 before 3, 3A before 3B. 6 and 6a
// are unordered.
func (n Name) ComparePhase(o Name) Order {
	a, b := n.phase(), o.phase()
	switch {
	case !a.known || !b.known, (a.first < 0) != (b.first < 0):
		return Unordered
	case a.last < b.first:
		return Older
	case a.first > b.last:
		return Newer
	case a.letter == "" || b.letter == "":
		return Unordered
	}
	return orderOf(a.letter, b.letter)
}

// LastPhase is the number of the phase, the last one of a range: 3 for 3, 3A
// and 2-3. It is -1 if the name has no number.
func (n Name) LastPhase() int {
	if p := n.phase(); p.known {
		return p.last
	}
	return -1
}

// phase is the phases of a name: 3, 3A, 2-3, B.
type phase struct {
	first, last int
	letter      string
	known       bool
}

func (n Name) phase() phase {
	if n.PhaseText == "" {
		return phase{}
	}
	p := phase{first: n.Phase, last: n.Phase, known: true}
	d := digits(n.PhaseText)
	if rest := n.PhaseText[d:]; strings.HasPrefix(rest, "-") {
		if last, err := strconv.Atoi(rest[strings.LastIndexByte(rest, '-')+1:]); err == nil && last > p.first {
			p.last = last
		}
	} else {
		p.letter = strings.ToLower(rest)
	}
	if d == 0 { // phases with only a letter are ordered among themselves
		p.first, p.last = -1, -1
	}
	return p
}

// version is what follows the date of a name.
type version struct {
	stem string // what versions of the same document share
	word string // "-v", "-iter", "letter", "-00": the form of the counter; "" for a name without a version
	n    int
}

func versionOf(n Name) version {
	if n.Class != DateOnly && n.Class != Suffixed || n.Layout != "" {
		return version{} // the counter of 01_phase3-partial.md restarts often
	}
	stem, rest, _ := strings.Cut(strings.TrimSuffix(n.Base, ".md"), "-handoff-")
	v := version{stem: stem + rest[:8]}
	rest = rest[8:]
	if rest == "" {
		return v
	}
	if len(rest) == 1 && isLetter(rest[0]) {
		v.word, v.n = "letter", int(rest[0]|0x20-'a')+1
		return v
	}
	at := len(rest)
	for at > 0 && '0' <= rest[at-1] && rest[at-1] <= '9' {
		at--
	}
	number, err := strconv.Atoi(rest[at:])
	if err != nil {
		return version{}
	}
	v.word, v.n = rest[:at], number
	if rest[at] == '0' {
		v.word += "0" // a zero-padded number may start anywhere
	}
	return v
}

// compare orders versions in the same form. A name without a version comes
// before its second version.
func (v version) compare(o version) Order {
	switch {
	case v.stem != o.stem || v == (version{}) || o == (version{}):
		return Unordered
	case v.word == o.word && v.n != o.n:
		return orderOf(v.n, o.n)
	case v.word == "" && o.later():
		return Older
	case o.word == "" && v.later():
		return Newer
	}
	return Unordered
}

// later reports whether the first version may have had a name without a
// version.
func (v version) later() bool {
	switch v.word {
	case "-v":
		return true
	case "-", "letter":
		return v.n == 2 || v.n > 2 && v.word == "-"
	}
	return false
}

func orderOf[T int | string](a, b T) Order {
	switch {
	case a < b:
		return Older
	case a > b:
		return Newer
	}
	return Unordered
}
