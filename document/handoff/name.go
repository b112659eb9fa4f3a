package handoff

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Stamp is the form of the time in a document's name, in UTC: 20260212T143022Z.
const Stamp = "20060102T150405Z"

// MaxTask and MaxPhase are the largest valid numbers in a name. Longer ones are
// times, dates or typing errors.
const (
	MaxTask  = 999_999_999
	MaxPhase = 999_999

	taskDigits    = 9
	featureDigits = 3
	phaseDigits   = 6
)

// Name is the parsed path of a handoff document:
//
//	specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md
//
// Reading is lenient: Class is how a name differs from that form, and the other
// fields have what could be read. Writing is strict: see [Name.Path].
type Name struct {
	Dir   string // the task folder as written, "specs/259_prove_completeness"; empty if the path has none
	Task  int    // 259
	Width int    // digits of the task number as written; 0 if the path has no task folder
	Slug  string // prove_completeness

	Base      string // the file's own name
	Phase     int    // 3; the number at the start of a letter or range phase; 0 if there is none
	PhaseText string // the phase as written: "3", "3A", "B", "2-3"
	Time      time.Time
	Count     int // the hundredths in 20260212T143022.02Z, which order the documents of a second; see [Slot]
	Class     Class

	// Layout is the name of the layout that covers the document, "" for the form
	// above. Documents of a layout are not in task folders, so Dir is empty; those
	// with the same Chain continue each other. UTC reports that Time has a zone.
	// Filed is the date in the path of its folder, as in reports/2026-02-12/HANDOFF.md; zero
	// without one.
	Layout, Chain string
	UTC           bool
	Filed         time.Time
	// Loose reports that the documents of the Chain are of no one task: sessions that know nothing of each
	// other may write them, so a new one need not continue the last one.
	Loose bool

	// ID is what the plan of another tool calls the task of the document: add-login, bd-12; ""
	// without such a plan. See [handoff/document/task.Plan].
	ID string

	// Ticket is what a tracker calls the task of the document, as a folder without such a plan has it: ENG-1478.
	Ticket string

	// Known reports that the path is that of a known place, letter by letter, in another script than
	// Latin: it was not chosen by the author of the document, so it can be shown.
	Known bool
}

// Class is the form of a document's name.
type Class uint8

// The forms that real agents write, starting with the right one.
const (
	Canonical Class = iota // phase-3-handoff-20260212T143022Z.md, or …22.02Z.md
	NoZone                 // phase-3-handoff-20260224T215519.md
	Digits                 // phase-1-handoff-20260317015115.md
	Dashed                 // phase-1-handoff-20260601-093032.md, or with _
	Minutes                // phase-1-handoff-20260811T0800.md, with or without Z
	Epoch                  // phase-1-handoff-1785000005.md
	DateOnly               // phase-2-handoff-20260212.md
	Suffixed               // phase-1-handoff-20260213-v2.md: a stamp and more
	Worded                 // phase-5-completion-handoff-…: words after the phase
	PhaseLess              // phase-prereq-handoff-…, handoff-20260212.md
	Timeless               // phase-6-handoff.md
	Ordinal                // 01_phase3-partial.md
	Foreign                // anything else
)

var classText = [...]string{
	Canonical: "phase-P-handoff-YYYYMMDDTHHMMSSZ.md",
	NoZone:    "a time without a zone",
	Digits:    "a time in 14 plain digits",
	Dashed:    "a date and a time with a dash between",
	Minutes:   "a time without seconds",
	Epoch:     "a Unix time",
	DateOnly:  "a date without a time",
	Suffixed:  "a suffix after the time",
	Worded:    "words after the phase number",
	PhaseLess: "no phase number",
	Timeless:  "no time",
	Ordinal:   "a counter instead of phase and time",
	Foreign:   "not the name of a handoff",
}

// String describes the class, as in "the file name has …".
func (c Class) String() string { return classText[c] }

// HasClock reports whether names of the class have a time of day.
func (c Class) HasClock() bool { return c <= Epoch }

// ParseName reads a path with forward slashes. It never fails: a path in no
// known form has class Foreign.
func ParseName(p string) Name {
	n := Name{Base: path.Base(p)}
	if dir := path.Dir(p); path.Base(dir) == Folder {
		n.Dir = path.Dir(dir)
		n.Task, n.Width, n.Slug = ParseTask(path.Base(n.Dir))
		if n.Width == 0 {
			n.Dir = ""
		}
	}
	n.Class = n.parseBase()
	return n
}

