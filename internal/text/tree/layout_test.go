package tree

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// someTree is a tree of at most n nodes.
func someTree(t *rapid.T, n int) *Node {
	all := []*Node{{ID: "root"}}
	for i := range rapid.IntRange(0, n).Draw(t, "nodes") {
		parent := all[rapid.IntRange(0, len(all)-1).Draw(t, "parent")]
		node := &Node{ID: strings.Repeat(rapid.SampledFrom([]string{"x", "W", "漢"}).Draw(t, "letter"), rapid.IntRange(0, 130).Draw(t, "length")), Merged: rapid.IntRange(0, 4).Draw(t, "merged") == 0, Dashed: i%2 == 0}
		parent.Children = append(parent.Children, node)
		all = append(all, node)
	}
	return all[0]
}

// segments are the straight parts of a line.
func segments(points []point) (all [][2]point) {
	for i := range points[1:] {
		a, b := points[i], points[i+1]
		all = append(all, [2]point{{min(a.x, b.x), min(a.y, b.y)}, {max(a.x, b.x), max(a.y, b.y)}})
	}
	return all
}

// meet reports whether two rectangles have a point in common.
func meet(a, b [2]point) bool {
	return a[0].x <= b[1].x && b[0].x <= a[1].x && a[0].y <= b[1].y && b[0].y <= a[1].y
}

// line is one that was drawn, from or to a parent.
type line struct {
	of       *box
	back     bool
	segments [][2]point
}

func linesOf(boxes []*box) (all []line) {
	for _, b := range boxes {
		if b.parent != nil {
			all = append(all, line{b, false, segments(b.edge())})
			if b.Merged {
				all = append(all, line{b, true, segments(b.join())})
			}
		}
	}
	return all
}

// No two nodes overlap, no line runs through a node, lines of different parents do not
// meet, and each node has its line.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roots := []*Node{someTree(t, 30), someTree(t, 5)}
		boxes := layout(roots)
		area := func(b *box) [2]point { return [2]point{{b.x - 6, b.y - 7}, {b.right(), b.y + 7}} }
		for i, a := range boxes {
			for _, b := range boxes[:i] {
				if meet(area(a), area(b)) {
					t.Fatalf("%d %d and %d %d overlap", a.x, a.y, b.x, b.y)
				}
			}
		}
		lines := linesOf(boxes)
		for i, l := range lines {
			for _, s := range l.segments {
				for _, b := range boxes {
					if meet(s, area(b)) {
						t.Fatalf("the line of %d %d runs through %d %d", l.of.x, l.of.y, b.x, b.y)
					}
				}
				for _, other := range lines[:i] {
					for _, o := range other.segments {
						if other.of.parent != l.of.parent && meet(s, o) {
							t.Fatalf("the lines of %d %d and %d %d meet", l.of.x, l.of.y, other.of.x, other.of.y)
						}
					}
				}
			}
		}
		nodes, merged := 0, 0
		each(roots, func(n, parent *Node) {
			nodes++
			if n.Merged && parent != nil {
				merged++
			}
		})
		svg := SVG(Picture{}, roots...)
		if len(boxes) != nodes || strings.Count(svg, `<path class="line"`) != nodes-len(roots) || strings.Count(svg, `<path class="line join"`) != merged || strings.Count(svg, "<text ") != nodes {
			t.Fatalf("%d nodes, of which %d are merged, in\n%s", nodes, merged, svg)
		}
	})
}

// Small children are beside each other, up to the width of a row; those that are merged
// come last.
func TestRows(t *testing.T) {
	root := &Node{ID: "tape", Children: []*Node{{ID: "fork", Merged: true}}}
	for i := range 40 {
		root.Children = append(root.Children, &Node{ID: fmt.Sprint("anchor ", i)})
	}
	root.Children = append(root.Children, &Node{ID: "other", Children: []*Node{{ID: "below"}}})
	boxes := layout([]*Node{root})
	rows := map[int]int{}
	for _, b := range boxes {
		rows[b.y]++
		if b.right() > maxRow {
			t.Errorf("%s ends at %d", b.ID, b.right())
		}
	}
	if last := boxes[len(boxes)-1]; last.ID != "fork" || rows[last.y] != 1 || len(rows) > 10 {
		t.Errorf("%d rows, the last node is %s", len(rows), last.ID)
	}
	crossings := 0
	lines := linesOf(boxes)
	for _, l := range lines {
		for _, other := range lines {
			for _, a := range l.segments {
				for _, b := range other.segments {
					if l.back && other.of != l.of && meet(a, b) {
						crossings++
					}
				}
			}
		}
	}
	if crossings > 0 {
		t.Errorf("the line back crosses %d others", crossings)
	}
}

func TestValues(t *testing.T) {
	leaf := &Node{ID: "c", Edge: "at\n3", Merged: true, Notes: []string{"merged"}}
	got := Values(&Node{ID: "a", Children: []*Node{{ID: "b", Children: []*Node{leaf}}, {ID: "d"}}}, &Node{ID: "e", Title: new("E")})
	want := []struct {
		id     string
		parent int
	}{{"a", -1}, {"b", 0}, {"c", 1}, {"d", 0}, {"e", -1}}
	if len(got) != len(want) {
		t.Fatal(got)
	}
	for i, w := range want {
		if g := got[i]; g.ID != w.id || (g.Parent == nil) != (w.parent < 0) || g.Parent != nil && *g.Parent != w.parent || g.Notes == nil {
			t.Errorf("%d: %+v, want %+v", i, g, w)
		}
	}
	if got[2].Edge != "at 3" || !got[2].Merged || got[4].Title == nil {
		t.Errorf("%+v", got)
	}
}
