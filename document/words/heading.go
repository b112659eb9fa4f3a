package words

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Sections are the keys of the sections of a handoff, in the order of the template. The number of
// a section is its index and 1.
var Sections = [...]string{"next_action", "understand_first", "state", "waiting_for", "left_running", "decisions", "deviations", "dead_ends", "context", "references"}

// layouts begins the keys of headings that name a section only in the documents of a layout.
const layouts = "layouts."

// head is the section that a heading names.
type head struct {
	section uint8
	own     bool // in any document, not only in those of a layout
}

// headingOf is the section whose headings a key has; 0 for another key.
func headingOf(key string) (section uint8, own bool) {
	name, lenient := strings.CutPrefix(key, layouts)
	return uint8(slices.Index(Sections[:], name) + 1), !lenient
}

// heads are the headings of languages with the same letters.
type heads struct {
	of    []*Language
	once  sync.Once
	named map[string]head
}

// The headings of English, of the other languages with Latin letters, and of each language with others.
var (
	englishHeads = heads{of: []*Language{English}}
	latinHeads   = heads{of: others[:5]}
	otherHeads   = [...]heads{{of: others[5:6]}, {of: others[6:7]}, {of: others[7:8]}, {of: others[8:9]}}
)

// find returns the section of a folded heading.
func (h *heads) find(word []byte) head {
	h.once.Do(h.read)
	return h.named[string(word)]
}

func (h *heads) read() {
	h.named = make(map[string]head, 128*len(h.of))
	for _, l := range h.of {
		for key, list := range l.Lines {
			section, own := headingOf(key)
			if section == 0 {
				continue
			}
			for word := range strings.SplitSeq(l.Fold(list), ";") {
				word = strings.TrimPrefix(word, " ")
				if last, there := h.named[word]; !there || own && !last.own && last.section == section {
					h.named[word] = head{section, own}
				}
			}
		}
	}
}

// Section returns the number of the section that an English heading names in any document, 0 if
// it names none. low is in lower case.
func Section(low string) int {
	if len(low) > longestHeading {
		return 0
	}
	var buf [longestHeading]byte
	if h := englishHeads.find(append(buf[:0], low...)); h.own {
		return int(h.section)
	}
	return 0
}

// Layout returns the English words for the section with a key, as the documents of layouts have them.
func Layout(key string) []string { return English.List(layouts + key) }

// longestHeading is how many characters a heading has that names a section.
const longestHeading = 48

// OtherSection returns the number of the section that a heading in another language names; 0 if
// it names none. Words that mean a section only in the documents of layouts count with lenient.
func OtherSection(heading string, lenient bool) int {
	if len(heading) > 4*longestHeading {
		return 0
	}
	if ascii(heading) {
		return plainSection(heading, lenient)
	}
	for name := range names(heading) {
		found := scripts(name)
		word := []byte(name)
		if h := latinHeads.find(word); found&latin != 0 && h.section > 0 && (h.own || lenient) {
			return int(h.section)
		}
		for i := range otherHeads {
			l := otherHeads[i].of[0]
			if l.script&found == 0 {
				continue
			}
			if h := otherHeads[i].find([]byte(l.Fold(name))); h.section > 0 && (h.own || lenient) {
				return int(h.section)
			}
		}
	}
	return 0
}

// NamesSection reports whether a heading names a section in any language, without what is in parentheses at its end.
func NamesSection(heading string) bool {
	name := Fold(heading)
	if open := strings.LastIndexByte(name, '('); open > 0 {
		name = name[:open]
	}
	return englishHeads.find([]byte(Bare(name))).section > 0 || OtherSection(name, true) > 0
}

// plainSection is OtherSection for ASCII, which most headings are that name no section. It allocates nothing.
func plainSection(heading string, lenient bool) int {
	if len(heading) > longestHeading {
		return 0
	}
	var buf [longestHeading]byte
	low := buf[:len(heading)]
	for i := range len(heading) {
		if low[i] = heading[i]; 'A' <= low[i] && low[i] <= 'Z' {
			low[i] |= 0x20
		}
	}
	for _, marks := range [...]string{"", "([", "/|:"} {
		if marks != "" && !strings.ContainsAny(heading, marks) {
			continue
		}
		for rest := low; len(rest) > 0; {
			part := rest
			if i := bytes.IndexAny(rest, marks); i >= 0 {
				part, rest = rest[:i], rest[i+1:]
			} else {
				rest = nil
			}
			if h := latinHeads.find(trimmed(part)); h.section > 0 && (h.own || lenient) {
				return int(h.section)
			}
		}
	}
	return 0
}

// trimmed is a part of a folded ASCII heading between its first letter and its last letter or digit.
func trimmed(part []byte) []byte {
	for len(part) > 0 && (part[0] < 'a' || part[0] > 'z') {
		part = part[1:]
	}
	for len(part) > 0 && !wordByte(part[len(part)-1]) {
		part = part[:len(part)-1]
	}
	return part
}

