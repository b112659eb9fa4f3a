package handoff

import (
	"strings"

	"handoff/document/words"
	"handoff/internal/text/nearest"
)

// Kind is the section of the template that a heading begins.
type Kind uint8

// The kinds of section, in the order of the template.
const (
	Other Kind = iota // a heading that is not in the template
	NextAction
	Understand // what a successor must understand before it starts
	CurrentState
	WaitingFor // persons that the work waits for, and for what
	Background // what was left running
	Decisions
	Deviations
	DeadEnds
	Context
	References
)

// Spec is one row of the table of sections.
type Spec struct {
	Kind     Kind
	Heading  string // as the template writes it, with its parenthetical
	Key      string // its key in the JSON or YAML form of a handoff
	Required bool   // every handoff must have it
	MaxItems int    // most items; 0 if the section is not a list
	Numbered bool   // the template numbers its items
	Reasons  bool   // every item must give a reason
	Free     bool   // of any name and in any place: no rule wants another
}

// Sections is the table of sections, in the order of the template, for
// templates, parse and lint. A document may leave out sections that are not
// required. What else authors call them is in package words, by their keys.
var Sections = [...]Spec{
	{Kind: NextAction, Heading: "Immediate Next Action", Key: "next_action", Required: true},
	{Kind: Understand, Heading: "Understand First", Key: "understand_first", MaxItems: 3, Free: true},
	{Kind: CurrentState, Heading: "Current State", Key: "state", Required: true},
	{Kind: WaitingFor, Heading: "Waiting For", Key: "waiting_for", MaxItems: 3, Free: true},
	{Kind: Background, Heading: "Running in the Background", Key: "left_running", MaxItems: 3, Free: true},
	{Kind: Decisions, Heading: "Key Decisions Made", Key: "decisions", Required: true, MaxItems: 4, Numbered: true, Reasons: true},
	{Kind: Deviations, Heading: "Deviations from Plan", Key: "deviations", MaxItems: 5},
	{Kind: DeadEnds, Heading: "What NOT to Try", Key: "dead_ends", Required: true, MaxItems: 4, Numbered: true, Reasons: true},
	{Kind: Context, Heading: "Critical Context (max 5 items)", Key: "context", Required: true, MaxItems: 5},
	{Kind: References, Heading: "References (read only if stuck)", Key: "references", Required: true, MaxItems: 3},
}

// SpecOf returns the row of k, or the zero Spec for Other.
func SpecOf(k Kind) Spec {
	if k == Other || int(k) > len(Sections) {
		return Spec{}
	}
	return Sections[k-1]
}

// Name is the heading without its parenthetical: "Critical Context".
func (s Spec) Name() string { return bare(s.Heading) }

// String is the section's name, or "other".
func (k Kind) String() string {
	if k == Other {
		return "other"
	}
	return SpecOf(k).Name()
}

// Spelling is how close a heading is to that in the template.
type Spelling uint8

// The spellings, from exact to unknown.
const (
	Exact      Spelling = iota // the template's text
	Bare                       // the template's text without its parenthetical
	Misspelled                 // other case, a synonym, a letter or two wrong
	Translated                 // a word for the section in another language, or any for one that is [Spec.Free]
	Unknown                    // no section of the template
)

// KindOf finds the section that a heading means: "what not to try" and "Key
// Decisions" are recognized, with the spelling Misspelled.
func KindOf(heading string) (Kind, Spelling) {
	kind, spelling := named(heading)
	if SpecOf(kind).Free && spelling != Exact {
		spelling = Translated
	}
	return kind, spelling
}

func named(heading string) (Kind, Spelling) {
	for i := range Sections {
		if heading == Sections[i].Heading {
			return Sections[i].Kind, Exact
		}
	}
	name := bare(heading)
	for i := range Sections {
		if name == bare(Sections[i].Heading) {
			if name == heading {
				return Sections[i].Kind, Bare
			}
			return Sections[i].Kind, Misspelled // another parenthetical
		}
	}
	low := strings.ToLower(strings.TrimRight(strings.TrimSpace(name), ":："))
	if low == "" {
		return Other, Unknown
	}
	for i := range Sections {
		if strings.EqualFold(low, bare(Sections[i].Heading)) {
			return Sections[i].Kind, Misspelled
		}
	}
	if section := words.Section(low); section > 0 {
		return Kind(section), Misspelled
	}
	if section := words.OtherSection(heading, false); section > 0 {
		return Kind(section), Translated
	}
	if len(low) > longestHeading {
		return Other, Unknown
	}
	for i := range Sections {
		name := bare(Sections[i].Heading)
		if mayBeNear(low, name) && nearest.Distance(low, strings.ToLower(name)) <= maxOff {
			return Sections[i].Kind, Misspelled
		}
	}
	return Other, Unknown
}

// longestHeading is how many bytes a heading has that may be misspelled.
const longestHeading = 48

// maxOff is how many letters of a heading may be wrong.
const maxOff = 2

// mayBeNear reports whether two headings have nearly the same letters in any
// order. It avoids computing their distance for most headings, which are in no
// template.
func mayBeNear(a, b string) bool {
	var balance [32]int8 // of letters; the index ignores case and the upper bits of the byte
	for i := range len(a) {
		balance[a[i]&31]++
	}
	for i := range len(b) {
		balance[b[i]&31]--
	}
	more, fewer := 0, 0
	for _, n := range balance {
		if n > 0 {
			more += int(n)
		} else {
			fewer -= int(n)
		}
	}
	return more <= maxOff && fewer <= maxOff
}

// bare removes a trailing parenthetical.
func bare(heading string) string {
	open := -1
	if strings.HasSuffix(heading, ")") {
		open = strings.LastIndexByte(heading, '(')
	} else if strings.HasSuffix(heading, "）") {
		open = strings.LastIndex(heading, "（")
	}
	if open > 0 {
		return strings.TrimRight(heading[:open], " ")
	}
	return heading
}
