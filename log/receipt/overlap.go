package receipt

import "slices"

// common returns a path that both globs cover; ok is false if there is none.
func common(a, b *glob) (path string, ok bool) {
	start := pair{}
	seen := map[pair]bool{start: true}
	for list := []*way{{pair: start}}; len(list) > 0; list = list[1:] {
		w := list[0]
		if a.nodes[w.a].final && b.nodes[w.b].final && w.name == other {
			return w.path(), true
		}
		for _, next := range w.next(a, b) {
			if !seen[next.pair] {
				seen[next.pair] = true
				list = append(list, next)
			}
		}
	}
	return "", false
}

// pair is where a walk through two globs is, and how far it is in a name of the path.
type pair struct {
	a, b int
	name name
}

// name is what the path has of its last name: a path has no empty name, and none that is one
// dot or two.
type name int

const (
	empty name = iota
	oneDot
	twoDots
	other
)

func (n name) after(r rune) (next name, ok bool) {
	switch {
	case r == '/':
		return empty, n == other
	case r == '.' && n < twoDots:
		return n + 1, true
	}
	return other, true
}

// way is a walk that led to a pair.
type way struct {
	pair
	over rune // the last character; 0 for none
	from *way
}

func (w *way) path() string {
	var text []rune
	for ; w != nil; w = w.from {
		if w.over != 0 {
			text = append(text, w.over)
		}
	}
	slices.Reverse(text)
	return string(text)
}

// next are the ways that are one step longer.
func (w *way) next(a, b *glob) (list []*way) {
	x, y := a.nodes[w.a], b.nodes[w.b]
	for _, to := range x.free {
		list = append(list, &way{pair{to, w.b, w.name}, 0, w})
	}
	for _, to := range y.free {
		list = append(list, &way{pair{w.a, to, w.name}, 0, w})
	}
	if x.to < 0 || y.to < 0 {
		return list
	}
	for _, r := range examples(x.over, y.over) {
		if name, ok := w.name.after(r); ok {
			list = append(list, &way{pair{x.to, y.to, name}, r, w})
		}
	}
	return list
}

// examples are characters that both sets have: at most a slash, a dot, and one that is neither.
// Where a set begins or ends is at the edge of a range, so what both have begins at one, too.
func examples(a, b runes) (list []rune) {
	both := func(r rune) bool { return a.has(r) && b.has(r) }
	for _, r := range []rune{'/', '.'} {
		if both(r) {
			list = append(list, r)
		}
	}
	edges := []rune{'x', 'a', 1, '.' + 1, '/' + 1}
	for _, s := range slices.Concat(a.ranges, b.ranges) {
		edges = append(edges, s[0], s[1]+1)
	}
	for _, r := range edges {
		if r != '/' && r != '.' && both(r) {
			return append(list, r)
		}
	}
	return list
}
