package claims

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"handoff/document/words"
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

// formTable has the forms of forms.txt. Those of a whole sentence are found by the words that they may begin with, or begin with a
// name; those that may be anywhere in one by their word with a star.
type formTable struct {
	begins   map[string][]form
	named    []form
	anywhere map[string][]form
}

// add adds a form of a whole sentence.
func (table *formTable) add(f form) {
	for _, w := range f.words {
		for _, word := range w.words {
			table.begins[word] = append(table.begins[word], f)
		}
		if w.place != "" {
			table.named = append(table.named, f)
		}
		if !w.optional {
			return
		}
	}
}

// formKinds are the kinds of the headings of forms.txt.
var formKinds = map[string]Kind{"[gone]": Gone, "[absent]": Absent, "[renamed]": Renamed, "[placed]": Placed, "[files]": Files, "[exists]": File,
	"[unmerged]": Unmerged, "[merged]": Merged, "[pushed]": Pushed, "[tagged]": Tagged,
	"[tests]": Tests, "[published]": Published, "[closed]": Closed, "[owner]": Owner, "[works]": Works}

var forms = sync.OnceValue(func() *formTable {
	table, kind := &formTable{begins: map[string][]form{}, anywhere: map[string][]form{}}, Tests
	for line := range strings.Lines(formsText) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			kind = formKinds[line]
		default:
			f, keys := form{kind: kind}, []string(nil)
			for _, word := range strings.Fields(line) {
				w := formWord{optional: word[0] == '('}
				word = strings.Trim(word, "()")
				if prose.OneOf(word, ".", ";", ":") || strings.Trim(word, capitals) == "" {
					w.place = word
				} else {
					w.words = strings.Split(strings.TrimPrefix(word, "*"), "|")
				}
				if word[0] == '*' {
					keys = w.words
				}
				f.words = append(f.words, w)
			}
			for _, key := range keys {
				table.anywhere[key] = append(table.anywhere[key], f)
			}
			if keys == nil {
				table.add(f)
			}
		}
	}
	return table
})

// anywhere is the kind of a form that is somewhere in a sentence, with nothing before it that makes it a wish or its contrary.
func anywhere(list []token) (kind Kind, ok bool) {
	const most = 8 // words of a form before that with the star
	for key := range list {
		if !list[key].is(wordForm|wordIssueForm) || list[key].quoted {
			continue
		}
		for _, f := range forms().anywhere[list[key].text] {
			for i := max(0, key-most); i <= key; i++ {
				if f.fits(list, i, f.words, &Claim{}) && declared(list, i) && !negated(list, i) && (f.kind == Tests || !nothing(list, i)) {
					return f.kind, true
				}
			}
		}
	}
	return 0, false
}

// formed is what a whole sentence says of a thing that it names. A sentence of another form is none.
func formed(text string, list []token) (c Claim, ok bool) {
	if anyElsewhere(list) {
		return c, false
	}
	for from := range list {
		for _, f := range forms().of(list[from]) {
			c = Claim{Kind: f.kind, Text: text}
			if f.fits(list, from, f.words, &c) {
				return c, true
			}
		}
		if t := list[from]; t.code || t.text != "" && !prose.OneOf(t.text, "and", "then") && !words.English.Has("no_more", t.text) && !words.English.Has("name_of", t.text) && !labels(t) {
			break
		}
	}
	return c, false
}

