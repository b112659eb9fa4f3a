package parse

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/text"

	"handoff/document/handoff"
)

// hostile are inputs of n bytes that cost a careless parser quadratic time.
var hostile = []struct {
	name string
	deep bool
	text func(n int) string
}{
	{"bullets", true, func(n int) string { return strings.Repeat("- ", n/2) + "x" }},
	{"quotes", true, func(n int) string { return strings.Repeat("> ", n/2) + "x" }},
	{"quotes without blanks", true, func(n int) string { return strings.Repeat(">", n) }},
	{"numbers", true, func(n int) string { return strings.Repeat("1) ", n/3) + "x" }},
	{"staircase", true, func(n int) string { return staircase(n, 1000) }},
	{"staircases of 90", false, func(n int) string { return staircase(n, 90) }},
	{"brackets", false, func(n int) string { return strings.Repeat("[a](", n/4) }},
	{"link references", false, func(n int) string { return strings.Repeat("[a]: b\n", n/7) }},
	{"code spans", false, func(n int) string { return "x <!-- --> " + strings.Repeat("`a` ", n/4) }},
	{"backticks", false, func(n int) string { return "x <!-- --> " + rising(n, "`") }},
	{"comments", false, func(n int) string { return strings.Repeat("<!-->", n/5) }},
	{"comments left open", false, func(n int) string { return strings.Repeat("<!--", n/4) }},
	{"comments in code", false, func(n int) string { return strings.Repeat("`<!--` ", n/7) }},
	{"comments after blanks", false, func(n int) string { return "a\n" + strings.Repeat(" ", n/2) + strings.Repeat("<!---->", n/14) }},
	{"blanks between comments", false, func(n int) string { return "a\n" + strings.Repeat("<!---->"+strings.Repeat(" ", 100), n/107) }},
	{"bold", false, func(n int) string { return strings.Repeat("**Goal:** x\n", n/12) }},
	{"bold in items", false, func(n int) string { return strings.Repeat("- **Goal:** x\n", n/14) }},
	{"bold on one line", false, func(n int) string { return strings.Repeat("**(", n/3) }},
	{"headings", false, func(n int) string { return strings.Repeat("## Curent Stafe\n", n/16) }},
	{"underlines", false, func(n int) string { return strings.Repeat("a\n-\n", n/4) }},
	{"fences", false, func(n int) string { return strings.Repeat("```\n", n/4) }},
	{"rising fences", false, func(n int) string { return strings.ReplaceAll(rising(n, "`"), " ", "\n") }},
	{"tags", false, func(n int) string { return strings.Repeat("<a b='", n/6) }},
	{"tag lines", false, func(n int) string { return strings.Repeat("<pre x\n", n/7) }},
	{"tabs", false, func(n int) string { return "- a\n" + strings.Repeat("\t", n) + "b" }},
	{"blank lines", false, func(n int) string { return "- a\n" + strings.Repeat("\n", n) + "  b" }},
	{"front", false, func(n int) string { return "---\n" + strings.Repeat("[", n) + "\n---\n" }},
	{"returns", false, func(n int) string { return strings.Repeat("a\r", n/2) }},
	{"empty items", false, func(n int) string { return strings.Repeat("-\n", n/2) }},
	{"paragraph", false, func(n int) string { return strings.Repeat("a\n", n/2) }},
}

func staircase(n, steps int) string {
	var b strings.Builder
	for step := 0; b.Len() < n; step = (step + 1) % steps {
		b.WriteString(strings.Repeat("  ", step) + "- a\n")
	}
	return b.String()
}

func rising(n int, mark string) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		b.WriteString(strings.Repeat(mark, i) + " ")
	}
	return b.String()
}

// work counts what reading a document takes: the bytes that goldmark is handed
// or asks the reader to pass over, and those that the assembler looks at.
type work struct {
	text.Reader
	lines  []int // offsets at which the lines begin
	looked int
}

func newWork(src []byte) *work {
	w := &work{Reader: text.NewReader(src), lines: []int{0}}
	for i, c := range src {
		if c == '\n' {
			w.lines = append(w.lines, i+1)
		}
	}
	return w
}

func (w *work) PeekLine() ([]byte, text.Segment) {
	line, at := w.Reader.PeekLine()
	w.looked += 1 + len(line)
	return line, at
}

// LineOffset reads the line up to the reader's position.
func (w *work) LineOffset() int {
	line, at := w.Position()
	w.looked += 1 + at.Start - w.lines[max(line, 0)]
	return w.Reader.LineOffset()
}

// passed counts the bytes that the reader goes over in a call.
func (w *work) passed(call func()) {
	_, before := w.Position()
	call()
	_, after := w.Position()
	w.looked += 1 + after.Start - before.Start
}

func (w *work) Advance(n int) { w.passed(func() { w.Reader.Advance(n) }) }

func (w *work) AdvanceAndSetPadding(n, padding int) {
	w.passed(func() { w.Reader.AdvanceAndSetPadding(n, padding) })
}

func (w *work) AdvanceLine() { w.passed(w.Reader.AdvanceLine) }

func (w *work) AdvanceToEOL() { w.passed(w.Reader.AdvanceToEOL) }

func (w *work) SkipBlankLines() (at text.Segment, lines int, ok bool) {
	w.passed(func() { at, lines, ok = w.Reader.SkipBlankLines() })
	return at, lines, ok
}

// workOf reads a document with goldmark as slowly does, and counts.
func workOf(src []byte) (looked int, doc *handoff.Document) {
	doc = handoff.NewDocument(string(src))
	clean := checkEncoding(doc, src)
	body := readFront(doc, clean)
	w := newWork(clean[body:])
	blocks, deep := blocksFrom(w, doc, clean, body)
	a := assembler{doc: doc, src: doc.Source, section: &doc.Preamble}
	if deep == 0 {
		a.all(blocks)
	}
	return w.looked + a.looked, doc
}

// TestHostile requires linear work for each hostile input: twice the bytes,
// about twice the work, where a careless parser takes four times as much. The
// count of work is the same on every machine.
func TestHostile(t *testing.T) {
	const size, most = 32 << 10, 2.3
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			once, _ := workOf([]byte(h.text(size)))
			src := []byte(h.text(2 * size))
			twice, counted := workOf(src)
			t.Logf("%d bytes: %d looked at, %d a byte", len(src), twice, twice/len(src))
			if once < size/2 && !h.deep {
				t.Errorf("%d of %d bytes looked at: work is done that is not counted", once, size)
			}
			if ratio := float64(twice) / float64(once); ratio > most {
				t.Errorf("twice the bytes take %.1f times the work: %d, then %d", ratio, once, twice)
			}
			if diff := diffDocuments(slow(src), counted); diff != "" && !h.deep {
				t.Errorf("what was counted is another document:\n%s", diff)
			}
		})
	}
}

// TestTooDeep reads nothing of a document that nests without end.
func TestTooDeep(t *testing.T) {
	for _, h := range hostile {
		doc := Document([]byte(h.text(32 << 10)))
		deep := slices.ContainsFunc(doc.Problems, func(p handoff.Problem) bool { return p.Kind == handoff.TooDeep })
		if deep != h.deep {
			t.Errorf("%s: too deep: %t, want %t", h.name, deep, h.deep)
		}
		if deep && len(doc.Sections)+len(doc.Preamble.Blocks) > 0 {
			t.Errorf("%s: blocks of a document that is too deep", h.name)
		}
	}
}
