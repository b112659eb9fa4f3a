package claims

import (
	"iter"
	"slices"
	"strings"

	"handoff/document/words"
	"handoff/internal/text/prose"
)

// otherStates are what a sentence in another language than English can state, besides that tests pass: the key of its words,
// and what it has to name. The first that fits counts.
var otherStates = [...]struct {
	key  string
	kind Kind
	of   func(s *otherSentence, c *Claim) bool
}{
	{"unmerged", Unmerged, (*otherSentence).branch},
	{"absent", Absent, (*otherSentence).path},
	{"renamed", Renamed, (*otherSentence).paths},
	{"deleted", Gone, (*otherSentence).path},
	{"merged", Merged, (*otherSentence).work},
	{"pushed", Pushed, (*otherSentence).work},
	{"deployed", Published, (*otherSentence).anything},
	{"closed", Closed, (*otherSentence).issue},
	{"defined", Placed, (*otherSentence).nameIn},
	{"holds", File, (*otherSentence).path},
	{"by_hand", Checked, (*otherSentence).anything},
	{"works", Works, (*otherSentence).ends},
}

// otherSentence is a sentence in another language than English.
type otherSentence struct {
	text  string
	plain string   // without what is in code or in quotation marks
	code  []string // what is in code

	language *words.Language
	rest     string // folded, without the words of the key
	after    string // of that, what comes after them
}

// inOtherLanguage are the claims of a text in another language than English.
func inOtherLanguage(text string) (found []Claim) {
	if !words.MayState(text) && !anyCount(text, whole) {
		return nil
	}
	at := 0
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("。！；;!\n·", r) }) {
		at += strings.Index(text[at:], sentence)
		for part := range strings.SplitSeq(sentence, ". ") {
			name, value, labelled := cutLabel(part)
			if strings.ContainsAny(part, "?？") || labelled && words.Criteria(name) {
				continue
			}
			s := &otherSentence{text: part}
			s.read()
			c, ok := s.claim()
			if !ok && labelled {
				c, ok = ownedBy(name, value)
			}
			if ok {
				c.Text, c.at = strings.TrimSpace(part), at
				found = append(found, c)
			}
		}
	}
	return found
}

// withOthers adds claims in another language to those that were found by what they are about, which say less of the same path or branch.
func withOthers(found, others []Claim) []Claim {
	for _, other := range others {
		found = slices.DeleteFunc(found, func(c Claim) bool { return c.Doubtful && strings.Contains(other.Text, c.Path+c.Name) })
	}
	return append(found, others...)
}

// read makes the text plain. A command that checks, and a whole count, are there by the words that all languages have for them.
func (s *otherSentence) read() {
	var b strings.Builder
	for at := 0; at < len(s.text); {
		end := prose.AfterCode(s.text, at)
		if s.text[at] != '`' || end == at+1 {
			if end = afterQuotes(s.text, at); end == at {
				b.WriteByte(s.text[at])
				at++
				continue
			}
		} else if span := strings.Trim(s.text[at:end], "` "); span != "" {
			s.code = append(s.code, span)
			if span[0] != '/' && checker(token{text: strings.ToLower(span), code: true}) {
				b.WriteString(" ci")
			}
		}
		b.WriteString(" , ")
		at = end
	}
	s.plain = b.String()
	for count := range counts(s.text) {
		if whole(count) {
			s.plain = strings.Replace(s.plain, count, " ok ", 1)
		}
	}
}

// counts yields the numbers of a text, and those with a slash between.
func counts(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return r != '/' && (r < '0' || r > '9') })
}

// anyCount reports whether one of the counts of a text is so.
func anyCount(text string, is func(string) bool) bool {
	for count := range counts(text) {
		if is(count) {
			return true
		}
	}
	return false
}

// afterQuotes is the end of a quotation that begins at an offset, the offset if none does.
func afterQuotes(text string, at int) int {
	for _, marks := range [...][2]string{{"\"", "\""}, {"„", "“"}, {"“", "”"}, {"「", "」"}, {"『", "』"}, {"«", "»"}} {
		if rest, begins := strings.CutPrefix(text[at:], marks[0]); begins {
			if end := strings.Index(rest, marks[1]); end >= 0 {
				return at + len(marks[0]) + end + len(marks[1])
			}
		}
	}
	return at
}

// claim is what the sentence states. A wish or a condition states nothing.
func (s *otherSentence) claim() (c Claim, ok bool) {
	list := tokens(s.text)
	if words.OtherPassing(s.plain) && !failing(list) && !anyCount(s.text, part) {
		return Claim{Kind: Tests, Kinds: kindsOf(list, s.text)}, true
	}
	folded := words.Fold(s.plain)
	for i := range otherStates {
		state := &otherStates[i]
		for s.language = range words.Others(folded) {
			text := s.language.Fold(folded)
			if s.rest, s.after, ok = s.language.Said(state.key, text); !ok || s.language.Wishes(s.rest) || s.inLabel() {
				continue
			}
			if c = (Claim{Kind: state.kind}); state.of(s, &c) {
				return c, true
			}
		}
	}
	return c, false
}

