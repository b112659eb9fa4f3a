package parse

import (
	"strings"
	"testing"

	"handoff/document/handoff"
)

// FuzzDocument wants, for any bytes: no panic, every place inside the file,
// sections in order and apart, and one answer from both front ends.
func FuzzDocument(f *testing.F) {
	for _, src := range testDocuments(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := string(src)
		checkDocument(t, Document(src))
		if string(src) != before {
			t.Error("the source was changed")
		}
		sameBothWays(t, src)
	})
}

// FuzzLines makes documents of lines that have a meaning, which random bytes
// seldom have: each byte picks a line.
func FuzzLines(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{20, 19, 18, 17, 16, 15, 14, 13, 12, 11})
	f.Fuzz(func(t *testing.T, picks []byte) {
		if len(picks) > 40 {
			return
		}
		src := linesOf(picks)
		checkDocument(t, Document(src))
		sameBothWays(t, src)
	})
}

// FuzzFront puts any bytes between the lines of a frontmatter.
func FuzzFront(f *testing.F) {
	f.Add([]byte("task: 1\nphase: 3A\nseq: 4\nlint:\n  a: b\n"))
	f.Add([]byte("lint: {a: , a: 1}\n\"x\\ny\": é\n? [a]\n: b\n"))
	f.Add([]byte("task: &a 1\nseq: *a\n<<: {a: 1}\n...\nx: y\n"))
	f.Add([]byte("a: |\n  x\n --- \n"))
	f.Add([]byte("é: \u2028\nb: \u0085c: 1\r\n\ufeff"))
	f.Fuzz(func(t *testing.T, yaml []byte) {
		src := append(append([]byte("---\n"), yaml...), "\n---\n# Title\n\n## Current State\n"...)
		checkDocument(t, Document(src))
	})
}

func checkDocument(t *testing.T, d *handoff.Document) {
	t.Helper()
	c := checker{t: t, d: d, all: handoff.Lines{First: 1, Last: d.NumLines()}}
	if d.Front != nil {
		c.within("frontmatter", d.Front.Lines, c.all)
		for key, line := range d.Front.KeyLine {
			if !d.Front.Lines.Has(line) {
				t.Errorf("key %q on line %d", key, line)
			}
		}
		for _, a := range d.Front.Allow {
			if !d.Front.Lines.Has(a.Line) {
				t.Errorf("allow %q on line %d", a.Rule, a.Line)
			}
		}
	}
	if d.Title.Level > 0 {
		c.within("title", d.Title.Lines, c.all)
	}
	if d.Preamble.Lines.First > 0 {
		c.section(&d.Preamble)
	}
	before := d.Preamble.Lines.Last
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Lines.First <= before || i > 0 && s.Lines.First != before+1 {
			t.Errorf("section %d begins on line %d, the one before ends on %d", i, s.Lines.First, before)
		}
		before = s.Lines.Last
		c.within("heading", s.Heading.Lines, s.Lines)
		c.section(s)
	}
	if len(d.Sections) > 0 && before != d.NumLines() {
		t.Errorf("the last section ends on line %d of %d", before, d.NumLines())
	}
	for _, m := range d.Comments {
		c.within("comment", m.Lines, c.all)
		if line := d.Line(m.Lines.First); !strings.HasPrefix(line[min(m.Col-1, len(line)):], "<!--") {
			t.Errorf("no comment at %d:%d", m.Lines.First, m.Col)
		}
	}
	c.problems()
}

type checker struct {
	t   *testing.T
	d   *handoff.Document
	all handoff.Lines
}

func (c *checker) within(what string, l, in handoff.Lines) {
	c.t.Helper()
	if l.First < in.First || l.Last > in.Last || l.Last < l.First {
		c.t.Errorf("%s on lines %d to %d, not within %d to %d", what, l.First, l.Last, in.First, in.Last)
	}
}

func (c *checker) section(s *handoff.Section) {
	c.t.Helper()
	c.within("section", s.Lines, c.all)
	last := s.Heading.Lines.Last
	for i, b := range s.Blocks {
		c.within("block", b.Lines, s.Lines)
		if b.Lines.First <= last {
			c.t.Errorf("block %d begins on line %d, what stands before ends on %d", i, b.Lines.First, last)
		}
		last = b.Lines.Last
	}
	if s.Body.First > 0 {
		c.within("body", s.Body, s.Lines)
	}
	for i, it := range s.Items {
		c.within("item", it.Lines, s.Lines)
		if i > 0 && it.Lines.First < s.Items[i-1].Lines.First {
			c.t.Errorf("item %d stands before item %d", i, i-1)
		}
		if strings.IndexByte("-*+.)", it.Marker) < 0 {
			c.t.Errorf("item %d has marker %q", i, it.Marker)
		}
		if (it.Text == "") != (it.Head.First == 0) {
			c.t.Errorf("item %d has text %q on lines %v", i, it.Text, it.Head)
		}
		if it.Text != "" {
			c.within("text", it.Head, it.Lines)
			if !strings.Contains(c.d.Text(it.Head), it.Text) {
				c.t.Errorf("item %d has text %q, its lines are %q", i, it.Text, c.d.Text(it.Head))
			}
		}
	}
	for _, l := range s.Labels {
		c.within("label", l.Lines, s.Lines)
		if !strings.Contains(c.d.Text(l.Lines), l.Value) || !strings.Contains(c.d.Text(l.Lines), l.Name) {
			c.t.Errorf("label %+v stands not on its lines", l)
		}
	}
	for _, f := range s.Fences {
		c.within("fence", f.Lines, s.Lines)
		if f.Body.First > 0 {
			c.within("fence's body", f.Body, f.Lines)
		}
	}
}

func (c *checker) problems() {
	c.t.Helper()
	last := 0
	for _, p := range c.d.Problems {
		if p.Line < last || p.Line < 1 || p.Line > c.all.Last || p.Col < 0 || p.Col > len(c.d.Line(p.Line))+2 || p.Text == "" {
			c.t.Errorf("problem out of place: %+v", p)
		}
		last = p.Line
	}
}
