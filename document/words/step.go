package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rank is how clearly a heading or a label announces the next step.
type Rank uint8

// The ranks, the clearest first.
const (
	Announces Rank = iota // it is called so: "Next Steps"
	Mentions              // it has the words among others
	Hints                 // it is about what is left
	Silent
)

// Step ranks a heading or a label by its words about the next step in all languages.
func Step(text string) Rank {
	if text == "" || len(text) > 4*longestHeading {
		return Silent
	}
	text = uncoded(text)
	best := English.step(start(text))
	for part := range parts(text) {
		best = min(best, English.step(start(part)))
	}
	if best == Announces {
		return best
	}
	for name := range names(text) {
		for l := range Others(name) {
			best = min(best, l.step(name))
		}
		if best == Silent {
			best = more.step(name)
		}
	}
	if best == Silent && advises(text) {
		return Hints
	}
	return best
}

func advises(text string) bool {
	text, _, _ = strings.Cut(text, "(")
	if English.advises(start(text)) {
		return true
	}
	name := Bare(Fold(text))
	for l := range Others(name) {
		if l.advises(l.Fold(name)) {
			return true
		}
	}
	return false
}

// parts yields the parts of an English heading about several things: "Open work / next". In "src/next" is one thing.
func parts(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, between := range [...]string{" / ", " | ", " — ", " – ", " - ", " · "} {
			if !strings.Contains(text, between) {
				continue
			}
			for part := range strings.SplitSeq(text, between) {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// Label ranks a label that has a value. That of a priority only rates what it is about: "Priority: high".
func Label(text string) Rank {
	rank := Step(text)
	if rank != Announces || len(text) > 4*longestHeading {
		return rank
	}
	if English.announces("priority", start(text)) == Announces {
		return Silent
	}
	for name := range names(text) {
		for l := range Others(name) {
			if l.announces("priority", l.Fold(name)) == Announces && l.announces("next", l.Fold(name)) != Announces {
				return Silent
			}
		}
		if more.announces("priority", name) == Announces {
			return Silent
		}
	}
	return rank
}

// Opens reports whether a hint is all that a label says, so that a line of prose may begin with it: "TODO", 待办, "Da fare".
func Opens(label string) bool {
	if len(label) > 4*longestHeading {
		return false
	}
	if English.hint(start(label)) {
		return true
	}
	for name := range names(label) {
		for l := range Others(name) {
			if l.hint(l.Fold(name)) {
				return true
			}
		}
		if more.hint(name) {
			return true
		}
	}
	return false
}

// hint reports whether a folded text is only a word about what is left.
func (l *Language) hint(name string) bool {
	for _, w := range l.List("left") {
		if l.phrase(name, w) == whole {
			return true
		}
	}
	return false
}

// uncoded returns a text with a sign for each code span: what is in one is a name.
func uncoded(text string) string {
	parts := strings.Split(text, "`")
	if len(parts) < 3 {
		return text
	}
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 || i == len(parts)-1 { // the last backtick may open none
			b.WriteString(part)
		} else {
			b.WriteByte('`')
		}
	}
	return b.String()
}

// start returns a folded heading without its number and emoji. What makes a word part of a name remains:
// "@next/mdx", ".next".
func start(text string) string {
	text = strings.TrimLeftFunc(Fold(text), func(r rune) bool {
		return '0' <= r && r <= '9' || r == ' ' || r == ')' || r == '*' || r == '#' || r >= utf8.RuneSelf && sign(r)
	})
	return strings.TrimPrefix(text, ". ")
}

// Competes reports whether a heading is one for the next step, as [Announces], by the words of the
// key next: headings that only say where to start do not compete with a next action.
func Competes(text string) bool {
	if len(text) > 4*longestHeading {
		return false
	}
	if English.announces("next", start(text)) == Announces {
		return true
	}
	for name := range names(text) {
		for l := range Others(name) {
			if l.announces("next", l.Fold(name)) == Announces {
				return true
			}
		}
	}
	return false
}

// step ranks a folded heading in the language.
func (l *Language) step(name string) Rank {
	name = l.Fold(name)
	if !l.may(name) {
		return Silent
	}
	best := Silent
	for _, form := range [...]string{name, l.bare(name)} {
		for _, key := range [...]string{"next", "resume", "priority"} {
			if form != "" && best != Announces {
				best = min(best, l.announces(key, form))
			}
		}
	}
	if best == Silent && l.parted(name) {
		best = Mentions
	}
	if best != Silent {
		return best
	}
	for _, w := range l.List("left") {
		if l.phrase(name, w) != absent {
			return Hints
		}
	}
	return Silent
}

// advises reports whether a folded text is about advice: all of it, or in languages with blanks also a part. In parentheses
// such a word only rates what is before it: "Docker image (recommended)".
func (l *Language) advises(name string) bool {
	if !l.may(name) {
		return false
	}
	for _, w := range l.List("advice") {
		if found := l.phrase(name, w); found == whole || found == within && l.Spaced {
			return true
		}
	}
	return false
}

// bare returns a folded heading without its adjectives, "" if it has none: "nächste sinnvolle Schritte" are the next steps.
func (l *Language) bare(name string) string {
	if !l.Spaced {
		return ""
	}
	kept, dropped := "", false
	for word := range strings.FieldsSeq(name) {
		if l.Has("adjective", word) {
			dropped = true
			continue
		}
		kept += " " + word
	}
	if !dropped {
		return ""
	}
	return strings.TrimPrefix(kept, " ")
}

// may reports whether a text has the first word of a phrase about the next step. Most have none, and looking for each
// phrase takes long.
func (l *Language) may(name string) bool {
	if !l.Spaced {
		return true
	}
	for rest := name; rest != ""; {
		from := strings.IndexFunc(rest, letter)
		if from < 0 {
			return false
		}
		rest = rest[from:]
		to := strings.IndexFunc(rest, func(r rune) bool { return !letter(r) })
		if to < 0 {
			to = len(rest)
		}
		if l.opens(rest[:to]) {
			return true
		}
		rest = rest[to:]
	}
	return false
}

func letter(r rune) bool { return 'a' <= r && r <= 'z' || r >= utf8.RuneSelf && unicode.IsLetter(r) }

// announces ranks a folded heading by the words of a key.
func (l *Language) announces(key, name string) Rank {
	best := Silent
	for _, w := range l.List(key) {
		switch l.phrase(name, w) {
		case whole:
			return Announces
		case within:
			if strings.Contains(w, " ") || !l.Spaced && utf8.RuneCountInString(w) > 2 {
				best = Mentions // one word alone, such as "next", is only a hint
			}
		}
	}
	return best
}

// parted reports whether a folded text has a phrase for the next step with other words in the middle: "next proof step".
func (l *Language) parted(name string) bool {
	for _, w := range l.List("next") {
		first, last, ok := strings.Cut(w, " ")
		middle, starts := strings.CutPrefix(name, first+" ")
		middle, ends := strings.CutSuffix(middle, " "+last)
		if ok && starts && ends && strings.Count(middle, " ") < 2 && strings.IndexFunc(middle, unicode.IsDigit) < 0 {
			return true
		}
	}
	return false
}

// Entry reports whether each word of a text may be beside the date or the number of an entry in a log of sessions:
// "Session 12", "第3回セッション". Digits and signs are no words.
func Entry(text string) bool {
	text = Fold(text)
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !entryWord(part) {
			return false
		}
	}
	return true
}

func entryWord(word string) bool {
	if English.Has("entry", word) {
		return true
	}
	for l := range Others(word) {
		if l.Has("entry", word) || !l.Spaced && l.made(word) {
			return true
		}
	}
	return false
}

// made reports whether a text is made of words for entries: 作業セッション.
func (l *Language) made(text string) bool {
	for text != "" {
		longest := 0
		for _, w := range l.List("entry") {
			if strings.HasPrefix(text, w) {
				longest = max(longest, len(w))
			}
		}
		if longest == 0 {
			return false
		}
		text = text[longest:]
	}
	return true
}
