// Package claims finds what a document states of the work, on which a successor would build: that tests pass, that a branch
// is merged, that a file holds the result. What is wished, asked or quoted is no claim.
//
// It knows texts. Whether a claim is true, and what to say of it, it does not know.
package claims

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"handoff/document/evidence"
	"handoff/document/handoff"
	"handoff/document/seen"
	"handoff/document/words"
	"handoff/internal/text/prose"
)

// Kind is what a claim is about.
type Kind uint8

// The kinds. A program can look up those from File on; the others need somebody's word or a command.
const (
	Tests     Kind = iota // tests, a build or a suite pass
	Merged                // a branch or a pull request was merged
	Pushed                // commits were pushed
	Published             // something was deployed or released
	Closed                // an issue is closed
	Owner                 // work belongs to somebody
	Works                 // a feature works
	Checked               // somebody tried it by hand
	Migrated              // a migration ran
	Measured              // how much the tests cover, how fast it is
	File                  // Path holds something
	Absent                // Path does not exist yet
	Line                  // Path has the line Number
	Count                 // Path has Number lines
	Commit                // there is a commit Name
	Branch                // there is a branch Name
	Placed                // Said is at the line Number of Path, anywhere in it if that is 0
	Files                 // the folder Path has Number files
	Titled                // the commit Name did what is Said
	Unmerged              // the branch Name is not in the main branch yet
	Gone                  // Path was deleted
	Renamed               // the file Said is Path now
	Tagged                // there is a tag Name, at the commit Said if that is not empty
)

// String says what a document claims, after "says that".
func (k Kind) String() string {
	return [...]string{"tests pass", "something was merged", "something was pushed", "something was released", "an issue is closed", "work belongs to somebody",
		"something works", "somebody tried it by hand", "a migration ran", "something was measured",
		"a file holds something", "a file does not exist yet", "a file has a line", "a file has a number of lines", "there is a commit", "there is a branch",
		"something is in a file", "a folder has a number of files", "a commit did something", "a branch is not merged", "a file was deleted", "a file was renamed", "there is a tag"}[k]
}

// Asserted reports whether nothing in the workspace shows if a claim of this kind is true.
func (k Kind) Asserted() bool { return k < File }

// Claim is a sentence that states how the work is, and on which a successor would build.
type Claim struct {
	Kind    Kind
	Lines   handoff.Lines
	Section handoff.Kind
	Text    string // the sentence
	Path    string // relative, with forward slashes
	Name    string // of a commit or branch; of Merged and Pushed the one that they name, or ""
	Number  int
	Said    string         // a name or text in a file, what a commit did, the old name of a file, the commit of a tag, the branch that another was merged into, the path beside a doubtful File
	Exact   bool           // of Titled: in quotation marks
	Marked  bool           // the item or paragraph ends with a mark, which says how it was checked
	Mark    *evidence.Mark // that mark, if it can be read
	Block   handoff.Lines  // of the item or paragraph
	Kinds   seen.Kinds     // of Tests: what has to run to show it; 0 if that runs elsewhere, as CI does

	// Doubtful is a claim that is found by what it names and where, not by its verb: it counts only if it is not so, and
	// that of a File only if its first folder is here.
	Doubtful bool

	at  int  // in the text of the item or paragraph
	row bool // of a table
}

// In yields the claims of a document. What is asked, wished, quoted or still to be shown is none. With
// assertedOnly, those that can be looked up are left out, as are all but the first of an item or a paragraph, and the document is not read for them.
func In(doc *handoff.Document, assertedOnly bool) iter.Seq[Claim] {
	return func(yield func(Claim) bool) { each(doc, assertedOnly, yield) }
}

func each(doc *handoff.Document, assertedOnly bool, yield func(Claim) bool) {
	r := readings.Get().(*reading)
	defer readings.Put(r)
	*r = reading{other: OtherLanguage(doc), all: !assertedOnly, words: r.words}
	for s := range doc.Parts {
		if s.Kind != handoff.References && !r.section(doc, s, yield) {
			return
		}
	}
}

// readings are those that have ended, whose words need no new memory.
var readings = sync.Pool{New: func() any { return new(reading) }}

// reading is one reading of a document.
type reading struct {
	other bool // it may be in another language than English
	all   bool // also what can be looked up

	in      *handoff.Section // that is read
	heading string           // above what is read
	below   bool             // it is a heading below that of the section
	words   []token          // of the sentence that is read
	asked   *handoff.Section // the last one of which it is known whether it says what is to be done
	coming  bool
}

// section yields the claims of a section.
func (r *reading) section(doc *handoff.Document, s *handoff.Section, yield func(Claim) bool) bool {
	r.in, r.heading, r.below = s, s.Heading.Text, false
	items := s.Items
	for _, b := range s.Blocks {
		switch b.Kind {
		case handoff.Subheading:
			r.heading, r.below = strings.Trim(doc.Line(b.Lines.First), "# "), true
		case handoff.Paragraph:
			if !r.paragraph(Claim{Lines: b.Lines, Section: s.Kind, Text: doc.Text(b.Lines)}, yield) {
				return false
			}
		case handoff.List:
			for len(items) > 0 && items[0].Lines.Last <= b.Lines.Last {
				it := &items[0]
				items = items[1:]
				box := checkbox(it.Text)
				if it.Text != "" && (box == 'x' || box == 0) && !r.text(Claim{Lines: it.Head, Section: s.Kind, Text: it.Text}, box == 'x', yield) {
					return false
				}
			}
		}
	}
	return true
}

