package dashboard

import (
	"fmt"
	"html/template"
	"strings"

	"handoff/internal/text/say"
	"handoff/log/tape"
)

// The measures of a curve: it is as wide as the page.
const (
	curveWidth  = 1000
	curveHeight = 80
	mostPoints  = 500 // calls that are drawn; of more, the largest of some
)

// curve is how much of the model's context the calls of a tape used, in the order of its
// anchors and events.
type curve struct {
	Picture        template.HTML
	Calls          int
	Largest, Last  int64 // tokens
	seen           int   // anchors and events so far: the place of the next one
	points         []used
	each           int // calls in a point
	inLast         int // calls in the last point
	anchors, drops []int
}

// used is the tokens of a call.
type used struct {
	at     int
	tokens int64
}

// add adds an entry of the tape.
func (c *curve) add(e tape.Entry) {
	at := c.seen
	c.seen++
	switch tokens, ok := e.Tokens(); {
	case ok:
		c.call(used{at, tokens})
	case e.Kind == "anchor" && e.Name() == overflow:
		c.drops = last(append(c.drops, at))
	case e.Kind == "anchor":
		c.anchors = last(append(c.anchors, at))
	}
}

// last are the last marks, as many as a time line shows.
func last(places []int) []int { return places[max(0, len(places)-mostMarks):] }

func (c *curve) call(u used) {
	c.Calls++
	c.Last, c.Largest = u.tokens, max(c.Largest, u.tokens)
	if n := len(c.points); n > 0 && c.inLast < c.each {
		c.inLast++
		if c.points[n-1].tokens <= u.tokens {
			c.points[n-1] = u
		}
		return
	}
	if len(c.points) == mostPoints {
		c.halve()
	}
	c.points, c.inLast = append(c.points, u), 1
	c.each = max(c.each, 1)
}

// halve keeps the larger of every two points.
func (c *curve) halve() {
	for i := range mostPoints / 2 {
		one := c.points[2*i]
		if next := c.points[2*i+1]; next.tokens >= one.tokens {
			one = next
		}
		c.points[i] = one
	}
	c.points, c.each = c.points[:mostPoints/2], 2*c.each
}

// draw draws the curve, unless no call reported its tokens.
func (c *curve) draw() {
	if c.Largest == 0 {
		return
	}
	x := func(at int) int { return at * curveWidth / max(c.seen-1, 1) }
	y := func(tokens int64) int {
		return curveHeight - int(float64(max(tokens, 0))/float64(c.Largest)*(curveHeight-4))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="Context of %s: at most %s tokens, %s in the last">`,
		curveWidth, curveHeight, say.Count(c.Calls, "call"), count64(c.Largest), count64(c.Last))
	path := ""
	for _, p := range c.points {
		path += fmt.Sprintf("L%d %d", x(p.at), y(p.tokens))
	}
	first, end := x(c.points[0].at), x(c.points[len(c.points)-1].at)
	fmt.Fprintf(&b, `<path class="area" d="M%d %d%sL%d %dZ"/>`, first, curveHeight, path, end, curveHeight)
	marks(&b, "cut", c.anchors, x)
	marks(&b, "drop", c.drops, x)
	fmt.Fprintf(&b, `<path class="edge" d="M%s"/></svg>`, path[1:])
	c.Picture = template.HTML(b.String()) // numbers, and words of our own
}

// marks draws a line at each place.
func marks(b *strings.Builder, class string, places []int, x func(int) int) {
	for _, at := range places {
		fmt.Fprintf(b, `<path class="%s" d="M%d 0V%d"/>`, class, x(at), curveHeight)
	}
}
