package handoff

import (
	"sort"
	"strings"

	"handoff/document/words"
)

// Lines is a range of lines, counted from 1, including both ends. The zero
// value is no lines.
type Lines struct{ First, Last int }

// Count is the number of lines in the range.
func (l Lines) Count() int {
	if l.First == 0 {
		return 0
	}
	return l.Last - l.First + 1
}

// Has reports whether line n is in the range.
func (l Lines) Has(n int) bool { return l.First != 0 && l.First <= n && n <= l.Last }

// Document is a parsed handoff document. Every part knows its lines. Package
// parse makes it and never fails; what it could not read is in Problems.
type Document struct {
	Source   string    // the bytes of the file
	Front    *Front    // nil if there is no frontmatter
	Title    Heading   // the first-level heading before all sections; zero if there is none
	Preamble Section   // between title and first section; Lines is zero if there is nothing
	Sections []Section // in the order of the document
	Comments []Comment // HTML comments outside code, in the order of the document
	Problems []Problem
	NotText  string // why nothing can be read in it, such as "is UTF-16"; "" for text, also with a few bytes that are none

	starts  []int32 // byte offset of the first byte of each line
	foreign bool
}

// Heading is a heading's text and place.
type Heading struct {
	Text  string // without markers, leading and trailing blanks
	Level int    // 1 to 6
	Lines Lines  // two or more lines if it is underlined (setext)
}

// Form is how the heading of a section is written.
type Form uint8

// The forms of a heading.
const (
	Hash      Form = iota // ## Current State
	Underline             // Current State, with a line of dashes below
	Bold                  // **Current State**: as a separate paragraph
)

// Section is a second-level heading and all that follows it up to the next one.
type Section struct {
	Kind     Kind
	Spelling Spelling
	Form     Form
	Heading  Heading
	Lines    Lines   // from the heading to the line before the next section
	Body     Lines   // the lines of Blocks up to a second title, without thematic breaks at the end; zero if the section is empty
	Inline   string  // text after a bold heading on its own line: "**Next**: this"
	Blocks   []Block // top-level blocks, in order
	Items    []Item  // list items, in order, nested ones with their depth
	Labels   []Label // items and paragraphs that begin with "**Name**:"
	Fences   []Fence // fenced code at any depth
}

// BlockKind is the kind of a block.
type BlockKind uint8

// The kinds of block.
const (
	Paragraph BlockKind = iota
	List
	FencedCode
	IndentedCode
	Quote
	HTML
	Subheading // a heading of the third level or deeper, or a second title
	Break      // a thematic break
)

// Block is a top-level block of a section.
type Block struct {
	Kind  BlockKind
	Level int // of a Subheading
	Lines Lines
}

// Item is an entry of a list.
type Item struct {
	Lines  Lines // all of it, including nested items
	Depth  int   // 0 for an entry of a top-level list
	Marker byte  // '-', '*', '+', '.' or ')'
	Number int   // of an entry marked '.' or ')'
	Text   string
	// Text is the item's first paragraph as written, with its line breaks but
	// without the marker; empty if the item begins with another block.
	Head Lines // the lines of Text; zero if Text is empty
}

// Label is an item or a line of a paragraph that begins with a bold name and a
// colon.
type Label struct {
	Name  string // "File"
	Value string // what follows the colon in the same paragraph, trimmed
	Lines Lines  // the whole item, or the lines of Name and Value in a paragraph
}

// Fence is a fenced code block.
type Fence struct {
	Info   string // what follows the opening fence on its line
	Lines  Lines  // including both fences
	Body   Lines  // the lines between the fences; zero if there are none
	Depth  int    // the number of lists and quotes around it
	Closed bool
}

// Comment is an HTML comment.
type Comment struct {
	Text  string // between "<!--" and "-->", trimmed
	Lines Lines
	Col   int  // 1-based byte column of "<!--"
	Alone bool // nothing else is on its lines
}

// Front is the frontmatter: optional data for programs.
type Front struct {
	Lines   Lines // including both "---" lines
	Task    int   // 0 if not given
	Phase   string
	Thread  string
	Seq     *int64
	Profile string
	Draft   bool      // a program wrote it, and no person has checked it
	Source  string    // what a draft was made from
	Written Moment    // of other tools: the first key date, created, created_at or timestamp
	Updated Moment    // of other tools: the first key updated, updated_at or last_updated
	Allow   []Allowed // key "lint": the rules that the document may break, with reasons
	KeyLine map[string]int
}

// Allowed is a lint rule that the frontmatter allows the document to break.
type Allowed struct {
	Rule, Reason string
	Line         int
}

// ProblemKind is the kind of a problem.
type ProblemKind uint8

// The kinds of problem.
const (
	BadFront     ProblemKind = iota // invalid frontmatter
	BadEncoding                     // bytes that are not UTF-8 text
	TooDeep                         // lists and quotes nested too deep: not parsed
	UnclosedCode                    // a fence that is never closed
)

// Problem is why a part of a document cannot be read as its author meant it.
type Problem struct {
	Kind      ProblemKind
	Line, Col int // 1-based; Col counts bytes and is 0 for the whole line
	Text      string
	Key       string // the key of the frontmatter that a BadFront is about; "" if it is not about one
}

// NewDocument returns a document that has only its source and lines. Package
// parse sets the rest.
func NewDocument(src string) *Document {
	d := new(Document)
	d.Reset(src)
	return d
}