// of are the forms that a word may begin.
func (table *formTable) of(t token) []form {
	if list := table.begins[t.text]; list != nil && !t.code {
		return list
	}
	if t.code || isMain(t.text) || strings.ContainsAny(t.name(), "/.-_0123456789") {
		return table.named
	}
	return nil
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

// fits reports whether words of a form are those of a sentence from an index on, and notes the names. Between them may be words
// that say no more.
func (f form) fits(list []token, i int, rest []formWord, c *Claim) bool {
	if len(rest) == 0 {
		return true
	}
	w := rest[0]
	for at := i; ; at++ {
		if next := w.match(list, at, c); next >= 0 && f.fits(list, next, rest[1:], c) {
			return true
		}
		if len(rest) == len(f.words) || at >= len(list) || !saysNoMore(list[at], w) {
			break
		}
	}
	return w.optional && f.fits(list, i, rest[1:], c)
}

// saysNoMore reports whether a word before one of a form says nothing else than the form: an article, an adverb, before a name
// what it is a name of, and a dash.
func saysNoMore(t token, w formWord) bool {
	if t.code {
		return false
	}
	return t.text == "" && w.place != "." || words.English.Has("no_more", t.text) || prose.OneOf(w.place, "PATH", "OLD", "NEW", "AT", "DIR", "SPAN", "NAME", "BRANCH", "TAG", "MAIN", "ISSUE", "COMMIT") && words.English.Has("name_of", t.text)
}

// match returns the index after the words that a word of a form matches, -1 if it does not fit.
func (w formWord) match(list []token, i int, c *Claim) int {
	switch {
	case w.place == ".":
		if i == len(list) || i > 0 && (strings.ContainsAny(list[i-1].raw[len(list[i-1].raw)-1:], ".,;:!)") || prose.OneOf(list[i].text, afterClause...)) {
			return i
		}
		return -1
	case w.place == ";":
		if i > 0 && ends(list, i-1) {
			return i
		}
		return -1
	case i >= len(list):
		return -1
	case w.place == ":":
		if i > 0 && labels(list[i-1]) {
			return i
		}
		return -1
	case w.place == "BE":
		return afterBe(list, i)
	case w.place == "WHO":
		return afterWho(list, i)
	case w.place == "ERRAND":
		return afterErrand(list, i)
	case w.place == "THING":
		return afterThing(list, i)
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
	for i++; i < len(list) && !list[i].code && list[i].text == "been"; i++ {
	}
	return i
}

// afterWho is the index after the name of a person, or of a team: "the platform team"; -1 if there is none.
func afterWho(list []token, i int) int {
	if labels(list[i]) || list[i].in("components") {
		return -1 // "Orchestrator: owns its state"
	}
	if isName(list[i]) && list[i].text != "the" && tokenAt(list, i+1).text != "team" {
		return i + 1
	}
	for k := i + 1; k < min(i+4, len(list)) && !list[k].code; k++ {
		if prose.OneOf(list[k].text, "team", "squad", "group", "guild", "crew") {
			return k + 1
		}
	}
	return -1
}

// afterErrand is the index after a piece of work, with up to two words before it: "the billing work"; -1 if there is none.
func afterErrand(list []token, i int) int {
	for k := i; k < min(i+3, len(list)); k++ {
		if errand(list[k]) {
			return k + 1
		}
	}
	return -1
}

// afterThing is the index after what somebody may have: a path, a name in code, a piece of work, or a thing with its article; -1 if there is none.
func afterThing(list []token, i int) int {
	article := prose.OneOf(list[i].text, "the", "our", "all", "this", "that")
	if article && i+1 < len(list) {
		i++
		for k := i; k < min(i+3, len(list)); k++ {
			if labels(list[k]) {
				return k + 1 // "the deployment scripts: Ann"
			}
		}
	}
	t := list[i]
	if _, path := pathAt(list, i); !path && !t.code && !errand(t) && !strings.Contains(strings.TrimRight(t.name(), "/"), "/") && !strings.HasSuffix(t.name(), "/") && !article {
		return -1
	}
	for i++; i < len(list) && prose.OneOf(list[i].text, "folder", "directory", "package", "module", "file", "service", "code") && !ends(list, i-1); i++ {
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
	case "ISSUE":
		return isIssue(list, i)
	case "VERSION":
		return versionForm(name)
	case "ADDRESS":
		return strings.Contains(t.raw, "://") || strings.Contains(strings.TrimRight(name, "."), ".") && !t.code
	case "PLACES":
		return t.is(wordPlaces)
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
