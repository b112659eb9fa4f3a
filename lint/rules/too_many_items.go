package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// tooManyItems flags a list that is longer than its section may have.
func tooManyItems(p *lint.Pass) {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		spec := handoff.SpecOf(o.meant(i))
		if spec.MaxItems == 0 {
			continue
		}
		c := counter{most: spec.MaxItems, reasons: spec.Reasons}
		c.section(p.Doc, s)
		const keep = "keep what changes the successor's next step"
		switch {
		case c.top > c.most:
			p.At(c.at, "%d %s, at most %d: %s", c.top, c.noun, c.most, keep)
		case c.nested > c.mostNested():
			p.At(c.nestedAt, "%d %s with %d items below them, at most %d: %s", c.top, c.noun, c.nested, c.most, keep)
		}
	}
}

// counter counts the items of a section.
type counter struct {
	most    int
	reasons bool // its items may have reasons in a list below them

	top, nested  int
	noun         string
	at, nestedAt handoff.Lines // the first one too many
	inNumbered   bool          // below a numbered heading, which is an item
}

// mostNested is how many items may be nested in others: as many as on the top
// level, or twice as many if they are reasons. More than that is a long list in
// disguise.
func (c *counter) mostNested() int {
	if c.reasons {
		return 2 * c.most
	}
	return c.most
}

// section counts list items and numbered headings. Other headings count if
// there is nothing else.
func (c *counter) section(doc *handoff.Document, s *handoff.Section) {
	c.noun = "items"
	next := 0
	for _, b := range s.Blocks {
		switch {
		case b.Kind == handoff.List:
			for ; next < len(s.Items) && s.Items[next].Lines.First <= b.Lines.Last; next++ {
				c.item(s.Items, next)
			}
		case b.Kind == handoff.Subheading && b.Level <= 3:
			if c.inNumbered = numbered(doc.Line(b.Lines.First)); c.inNumbered {
				c.add(b.Lines)
				c.noun = "numbered headings"
			}
		}
	}
	if c.top > 0 {
		return
	}
	c.noun = "headings"
	for _, b := range s.Blocks {
		if b.Kind == handoff.Subheading && b.Level == 3 {
			c.add(b.Lines)
		}
	}
}

func (c *counter) item(items []handoff.Item, i int) {
	it := &items[i]
	if it.Depth == 0 && !c.inNumbered {
		c.add(it.Lines)
		return
	}
	switch {
	case c.top == 0, c.inNumbered && c.reasons:
		return
	case i+1 < len(items) && it.Lines.Has(items[i+1].Lines.First):
		return // the items below it count
	}
	if c.nested++; c.nested == c.mostNested()+1 {
		c.nestedAt = it.Lines
	}
}

// add counts a top-level item.
func (c *counter) add(at handoff.Lines) {
	if c.top++; c.top == c.most+1 {
		c.at = at
	}
}

// numbered reports whether a heading is one of several: "### 2. The lexer",
// "### Decision 2: the lexer".
func numbered(heading string) bool {
	text := prose.TrimLeft(heading, "# *")
	word, rest, _ := strings.Cut(text, " ")
	if startsAny(word, "decision", "fact", "approach", "option") {
		word, _, _ = strings.Cut(rest, " ")
	}
	number := prose.TrimRight(word, ".):")
	return number != "" && len(number) < 3 && strings.Trim(number, "0123456789") == ""
}