// announces reports whether the section says what is to be done: there, only what is past is a claim.
func (r *reading) announces() bool {
	if r.asked != r.in {
		r.asked, r.coming = r.in, r.in.Kind == handoff.NextAction || r.in.Kind == handoff.Other && words.Step(r.in.Heading.Text) == words.Announces
	}
	return r.coming
}

// planned reports whether a claim is in a section about what is to be done and not in the past: how it shall be. What was tried
// in vain worked, too.
func (r *reading) planned(c Claim) bool {
	switch c.Kind {
	case Tests:
		return r.announces() && !past(c.Text)
	case Works, Checked, Migrated, Measured:
		return r.in.Kind == handoff.DeadEnds || r.announces() && !past(c.Text)
	}
	return false
}

// criteria reports whether what is below the heading is still to be shown. Few texts have a claim, and only for these it is
// asked: the words of all languages are compared.
func (r *reading) criteria() bool {
	return words.Criteria(r.heading) || r.below && words.Step(r.heading) == words.Announces
}

// mayAssert is [mayState], and none for what names its line in a transcript, as a draft does: that shows it.
func mayAssert(text string) finders {
	may := mayState(text)
	if may == 0 {
		return 0 // first: most texts
	}
	if i := strings.Index(text, ".jsonl:"); i >= 0 && prose.DigitAt(text, i+len(".jsonl:")) {
		return 0
	}
	return may
}

// text yields the claims of a paragraph or an item, which at has. Below criteria, only what is ticked is shown.
func (r *reading) text(at Claim, ticked bool, yield func(Claim) bool) bool {
	var found []Claim
	may := mayAssert(at.Text)
	if may == 0 && !r.other && !r.all {
		return true
	}
	if i := r.passing(at.Text, may); i >= 0 && (!r.announces() || past(at.Text[:i])) {
		sentence := sentenceAt(at.Text, i)
		if r.words = appendTokens(r.words[:0], sentence); !failing(r.words) && !ordered(r.words) {
			found = append(found, Claim{Kind: Tests, Text: sentence, Kinds: kindsOf(r.words, sentence), at: i})
		}
	}
	if r.all || may&^byVerdict != 0 && len(found) == 0 {
		for offset, sentence := range sentences(at.Text) {
			if len(sentence) < len(at.Text) {
				may = mayAssert(sentence)
			}
			if may&^byVerdict == 0 && !r.all {
				continue
			}
			for _, c := range r.said(sentence, may) {
				if c.Kind == Tests && len(found) > 0 && strings.HasSuffix(found[0].Text, c.Text) || r.planned(c) {
					continue // it passes, or shall
				}
				c.at = offset + len(sentence) - len(strings.TrimLeft(sentence, " \n"))
				found = append(found, c)
			}
		}
	}
	if r.other && !r.announces() && !slices.ContainsFunc(found, func(c Claim) bool { return c.Kind.Asserted() && !c.Doubtful }) {
		found = withOthers(found, inOtherLanguage(at.Text))
	}
	if len(found) == 0 || !ticked && r.criteria() {
		return true
	}
	_, mark, err := evidence.Split(at.Text)
	for _, c := range found {
		if name, _, ok := cutLabel(c.Text); ok && !strings.Contains(name, "(") && words.Criteria(name) {
			continue
		}
		n := at.Lines.First + strings.Count(at.Text[:c.at], "\n")
		c.Lines, c.Section, c.Marked = handoff.Lines{First: n, Last: n}, at.Section, mark != nil || err != nil
		c.Mark, c.Block = mark, at.Lines
		if !yield(c) {
			return false
		}
	}
	return true
}

// passing is the offset of a claim in a text that tests pass, -1 if there is none.
func (r *reading) passing(text string, may finders) int {
	if may&byVerdict == 0 {
		return -1
	}
	return saysPassing(text)
}

// past reports whether the words before a verdict tell what was.
func past(before string) bool {
	for _, word := range strings.Fields(lastSentence(before)) {
		if prose.OneOf(word, "were", "was", "have", "has", "had", "did") {
			return true
		}
	}
	return false
}

// checkbox is the sign in the box at the start of an item: a blank, an x, or 0 for none.
func checkbox(text string) byte {
	if len(text) < len("[ ]") || text[0] != '[' || text[2] != ']' {
		return 0
	}
	if text[1] == 'X' {
		return 'x'
	}
	return text[1]
}

// sentences yields the sentences of a text with their offsets: a point, a question mark or a semicolon before a blank ends one,
// with the marks that close what it is in, outside of code, and a new line that begins with the mark of a label.
func sentences(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		from := 0
		for at := 0; at < len(text); at++ {
			end := 0
			switch text[at] {
			case '`':
				at = prose.AfterCode(text, at) - 1
			case '.', '!', '?', ';':
				end = closes(text, at+1)
			case '\n':
				if strings.HasPrefix(text[at+1:], "**") || begins(text, at) {
					end = at + 1
				}
			}
			if end > 0 {
				if !yield(from, text[from:end]) {
					return
				}
				from, at = end, end-1
			}
		}
		if strings.TrimSpace(text[from:]) != "" {
			yield(from, text[from:])
		}
	}
}

// closes is the offset after the marks at an offset that close emphasis or a parenthesis, 0 if no blank follows them.
func closes(text string, at int) int {
	for at < len(text) && strings.IndexByte("*_)", text[at]) >= 0 {
		at++
	}
	if at == len(text) || text[at] == ' ' || text[at] == '\n' {
		return at
	}
	return 0
}

// sentenceAt is the sentence of a text at an offset.
func sentenceAt(text string, offset int) string {
	for from, sentence := range sentences(text) {
		if offset < from+len(sentence) {
			return strings.TrimSpace(sentence)
		}
	}
	return strings.TrimSpace(text)
}