// Reset makes d the result of NewDocument, and reuses its memory. Parts of the
// old document that a caller still has change with it.
func (d *Document) Reset(src string) {
	*d = Document{Source: src, foreign: foreign(src), starts: d.starts[:0], Sections: d.Sections[:0], Comments: d.Comments[:0], Problems: d.Problems[:0]}
	if src == "" {
		return
	}
	if d.starts == nil {
		d.starts = make([]int32, 0, 1+strings.Count(src, "\n"))
	}
	for at := 0; at < len(src); {
		d.starts = append(d.starts, int32(at))
		i := strings.IndexByte(src[at:], '\n')
		if i < 0 {
			return
		}
		at += i + 1
	}
}

// Restore gives a document that was parsed from another text with the same lines its own
// source.
func (d *Document) Restore(src string) {
	parsed := *d
	d.Reset(src)
	lines, letters := d.starts, d.foreign
	*d = parsed
	d.Source, d.starts, d.foreign = src, lines, letters
}

// NumLines is the number of lines; a final line without an end counts.
func (d *Document) NumLines() int { return len(d.starts) }

// Line returns line n without its line end; "" if there is no such line.
func (d *Document) Line(n int) string {
	if n < 1 || n > len(d.starts) {
		return ""
	}
	end := len(d.Source)
	if n < len(d.starts) {
		end = int(d.starts[n])
	}
	line := d.Source[d.starts[n-1]:end]
	line = strings.TrimSuffix(line, "\n")
	return strings.TrimSuffix(line, "\r")
}

// Text returns the lines l as written, without the last line end.
func (d *Document) Text(l Lines) string {
	if l.First < 1 || l.Last > len(d.starts) || l.Last < l.First {
		return ""
	}
	last := d.Line(l.Last)
	start := int(d.starts[l.First-1])
	return d.Source[start : int(d.starts[l.Last-1])+len(last)]
}

// Offset is the byte at which line n starts; for the line after the last, the
// length of the source.
func (d *Document) Offset(n int) int {
	if n > len(d.starts) {
		return len(d.Source)
	}
	return int(d.starts[n-1])
}

// LineAt is the line of the byte at offset.
func (d *Document) LineAt(offset int) int {
	return sort.Search(len(d.starts), func(i int) bool { return int(d.starts[i]) > offset })
}

// Parts yields the preamble and all sections.
func (d *Document) Parts(yield func(*Section) bool) {
	if !yield(&d.Preamble) {
		return
	}
	for i := range d.Sections {
		if !yield(&d.Sections[i]) {
			return
		}
	}
}

// SectionAt returns the section that line n is in, or nil.
func (d *Document) SectionAt(n int) *Section {
	i := sort.Search(len(d.Sections), func(i int) bool { return d.Sections[i].Lines.Last >= n })
	if i < len(d.Sections) && d.Sections[i].Lines.Has(n) {
		return &d.Sections[i]
	}
	return nil
}

// Section returns the first section of the kind, or nil.
func (d *Document) Section(k Kind) *Section {
	for i := range d.Sections {
		if d.Sections[i].Kind == k {
			return &d.Sections[i]
		}
	}
	return nil
}

// Top yields the items of the section's top-level lists.
func (s *Section) Top(yield func(*Item) bool) {
	for i := range s.Items {
		if s.Items[i].Depth == 0 && !yield(&s.Items[i]) {
			return
		}
	}
}

// WorkFiles yields the labels "File", "Files" and "Files modified" of the
// current state, and those in other languages, each with the lines that name its files: its value or, if that
// is empty, the list below it.
func (d *Document) WorkFiles(yield func(l *Label, in Lines) bool) {
	s := d.Section(CurrentState)
	if s == nil {
		return
	}
	for i := range s.Labels {
		l := &s.Labels[i]
		if !phraseAt(l.Name, 0, "file") && !phraseAt(l.Name, 0, "files") && !words.Is("file", l.Name) {
			continue
		}
		in := s.Under(l)
		if l.Value != "" {
			in.Last = d.valueEnd(l)
		}
		if !yield(l, in) {
			return
		}
	}
}

// IsFile reports whether a label is about the file worked on, in any language; "Files modified" is not.
func (l *Label) IsFile() bool {
	return strings.EqualFold(l.Name, "File") || strings.EqualFold(l.Name, "Files") || words.Is("file", l.Name)
}

// valueEnd is the last line of a label's value. The value may begin on the line
// after the name.
func (d *Document) valueEnd(l *Label) int {
	first, _, _ := strings.Cut(l.Value, "\n")
	last := l.Lines.First + strings.Count(l.Value, "\n")
	if !strings.HasSuffix(strings.TrimSpace(d.Line(l.Lines.First)), strings.TrimSpace(first)) {
		last++
	}
	return min(last, l.Lines.Last)
}

// Under is the lines that a label introduces: its own, and if it has no value,
// the list right after its paragraph.
func (s *Section) Under(l *Label) Lines {
	if l.Value != "" {
		return l.Lines
	}
	i := sort.Search(len(s.Blocks), func(i int) bool { return s.Blocks[i].Lines.Last >= l.Lines.Last })
	if i+1 < len(s.Blocks) && s.Blocks[i].Kind == Paragraph && s.Blocks[i].Lines.Last == l.Lines.Last && s.Blocks[i+1].Kind == List {
		return Lines{l.Lines.First, s.Blocks[i+1].Lines.Last}
	}
	return l.Lines
}

// Label returns the first label with one of the names, ignoring case.
func (s *Section) Label(names ...string) *Label {
	for i := range s.Labels {
		for _, n := range names {
			if strings.EqualFold(s.Labels[i].Name, n) {
				return &s.Labels[i]
			}
		}
	}
	return nil
}