// names yields what a heading may be called, folded: all of it, without the parenthetical at its end, in
// the parenthetical, and each part of one in two languages ("Next Steps / 次のステップ").
func names(heading string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		text := Bare(Fold(heading))
		if text == "" || !yield(text) {
			return
		}
		if open := strings.LastIndexAny(text, "(["); open > 0 {
			if !yield(Bare(text[:open])) || !yield(Bare(text[open:])) {
				return
			}
		}
		if strings.ContainsAny(text, "/|:·—–") {
			for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("/|:·—–", r) }) {
				if !yield(Bare(part)) {
					return
				}
			}
		}
	}
}

// Bare removes what surrounds the words of a folded heading: a number ("3.", "二、", "①"), signs, emoji, brackets
// and a colon.
func Bare(text string) string {
	text = strings.TrimLeftFunc(strings.TrimRightFunc(text, sign), outer)
	if mark := strings.IndexAny(text, "、."); mark > 0 && strings.Trim(text[:mark], "一二三四五六七八九十") == "" {
		_, text, _ = strings.Cut(text, text[mark:mark+width(text[mark])])
		text = strings.TrimLeftFunc(text, outer)
	}
	return text
}

// sign reports whether a character is neither letter nor digit.
func sign(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func outer(r rune) bool { return !unicode.IsLetter(r) }

func width(first byte) int {
	if first < 0x80 {
		return 1
	}
	return len("、")
}

// found is whether a phrase is all that a heading says.
type found uint8

const (
	absent found = iota
	within
	whole
)

// phrase looks for a phrase. It is the whole heading also with an adjective before it and an addition
// after it: "Recommended Next Steps (in order)", "Next Phase: Phase 4", "Next Steps for Continuation".
func (l *Language) phrase(name, phrase string) found {
	at := l.Find(name, phrase)
	if at < 0 {
		return absent
	}
	before, after := strings.TrimSpace(name[:at]), strings.TrimSpace(name[at+len(phrase):])
	if before = strings.TrimFunc(before, outer); before != "" && !l.adjectives(before) {
		return within
	}
	if first, _ := utf8.DecodeRuneInString(after); after == "" || sign(first) || strings.HasPrefix(after, "for ") && l == English || l.tail(after) {
		return whole
	}
	return within
}

// tail reports whether a text is only words that may follow an announcement: "Where to pick up next session".
func (l *Language) tail(text string) bool {
	if !l.Spaced {
		return l.Has("tail", text)
	}
	for word := range strings.FieldsSeq(text) {
		if !l.Has("tail", strings.Trim(word, ".,:")) {
			return false
		}
	}
	return true
}

// adjectives reports whether each word is an adjective of next steps.
func (l *Language) adjectives(text string) bool {
	if !l.Spaced {
		return l.Has("adjective", text)
	}
	for word := range strings.FieldsSeq(text) {
		if !l.Has("adjective", word) {
			return false
		}
	}
	return true
}

// Find is the offset of a phrase in a folded text, -1 if it is not there. Where blanks separate words it must be whole
// words, and no part of a name: "Next.js", "next/font" and ".next" have no word "next". A blank of the phrase may be a
// dash or an underscore.
func (l *Language) Find(text, phrase string) int {
	if !l.Spaced {
		return strings.Index(text, phrase)
	}
	for at := 0; at+len(phrase) <= len(text); at++ {
		if text[at] == phrase[0] && l.at(text, at, phrase) {
			return at
		}
	}
	return -1
}

// at reports whether [Language.Find] finds a phrase at an offset.
func (l *Language) at(text string, at int, phrase string) bool {
	end := at + len(phrase)
	if !l.Spaced || end > len(text) {
		return strings.HasPrefix(text[at:], phrase)
	}
	return same(text[at:end], phrase) && apart(text, at, end) && !(phrase == "next" && version(text[end:]))
}

func same(text, phrase string) bool {
	for i := range len(phrase) {
		if c := text[i]; c != phrase[i] && (phrase[i] != ' ' || c != '-' && c != '_') {
			return false
		}
	}
	return true
}

// apart reports whether text[from:to] is whole words.
func apart(text string, from, to int) bool {
	if from > 0 {
		if c := text[from-1]; wordByte(c) || strings.IndexByte("./@-`", c) >= 0 {
			return false
		}
	}
	if to == len(text) {
		return true
	}
	if wordByte(text[to]) || text[to] == '`' {
		return false
	}
	joined := to+1 < len(text) && wordByte(text[to+1])
	return !(joined && strings.IndexByte("./-@:", text[to]) >= 0)
}

// version reports whether only a version follows: "Next 15", "Next v15.2".
func version(text string) bool {
	number := strings.TrimPrefix(strings.TrimSpace(text), "v")
	return number != "" && '0' <= number[0] && number[0] <= '9' && strings.Trim(number, "0123456789.x") == ""
}

func wordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}
