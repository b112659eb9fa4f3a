package receipt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
)

// A glob names the paths that somebody works on. It covers what it matches, and everything in a
// folder that it matches:
//
//   - any characters of a name     ?       one character of a name
//     ** as a whole name: any folders    [a-z]   one of these, [!a-z] none of these
//     {a,b}  one of these                \       takes the next character as it is
//
// It is compiled to an automaton, so that whether two of them cover a path in common is decided
// exactly, by a walk through both at once.
type glob struct{ nodes []node }

// node is a state: it may go to others for nothing, or over a character of a set.
type node struct {
	free  []int
	over  runes
	to    int // for over; -1 for none
	final bool
}

// runes is a set of characters: those in some ranges, or all others.
type runes struct {
	ranges [][2]rune
	not    bool
}

func (s runes) has(r rune) bool {
	in := slices.ContainsFunc(s.ranges, func(x [2]rune) bool { return x[0] <= r && r <= x[1] })
	return in != s.not
}

func only(r rune) runes { return runes{ranges: [][2]rune{{r, r}}} }

var (
	anyRune = runes{not: true}
	inName  = runes{ranges: [][2]rune{{'/', '/'}}, not: true}
)

// maxGlob is the most bytes of a glob. The walk through two takes at most the product of
// their lengths.
const maxGlob = 200

// parseGlob compiles a glob, whose names are separated by one slash each.
func parseGlob(text string) (*glob, error) {
	switch {
	case len(text) > maxGlob:
		return nil, badGlob(text, fmt.Sprintf("%d bytes: want at most %d", len(text), maxGlob))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return nil, badGlob(strconv.Quote(text), "want one line of text")
	}
	for _, name := range strings.Split(text, "/") {
		if name == "" || name == "." || name == ".." {
			return nil, badGlob(text, fmt.Sprintf("%q is not a name", name))
		}
	}
	p := globParser{text: []rune(text), g: new(glob)}
	end, err := p.list(p.add(), false)
	if err != nil {
		return nil, badGlob(text, err.Error())
	}
	p.g.nodes[end].final = true
	folder, below := p.add(), p.add()
	p.edge(end, only('/'), folder)
	p.edge(folder, anyRune, below)
	p.g.nodes[below].final = true
	p.free(below, folder)
	return p.g, nil
}

func badGlob(text, why string) error {
	return fmt.Errorf("%w: path:%s: %s", handoff.ErrInvalid, text, why)
}

// globParser builds the automaton from left to right.
type globParser struct {
	text []rune
	at   int
	deep int // of braces
	g    *glob
}

func (p *globParser) add() int {
	p.g.nodes = append(p.g.nodes, node{to: -1})
	return len(p.g.nodes) - 1
}

func (p *globParser) free(from, to int) { p.g.nodes[from].free = append(p.g.nodes[from].free, to) }

// edge goes from a node, by way of a new one, because each has one set at most.
func (p *globParser) edge(from int, over runes, to int) {
	via := p.add()
	p.free(from, via)
	p.g.nodes[via].over, p.g.nodes[via].to = over, to
}

// step adds one character.
func (p *globParser) step(from int, over runes) (to int) {
	to = p.add()
	p.edge(from, over, to)
	return to
}

// loop adds any number of characters.
func (p *globParser) loop(from int, over runes) (to int) {
	to = p.add()
	p.free(from, to)
	p.edge(to, over, to)
	return to
}

// list reads up to the end, or to the end of one of several choices.
func (p *globParser) list(from int, choice bool) (end int, err error) {
	for end = from; p.at < len(p.text); {
		r := p.text[p.at]
		if choice && (r == ',' || r == '}') {
			return end, nil
		}
		if end, err = p.one(r, end); err != nil {
			return end, err
		}
	}
	if choice {
		return end, fmt.Errorf("{ without }")
	}
	return end, nil
}

// one reads what begins with a character.
func (p *globParser) one(r rune, from int) (end int, err error) {
	p.at++
	switch r {
	case '*':
		return p.star(from), nil
	case '?':
		return p.step(from, inName), nil
	case '[':
		set, err := p.class()
		return p.step(from, set), err
	case '{':
		return p.choices(from)
	case '}':
		return from, fmt.Errorf("} without {")
	case '\\':
		if p.at == len(p.text) || p.text[p.at] == '/' {
			return from, fmt.Errorf("\\ at the end of a name")
		}
		r = p.text[p.at]
		p.at++
	}
	return p.step(from, only(r)), nil
}

// star reads the rest of "*" or "**", which only as a whole name goes through folders. With
// the slash after it, it may also be nothing.
func (p *globParser) star(from int) (end int) {
	begin := p.at - 1
	for p.at < len(p.text) && p.text[p.at] == '*' {
		p.at++
	}
	begins := begin == 0 || strings.ContainsRune("/{,", p.text[begin-1])
	ends := p.at == len(p.text) || strings.ContainsRune("/},", p.text[p.at])
	if p.at-begin != 2 || !begins || !ends {
		return p.loop(from, inName)
	}
	end = p.loop(from, anyRune)
	if p.at < len(p.text) && p.text[p.at] == '/' {
		p.at++
		end = p.step(end, only('/'))
		p.free(from, end)
	}
	return end
}

// class reads the rest of "[a-z]".
func (p *globParser) class() (set runes, err error) {
	open := fmt.Errorf("[ without ]")
	if p.at < len(p.text) && (p.text[p.at] == '!' || p.text[p.at] == '^') {
		set.not, set.ranges = true, [][2]rune{{'/', '/'}}
		p.at++
	}
	for first := true; ; first = false {
		low, plain, ok := p.member()
		switch {
		case !ok:
			return set, open
		case low == ']' && plain && !first:
			return set, nil
		}
		high := low
		if p.at+1 < len(p.text) && p.text[p.at] == '-' && p.text[p.at+1] != ']' {
			p.at++
			if high, _, ok = p.member(); !ok {
				return set, open
			}
		}
		if low > high || !set.not && low <= '/' && '/' <= high {
			return set, fmt.Errorf("[%c-%c] is not a range of characters of a name", low, high)
		}
		set.ranges = append(set.ranges, [2]rune{low, high})
	}
}

// member reads a character of a class. plain is false for one after a backslash.
func (p *globParser) member() (r rune, plain, ok bool) {
	plain = true
	if p.at < len(p.text) && p.text[p.at] == '\\' {
		plain = false
		p.at++
	}
	if p.at >= len(p.text) || p.text[p.at] == '/' {
		return 0, plain, false
	}
	p.at++
	return p.text[p.at-1], plain, true
}

// choices reads the rest of "{a,b}".
func (p *globParser) choices(from int) (end int, err error) {
	if p.deep++; p.deep > 4 {
		return from, fmt.Errorf("more than 4 { in each other")
	}
	end = p.add()
	for {
		start := p.add()
		p.free(from, start)
		last, err := p.list(start, true)
		if err != nil {
			return end, err
		}
		p.free(last, end)
		p.at++
		if p.text[p.at-1] == '}' {
			p.deep--
			return end, nil
		}
	}
}
