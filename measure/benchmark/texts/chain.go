package texts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/document/pinned"
	"handoff/measure/benchmark"
	"handoff/parse"
	"handoff/templates"
)

const (
	chainEach = 40
	chainHops = 20
)

// Chain measures how many dead ends and hard-won facts survive many handoffs, if each
// author copies most of them and forgets some.
func Chain(seed uint64) (benchmark.Suite, error) {
	s := benchmark.Suite{Name: "chain", About: "what is left of dead ends after a chain of handoffs", Limits: []string{
		"The authors are random: of the items before them they keep 84 % word for word, rewrite 4 % under an id, retire 4 % with a reason, and forget 8 %. What models do is not known to us.",
		"An item that was rewritten without an id counts as lost and new.",
	}}
	random := rand.New(rand.NewPCG(seed, 3))
	var open, last, reported int
	for range chainEach {
		c := chain{random: random}
		for range chainHops {
			if err := c.hop(); err != nil {
				return s, err
			}
		}
		open += len(c.open)
		for key := range c.open {
			switch {
			case slices.ContainsFunc(pinned.Items(c.doc), func(it pinned.Item) bool { return it.Key() == key }):
				last++
			case c.lost[key]:
				reported++
			}
		}
	}
	s.Tables = []benchmark.Table{{
		Title: fmt.Sprintf("%d chains of %d handoffs: items that nobody retired", chainEach, chainHops), Columns: []string{"still known"},
		Rows: []benchmark.Row{
			{Name: "the last document alone", Cells: []benchmark.Cell{benchmark.Share(last, open)}},
			{Name: "handoff chain", Cells: []benchmark.Cell{benchmark.Share(last+reported, open)}},
		},
	}}
	return s, nil
}

// chain is a chain of documents, and what became of the items.
type chain struct {
	random *rand.Rand
	made   int
	doc    *handoff.Document
	open   map[string]bool // keys of the items that no author retired
	lost   map[string]bool // keys of those that a comparison with the document before reported
}

// item is an item of the next document.
type item struct{ text, id string }

func (i item) String() string { return strings.TrimSpace(i.text + " " + i.id) }

// hop writes the next document.
func (c *chain) hop() error {
	if c.open == nil {
		c.open, c.lost = map[string]bool{}, map[string]bool{}
	}
	var texts []string
	if c.doc != nil {
		for _, it := range pinned.Items(c.doc) {
			if text := c.author(it); text != "" {
				texts = append(texts, text)
			}
		}
	}
	for range 1 + c.random.IntN(2) {
		c.made++
		one := item{text: fmt.Sprintf("Approach %d: it fails on input %d", c.made, c.random.IntN(1000))}
		if c.random.IntN(2) == 0 {
			one.id = fmt.Sprintf("^k%d", c.made)
		}
		texts = append(texts, one.String())
	}
	v := Values(1, 1)
	v.DeadEnds, v.Time = texts, written
	src, err := templates.Render(v, "", false)
	if err != nil {
		return err
	}
	next := parse.Document(src)
	for _, change := range pinned.Compare(c.doc, next, nil) {
		key := change.Item.Key()
		switch change.Fate {
		case pinned.Lost:
			c.lost[key] = true
		case pinned.New:
			c.open[key] = true
		case pinned.Retired:
			delete(c.open, key)
		}
	}
	c.doc = next
	return nil
}

// author is an item as the next author writes it, "" if it is forgotten.
func (c *chain) author(it pinned.Item) string {
	one := item{text: it.Text}
	if it.ID != "" {
		one.id = "^" + it.ID
	}
	switch n := c.random.IntN(100); {
	case n < 8:
		return ""
	case n < 12:
		return "~~" + one.String() + "~~ (works now)"
	case n < 16 && one.id != "":
		c.made++
		one.text = fmt.Sprintf("Rewritten %d: it still fails", c.made)
	}
	return one.String()
}
