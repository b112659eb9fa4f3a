package claims

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"handoff/internal/text/prose"
)

//go:embed forms.txt
var formsText string

// form is what a sentence says, and its words.
type form struct {
	kind  Kind
	words []formWord
}

// formWord is a word of a form: one of several, or a place for a name.
type formWord struct {
	place    string // "" for words
	words    []string
	optional bool
}

// formKinds are the kinds of the headings of forms.txt.
var formKinds = map[string]Kind{"[gone]": Gone, "[absent]": Absent, "[renamed]": Renamed, "[placed]": Placed, "[files]": Files, "[exists]": File,
	"[unmerged]": Unmerged, "[merged]": Merged, "[pushed]": Pushed, "[tagged]": Tagged}

// formList are the forms of forms.txt.
var formList = sync.OnceValue(func() (list []form) {
	var kind Kind
	for line := range strings.Lines(formsText) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			kind = formKinds[line]
		default:
			f := form{kind: kind}
			for _, word := range strings.Fields(line) {
				w := formWord{optional: word[0] == '('}
				if word = strings.Trim(word, "()"); word == "." || strings.ToUpper(word) == word {
					w.place = word
				} else {
					w.words = strings.Split(word, "|")
				}
				f.words = append(f.words, w)
			}
			list = append(list, f)
		}
	}
	return list
})

// formed is what a whole sentence says of a thing that it names. A sentence of another form is none.
func formed(text string, list []token) (c Claim, ok bool) {
	if anyElsewhere(list) {
		return c, false
	}
	from := 0
	for from < len(list) && !list[from].code && (prose.OneOf(list[from].text, "", "the", "a", "an", "also", "and", "then", "now", "currently") || strings.HasSuffix(list[from].raw, ":") || strings.HasSuffix(list[from].raw, ":**")) {
		from++
	}
	for _, f := range formList() {
		c = Claim{Kind: f.kind, Text: text}
		if f.fits(list, from, f.words, &c) {
			return c, true
		}
	}
	return c, false
}

// anyElsewhere reports whether a sentence is about another repository or another time.
func anyElsewhere(list []token) bool {
	for _, t := range list {
		if !t.code && prose.OneOf(t.text, "upstream", "external", "elsewhere", "another", "if", "once", "until", "unless", "should", "will", "would", "example", "e.g", "temporarily", "locally") {
			return true
		}
	}
	return false
}

// fits reports whether words of a form are those of a sentence from an index on, and notes the names.
func (f form) fits(list []token, i int, words []formWord, c *Claim) bool {
	if len(words) == 0 {
		return true
	}
	w := words[0]
	if w.optional {
		if i < len(list) && !list[i].code && prose.OneOf(list[i].text, w.words...) && f.fits(list, i+1, words[1:], c) {
			return true
		}
		return f.fits(list, i, words[1:], c)
	}
	next := w.match(list, i, c)
	return next >= 0 && f.fits(list, next, words[1:], c)
}

// match returns the index after the words that a word of a form matches, -1 if it does not fit.
func (w formWord) match(list []token, i int, c *Claim) int {
	switch {
	case w.place == ".":
		if i == len(list) || i > 0 && (strings.ContainsAny(list[i-1].raw[len(list[i-1].raw)-1:], ".,;:!)") || prose.OneOf(list[i].text, afterClause...)) {
			return i
		}
		return -1
	case i >= len(list):
		return -1
	case w.place == "BE":
		return afterBe(list, i)
	case w.place == "" && !list[i].code && prose.OneOf(list[i].text, w.words...), w.place != "" && names(w.place, list, i, c):
		return i + 1
	}
	return -1
}

// afterClause are words that may follow what was said of a thing and do not change it.
var afterClause = []string{"in", "by", "with", "as", "because", "since", "when", "for", "yesterday", "today", "already", "now", "again", "too", "here", "and", "so", "earlier", "entirely", "completely", "this", "last", "any", ""}

// afterBe is the index after a form of "to be" or "to have", and adverbs; -1 if there is none.
func afterBe(list []token, i int) int {
	if list[i].code || !prose.OneOf(list[i].text, "is", "are", "was", "were", "got", "has", "have", "had") {
		return -1
	}
	for i++; i < len(list) && !list[i].code && prose.OneOf(list[i].text, "been", "now", "already", "also", "still", "just", "since", "finally", "recently", "fully", "completely", "successfully"); i++ {
	}
	return i
}

// shapes are the forms of names of programs, and of git.
var shapes = sync.OnceValue(func() (f struct{ name, branch, tag, dir *regexp.Regexp }) {
	f.name = regexp.MustCompile(`^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*[?!]?(?:\(\))?$`)
	f.branch = regexp.MustCompile(`^[A-Za-z0-9][\w.+-]*(?:/[\w.+-]+)*$`)
	f.tag = regexp.MustCompile(`^[A-Za-z0-9][\w.+/-]*\d[\w.+-]*$`)
	f.dir = regexp.MustCompile(`^(?:\./)?[\w.@-]+(?:/[\w.@-]+)*/?$`)
	return f
})

// names reports whether a word is a name of a sort, and notes it.
func names(place string, list []token, i int, c *Claim) bool {
	t, f := list[i], shapes()
	name := spanOf(t)
	switch place {
	case "PATH", "OLD", "NEW", "AT":
		p, ok := pathAt(list, i)
		if !ok || (place == "AT") != (p.Line > 0) || strings.Contains(p.Text, "://") {
			return false
		}
		if place == "OLD" {
			c.Said = p.Text
			return true
		}
		c.Path = p.Text
		if p.Line > 0 {
			c.Number = p.Line
		}
		return true
	case "DIR":
		c.Path = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
		return f.dir.MatchString(name) && (t.code || strings.Contains(name, "/"))
	case "N":
		c.Number = count(t.text)
		return c.Number > 0
	case "SPAN", "NAME":
		c.Said = name
		if _, ok := pathAt(list, i); ok && place == "NAME" {
			return false
		}
		return t.code && len(name) > 2 && (place == "SPAN" || f.name.MatchString(name))
	case "COMMIT":
		c.Said = strings.TrimPrefix(t.text, "@")
		return commitForm(c.Said)
	case "BRANCH":
		c.Name = name
		return f.branch.MatchString(name) && (t.code || strings.ContainsAny(name, "/-")) && !isMain(name) && !commitForm(name)
	case "TAG":
		c.Name = name
		return f.tag.MatchString(name) && (t.code || versionForm(name))
	case "MAIN":
		c.Said = strings.TrimPrefix(name, "origin/")
		return isMain(c.Said) || f.branch.MatchString(name) && (t.code || strings.ContainsAny(name, "/-.0123456789"))
	}
	return false
}

func isMain(name string) bool { return prose.OneOf(name, "main", "master", "trunk") }

// spanOf is what is in the code span of a word, else the word without marks around it.
func spanOf(t token) string {
	from, to := strings.IndexByte(t.raw, '`'), strings.LastIndexByte(t.raw, '`')
	if !t.code || from < 0 || to <= from {
		return t.name()
	}
	return strings.TrimSpace(strings.Trim(t.raw[from:to], "`"))
}