// inLabel reports whether the sentence begins with the words of the key, in a label that goes on: "マージ済み SRT: x.srt" says what a file is.
func (s *otherSentence) inLabel() bool {
	name, value, labelled := cutLabel(s.after)
	return labelled && strings.Trim(strings.TrimSuffix(s.rest, s.after), " *_-") == "" && !strings.HasPrefix(value, "//") && strings.Trim(name, " *_,)") != ""
}

func (s *otherSentence) anything(*Claim) bool { return true }

// work: what was merged or pushed is named, a branch, a number, a commit, or it is said to be one.
func (s *otherSentence) work(c *Claim) bool {
	if _, _, on := s.language.Said("worked_on", s.rest); !on && !strings.ContainsAny(s.text, "`#") && !strings.Contains(s.text, "main") && !strings.Contains(s.text, "origin") && !strings.Contains(s.text, "master") {
		return false
	}
	c.Name = s.named()
	return true
}

// named is the commit or the branch that the sentence names, if it is in code too without a word beside it.
func (s *otherSentence) named() string {
	if name := named(tokens(s.text)); name != "" {
		return name
	}
	for _, span := range s.code {
		if commitForm(span) || !isMain(span) && !strings.Contains(span, ".") && strings.Contains(span, "/") && shapes().branch.MatchString(span) && !strings.HasPrefix(span, "origin/") {
			return span
		}
	}
	return ""
}

func (s *otherSentence) branch(c *Claim) bool {
	c.Name = s.named()
	return c.Name != "" && !commitForm(c.Name)
}

// issue: the sentence has the number of an issue.
func (s *otherSentence) issue(*Claim) bool {
	for at := strings.IndexByte(s.text, '#'); at >= 0 && at+1 < len(s.text); at++ {
		if s.text[at] == '#' && prose.DigitAt(s.text, at+1) {
			return true
		}
	}
	list := tokens(s.text)
	return anyIs(list, 0, issueForm)
}

// inside are the paths of the sentence that are in the workspace.
func (s *otherSentence) inside() (list []prose.Path) {
	for p := range prose.Paths(s.text) {
		if t := []token{{raw: "`" + p.Text + "`", code: true}}; !strings.Contains(p.Text, "://") {
			if of, ok := pathAt(t, 0); ok {
				of.Line = p.Line
				list = append(list, of)
			}
		}
	}
	return list
}

func (s *otherSentence) path(c *Claim) bool {
	list := s.inside()
	if len(list) == 0 {
		return false
	}
	c.Path = list[0].Text
	return true
}

// paths: the old name of a file is before the new one.
func (s *otherSentence) paths(c *Claim) bool {
	list := s.inside()
	if len(list) != 2 {
		return false
	}
	c.Said, c.Path = list[0].Text, list[1].Text
	return true
}

// nameIn: a name of a program is in the only file that is named.
func (s *otherSentence) nameIn(c *Claim) bool {
	list := s.inside()
	if len(list) != 1 {
		return false
	}
	c.Path, c.Number = list[0].Text, list[0].Line
	for _, span := range s.code {
		if span != c.Path && len(span) > 2 && shapes().name.MatchString(span) {
			c.Said = span
			return true
		}
	}
	return false
}

// ends: the sentence ends with its verb, and does not say how something is.
func (s *otherSentence) ends(*Claim) bool {
	_, _, how := s.language.Said("manner", s.rest)
	after := strings.TrimLeft(s.after, " *_)")
	before := strings.TrimRight(strings.TrimSuffix(s.rest, s.after), " ")
	if strings.HasSuffix(before, " no") { // in a language that has the same verb, "no" is "in the"
		return false
	}
	return !how && (!s.language.Spaced || after == "" || strings.IndexByte(",.(", after[0]) >= 0)
}

// ownedBy is the claim of a label that says who has something, before a name.
func ownedBy(name, value string) (c Claim, ok bool) {
	const most = 40 // bytes of a name
	value = strings.Trim(value, " *_.")
	for l := range words.Others(words.Fold(name)) {
		ok = ok || l.Has("owner", l.Fold(name))
	}
	return Claim{Kind: Owner}, ok && value != "" && len(value) <= most && !strings.ContainsAny(value, "`,;:=|/→") && !words.IsNone(value)
}

// otherChecks returns whether a sentence in another language than English speaks of a build, or of checks that run elsewhere.
func otherChecks(sentence string) (build, remote bool) {
	folded := words.Fold(sentence)
	for l := range words.Others(folded) {
		text := l.Fold(folded)
		_, _, builds := l.Said("building", text)
		_, _, runs := l.Said("remote_checks", text)
		build, remote = build || builds, remote || runs
	}
	return build, remote
}