// Number is the task number, which may be 0; nil if the path has none.
func (n Name) Number() *int {
	if n.Width == 0 {
		return nil
	}
	return &n.Task
}

// With is the name of another document in the same folder.
func (n Name) With(base string) Name {
	n = Name{Dir: n.Dir, Task: n.Task, Width: n.Width, Slug: n.Slug, Base: base}
	n.Class = n.parseBase()
	return n
}

// Archived reports whether the task is archived: a folder between specs and the
// task is named archive, archived or vault.
func (n Name) Archived() (archived bool) {
	for part := range strings.SplitSeq(path.Dir(n.Dir), "/") {
		switch part {
		case Root: // the folders above it are not part of the workspace
			archived = false
		case "archive", "archived", "vault":
			archived = true
		}
	}
	return archived
}

// ParseTask reads the name of a task folder: "259_prove_completeness", or that of a feature
// of Spec Kit, whose handoffs are in its folder too. Width is the number of digits, 0 if it
// is not such a name.
func ParseTask(dir string) (task, width int, slug string) {
	width = digits(dir)
	if width == 0 || width > taskDigits || len(dir) < width+2 || dir[width] != '_' && !IsFeature(dir) {
		return 0, 0, ""
	}
	task, _ = strconv.Atoi(dir[:width])
	return task, width, dir[width+1:]
}

// IsFeature reports whether a name is that of a feature's folder of Spec Kit: 001-user-auth.
func IsFeature(dir string) bool {
	return digits(dir) == featureDigits && len(dir) > featureDigits+1 && dir[featureDigits] == '-'
}

// TaskDir is the folder of a task below the workspace, with its number padded
// to width digits.
func TaskDir(task, width int, slug string) string {
	return fmt.Sprintf("%s/%0*d_%s", Root, width, task, slug)
}

// SlugOf joins words by underscores, in lower case: "Second Task" is second_task. Wide forms of ASCII become ASCII.
func SlugOf(words string) string {
	words = strings.Map(func(r rune) rune {
		switch {
		case 0xff01 <= r && r <= 0xff5e:
			r -= 0xfee0
		case r == 0x3000:
			r = ' '
		}
		return unicode.ToLower(r)
	}, words)
	return strings.Join(strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == '_' || r == '-' }), "_")
}

// wordsInSlug is how many words of a text name a task.
const wordsInSlug = 4

// SlugFrom is a slug from the first words of a text, without accents and signs; "" if it has none of which
// one can be made.
func SlugFrom(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !('a' <= c && c <= 'z' || '0' <= c && c <= '9') })
	if slug := strings.Join(words[:min(len(words), wordsInSlug)], "_"); ValidSlug(slug) {
		return slug
	}
	return ""
}

// The most characters and bytes of a slug. A file system takes 255 bytes for a name.
const (
	mostInSlug = 64
	slugBytes  = 200
)

// ValidSlug reports whether s is a valid slug for a new task: lower-case
// letters and digits of any script, and single underscores between them.
func ValidSlug(s string) bool {
	if s == "" || len(s) > slugBytes || utf8.RuneCountInString(s) > mostInSlug || s[0] == '_' || s[len(s)-1] == '_' || strings.Contains(s, "__") {
		return false
	}
	before := '_'
	for _, r := range s {
		if r != '_' && (r < '0' || r > '9') && !slugLetter(r) && !(slugMark(r) && (unicode.IsLetter(before) || unicode.IsMark(before))) {
			return false
		}
		before = r
	}
	return true
}

// slugLetter reports whether a character is a letter that a slug may have: no capital, and none that looks like
// another (wide forms of ASCII, parts of Korean syllables).
func slugLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z'
	}
	return unicode.IsLetter(r) && !unicode.IsUpper(r) && !unicode.IsTitle(r) && !(0xff00 <= r && r < 0xff66) && !(0x1100 <= r && r < 0x1200)
}

// slugMark reports whether a character is a vowel or tone sign of a script that has no letters with them. An accent of its
// own is none: the same name would exist with and without it.
func slugMark(r rune) bool { return unicode.IsMark(r) && r >= 0x591 && r < 0x1ab0 }

// BaseFor is the only form of a file name that is written, but for the hundredths of
// [Slot.Base].
func BaseFor(phase int, t time.Time) string { return SlotAt(t).Base(phase) }

// Slot is the place of the document in the order of its task.
func (n Name) Slot() Slot { return Slot{n.Time, n.Count} }

