// Package words holds the words of ten languages by which a handoff is read: what its sections
// are called, what announces the next step, what begins a reason, what claims that tests pass.
//
// A next step is found in many more, whose words are in one file. Each language is a file: a line for each key, its words separated by semicolons; a key may
// have several lines. It is read when a text needs it first, because hooks start the program
// hundreds of times: a document in English never loads the words of Korean.
//
// The first keys are those of the sections, and with "layouts." the words that mean one only in documents of layouts.
// "next" announces a next step, "resume" says how to go on, and "priority" does so above a list but rates a thing as a
// label with a value; "left" is about what is left, "advice" too where it is all that a heading says. "prompt" is above a
// text for the start of a session, "orient" begins what only prepares one, and "counted" is what a piece of work is called there. "adjective" and
// "tail" may be before and after such a phrase. "over" states that nothing is left, "tests", "passes" and "wish" make
// a claim or none, "criteria" are headings of what is still to be shown, "reason" begins one, "vague" names nothing to
// act on, "excuse" and "none" stand for no content. "entry" is beside the date of an entry in a log; "created",
// "updated" and "months" are read with dates. "file", "place" and "line" say where the work stopped, "create" and
// "elsewhere" why a file that is named may not exist. "beside" is what is next to the name of a part of the code, "whereabouts" are
// labels that say where and not what. "form", "labels" and "prompts" are those of a new document. "option", "choice" and "either" offer several steps where one is wanted.
//
// The package knows words. What a section is for, and what a document is, it does not know.
package words

import (
	_ "embed"
	"iter"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
)

// The files, one a language.
var (
	//go:embed en.txt
	english string
	//go:embed de.txt
	german string
	//go:embed fr.txt
	french string
	//go:embed es.txt
	spanish string
	//go:embed it.txt
	italian string
	//go:embed pt.txt
	portuguese string
	//go:embed ru.txt
	russian string
	//go:embed zh.txt
	chinese string
	//go:embed ja.txt
	japanese string
	//go:embed ko.txt
	korean string
	//go:embed more.txt
	several string
)

// Language is the words of a language.
type Language struct {
	Code, Name string
	Spaced     bool // blanks separate its words; without them, a word is found within others

	script script
	file   string
	once   sync.Once
	keys   map[string]*entry
	firsts sync.Once
	first  map[string]bool // the first words of phrases about the next step
}

// entry has the words of a key. Each key is read when it is asked first: most texts ask a language about one or two.
type entry struct {
	text string // as in the file, a semicolon between two words
	once sync.Once
	list []string
	set  *set
}

// set is words that most texts do not have: their first letters and lengths tell that without a look at the words.
type set struct {
	words map[string]bool
	sizes [32]uint64 // bit n: a word of n bytes begins with such a letter
}

func (s *set) add(word string) {
	if word == "" {
		return
	}
	if s.words == nil {
		s.words = map[string]bool{}
	}
	s.words[word] = true
	s.sizes[word[0]%32] |= 1 << (len(word) % 64)
}

// has reports whether a word is in the set, in capitals too; other letters than those of ASCII must be folded.
func (s *set) has(word string) bool {
	if s == nil || word == "" || len(word) > longestWord || s.sizes[word[0]%32]>>(len(word)%64)&1 == 0 {
		return false
	}
	var buf [longestWord]byte
	low := append(buf[:0], word...)
	for i, c := range low {
		if 'A' <= c && c <= 'Z' {
			low[i] |= 0x20
		}
	}
	return s.words[string(low)]
}

// script is a set of scripts.
type script uint8

const (
	latin script = 1 << iota
	cyrillic
	han
	kana
	hangul
)

// English is the language of our own form.
var English = &Language{Code: "en", Name: "English", Spaced: true, script: latin, file: english}

// others are the other languages, in the order in which their words are tried.
var others = [...]*Language{
	{Code: "de", Name: "German", Spaced: true, script: latin, file: german},
	{Code: "fr", Name: "French", Spaced: true, script: latin, file: french},
	{Code: "es", Name: "Spanish", Spaced: true, script: latin, file: spanish},
	{Code: "it", Name: "Italian", Spaced: true, script: latin, file: italian},
	{Code: "pt", Name: "Portuguese", Spaced: true, script: latin, file: portuguese},
	{Code: "ru", Name: "Russian", Spaced: true, script: cyrillic, file: russian},
	{Code: "ja", Name: "Japanese", script: han | kana, file: japanese},
	{Code: "zh", Name: "Chinese", script: han, file: chinese},
	{Code: "ko", Name: "Korean", script: hangul, file: korean},
}

// more are the few words of many languages by which only the next step is found.
var more = &Language{Spaced: true, file: several}

// latinWords are the words of a key in all languages with Latin letters besides English.
func latinWords(key string) *set {
	known := latinKeys.Load()
	if known == nil || (*known)[key] == nil {
		all := new(set)
		for _, l := range latinHeads.of {
			for _, word := range l.List(key) {
				all.add(word)
			}
		}
		more := map[string]*set{key: all}
		if known != nil {
			maps.Copy(more, *known)
		}
		known = &more
		latinKeys.Store(known) // of two that are stored at once one is made again
	}
	return (*known)[key]
}

// latinKeys are the keys that were asked for, which are few: a map that is replaced needs no lock.
var latinKeys atomic.Pointer[map[string]*set]

// Others yields the languages besides English that a text may be in, by its letters.
func Others(text string) iter.Seq[*Language] {
	found := scripts(text)
	return func(yield func(*Language) bool) {
		for _, l := range others {
			if l.script&found != 0 && !yield(l) {
				return
			}
		}
	}
}