// Zoned reports whether a time of day in the name has a zone: Z, or a Unix
// time. Other times are stored as if they were UTC; most agents write local
// time.
func (n Name) Zoned() bool {
	return n.Class == Epoch || n.UTC || n.Layout == "" && strings.HasSuffix(n.Base, "Z.md")
}

// Better is the strict name of a document whose phase is a plain number and
// whose time is known. ok is false if there is none, or the name is already
// strict. zone is the zone of names without one; nil if unknown.
func (n Name) Better(zone *time.Location) (base string, ok bool) {
	if n.Class == Canonical || n.Layout != "" || !n.Class.HasClock() || !n.Plain() {
		return "", false
	}
	t := n.Time
	if !n.Zoned() {
		if zone == nil {
			return "", false
		}
		t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone)
	}
	return BaseFor(n.Phase, t), true
}

// Compare orders names by time and hundredths, then phase, then version and text, so
// that the order is total. The last one is not certain to be the newest: see [Written]
// for names with only a date.
func (n Name) Compare(o Name) int {
	if c := n.Slot().Compare(o.Slot()); c != 0 {
		return c
	}
	if n.Phase != o.Phase {
		return n.Phase - o.Phase
	}
	if c := versionOf(n).n - versionOf(o).n; c != 0 {
		return c
	}
	return strings.Compare(n.Base, o.Base)
}

func (n *Name) parseBase() Class {
	stem, ok := strings.CutSuffix(n.Base, ".md")
	if !ok {
		return Foreign
	}
	rest, ok := strings.CutPrefix(stem, "phase-")
	if !ok {
		if d := digits(stem); d > 0 && d < 4 && len(stem) > d && stem[d] == '_' {
			return Ordinal
		}
		return Foreign
	}
	phase, stamp, ok := strings.Cut(rest, "-handoff")
	if !ok {
		return Foreign
	}
	class := PhaseLess
	if d := digits(phase); n.readPhase(phase) {
		class = Canonical
	} else if d > 0 && d <= phaseDigits {
		class = Worded
		n.readPhase(strings.SplitN(phase, "-", 2)[0])
	}
	stamp, ok = strings.CutPrefix(stamp, "-")
	if !ok {
		if stamp == "" {
			return max(class, Timeless)
		}
		return Foreign
	}
	return max(class, n.readStamp(stamp))
}

// readPhase reads "3", and other forms that occur: "3A", "B", "2-3". It reports
// whether there is a phase.
func (n *Name) readPhase(s string) bool {
	d := digits(s)
	if d > phaseDigits {
		return false
	}
	n.Phase, _ = strconv.Atoi(s[:d])
	rest := s[d:]
	letter := len(rest) == 1 && isLetter(rest[0])
	ranged := d > 0 && strings.HasPrefix(rest, "-") && strings.Trim(rest, "-0123456789") == ""
	if d == 0 && !letter || d > 0 && rest != "" && !letter && !ranged {
		n.Phase = 0
		return false
	}
	n.PhaseText = s
	return true
}

func (n *Name) readStamp(s string) Class {
	if at := len(Stamp) - 1; len(s) == len(Stamp)+len(".02") {
		if count, zone := CutCount(s[at:]); zone == "Z" {
			n.Count, s = count, s[:at]+zone
		}
	}
	for _, f := range [...]struct {
		layout string
		class  Class
	}{
		{Stamp, Canonical},
		{"20060102T150405", NoZone},
		{"20060102150405", Digits},
		{"20060102-150405", Dashed},
		{"20060102_150405", Dashed},
		{"20060102T1504Z", Minutes},
		{"20060102T1504", Minutes},
		{"20060102", DateOnly},
	} {
		if len(s) != len(f.layout) {
			continue
		}
		if t, err := time.Parse(f.layout, s); err == nil {
			n.Time = t
			return f.class
		}
	}
	d := digits(s)
	if d == len(s) && d == 10 {
		seconds, _ := strconv.ParseInt(s, 10, 64)
		n.Time = time.Unix(seconds, 0).UTC()
		return Epoch
	}
	if d >= 8 {
		if t, err := time.Parse("20060102", s[:8]); err == nil {
			n.Time = t
			return Suffixed
		}
	}
	return Timeless
}

// Plain reports whether the phase is written as the schema requires: only a
// number, unpadded.
func (n Name) Plain() bool { return n.PhaseText == strconv.Itoa(n.Phase) }

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