// scripts returns the scripts of the letters of a text.
func scripts(text string) (found script) {
	for _, r := range text {
		switch {
		case 'a' <= r|0x20 && r|0x20 <= 'z' || 0xc0 <= r && r < 0x250 && !arithmetic(r):
			found |= latin
		case r < 0x400:
		case r < 0x530:
			found |= cyrillic
		case 0x3041 <= r && r < 0x3100:
			found |= kana
		case 0x3400 <= r && r < 0xa000 || 0xf900 <= r && r < 0xfb00:
			found |= han
		case 0x1100 <= r && r < 0x1200 || 0xac00 <= r && r < 0xd7b0:
			found |= hangul
		}
	}
	return found
}

// Unspaced reports whether a character is of a script that has no blanks between words.
// Its words are two characters long, more or less.
func Unspaced(r rune) bool {
	return r >= 0x3041 && (r < 0x3100 || 0x3400 <= r && r < 0xa000 || 0xf900 <= r && r < 0xfb00 || 0x20000 <= r && r < 0x40000)
}

// List returns the words of a key, folded.
func (l *Language) List(key string) []string { return l.entry(key).list }

// longestWord is how many bytes a word has that [Language.Has] finds.
const longestWord = 64

// Codes are the codes of all languages, English first.
func Codes() (list []string) {
	list = []string{English.Code}
	for _, l := range others {
		list = append(list, l.Code)
	}
	return list
}

// Written yields the texts of a key in each language besides English, as they are in its file.
func Written(key string) iter.Seq2[*Language, []string] {
	return func(yield func(*Language, []string) bool) {
		for _, l := range others {
			for name, list := range l.Lines {
				if name == key && !yield(l, strings.Split(list, "; ")) {
					return
				}
			}
		}
	}
}

// Prompt returns the prompt of a new document with which a text begins, "" for none.
func Prompt(text string) string {
	for _, p := range prompts()[text[:min(len(text), 3)]] {
		if strings.HasPrefix(text, p) {
			return p
		}
	}
	return ""
}

// prompts are those of all languages, by their first three bytes: code is full of braces.
var prompts = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, list := range Written("prompts") {
		for _, p := range list {
			all[p[:3]] = append(all[p[:3]], p)
		}
	}
	return all
})

// Has reports whether a word is in the list of a key. Words with other letters than those of ASCII must be folded.
func (l *Language) Has(key, word string) bool { return l.entry(key).set.has(word) }

// entry is that of a key, an empty one if the language has none.
func (l *Language) entry(key string) *entry {
	l.once.Do(l.read)
	e := l.keys[key]
	if e == nil {
		return new(entry)
	}
	e.once.Do(func() {
		e.list, e.set = strings.Split(l.Fold(e.text), ";"), new(set)
		for i, word := range e.list {
			e.list[i] = strings.TrimPrefix(word, " ")
			e.set.add(e.list[i])
		}
	})
	return e
}

// read finds the keys in the file of the language. Tests check its form.
func (l *Language) read() {
	most := strings.Count(l.file, "\n")
	l.keys = make(map[string]*entry, most)
	entries := make([]entry, 0, most) // one allocation: for most texts five languages are read
	for key, list := range l.Lines {
		if e := l.keys[key]; e != nil {
			e.text += "; " + list
			continue
		}
		entries = append(entries, entry{text: list})
		l.keys[key] = &entries[len(entries)-1]
	}
}

// opens reports whether a word is the first one of a phrase about the next step.
func (l *Language) opens(word string) bool {
	l.firsts.Do(func() {
		l.first = map[string]bool{}
		for _, key := range [...]string{"next", "resume", "priority", "left", "advice"} {
			for _, w := range l.List(key) {
				l.first[w[:len(w)-len(strings.TrimLeftFunc(w, letter))]] = true
			}
		}
	})
	return l.first[word]
}

// Lines yields the keys of the file, each with its words as they are written there.
func (l *Language) Lines(yield func(key, list string) bool) {
	for rest := l.file; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if key, list, ok := strings.Cut(line, ": "); ok && line[0] != '#' && !yield(key, list) {
			return
		}
	}
}

// Fold is [Fold], and without blanks where they separate no words.
func (l *Language) Fold(text string) string {
	if text = Fold(text); !l.Spaced {
		text = strings.ReplaceAll(text, " ", "")
	}
	return text
}

// Fold makes texts equal that authors write in different ways: case, accents, wide forms of
// ASCII, and the form of an apostrophe.
func Fold(text string) string {
	if ascii(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if 0xff01 <= r && r <= 0xff5e {
			r -= 0xfee0
		}
		switch {
		case r < 0x80:
			if 'A' <= r && r <= 'Z' {
				r |= 0x20
			}
			b.WriteByte(byte(r))
		case r == 'ß':
			b.WriteString("ss")
		case 0xc0 <= r && r < 0x180 && plain[r-0xc0] != '.':
			b.WriteByte(plain[r-0xc0])
		case 0x300 <= r && r < 0x370: // an accent of its own
		case 0x400 <= r && r < 0x460:
			b.WriteRune(smallCyrillic(r))
		case r == '’' || r == '‘' || r == 'ʼ':
			b.WriteByte('\'')
		case r == 0x3000 || r == 0xa0 || r == 0x202f:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain are the letters from À on, small and without their accents; a dot for those that stay.
const plain = "aaaaaaaceeeeiiiidnooooo.ouuuuyt.aaaaaaaceeeeiiiidnooooo.ouuuuytyaaaaaaccccccccddddeeeeeeeeeegggg" +
	"gggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"

// smallCyrillic returns a Cyrillic letter as a small one, and without an accent.
func smallCyrillic(r rune) rune {
	switch {
	case r < 0x410:
		r += 0x50
	case r < 0x430:
		r += 0x20
	}
	switch r {
	case 'ё':
		return 'е'
	case 'й':
		return 'и'
	}
	return r
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
