package bundle

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
)

// codec gets the fields of a document, each once, in their order.
type codec = jsoncodec.Codec

// Limits of an [Invalid]: a malicious document may have a problem at every byte.
const (
	maxProblems     = 1000
	maxProblemBytes = 1 << 20
)

// reader collects the problems of a document.
type reader struct {
	src      string
	problems []Problem
	size     int // bytes of the problems so far
	full     bool
}

func (r *reader) problem(at int, where *jsoncodec.Place, text string) {
	if r.full = r.full || len(r.problems) == maxProblems || r.size > maxProblemBytes; r.full {
		return
	}
	line, start := jsontext.Position(r.src, at)
	p := Problem{where.String(), text, line, at - start + 1}
	r.size += len(p.Pointer) + len(p.Text)
	r.problems = append(r.problems, p)
}

// err is the [*Invalid] of the problems, nil if there are none.
func (r *reader) err(schema string) error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.full {
		r.problems = append(r.problems, Problem{Text: "there are more problems, which are not listed", Line: 1, Column: 1})
	}
	return &Invalid{schema, r.problems}
}

// read reads a document. If it is invalid, the value is zero.
func read[T any](schema string, src []byte, fields func(*T, *codec)) (T, error) {
	var value, zero T
	r := &reader{src: string(src)}
	if root := r.tree(); root != nil {
		jsoncodec.ReadAll(r.src, root, func(p *jsoncodec.Problem) { r.problem(p.Offset, p.Where, p.Text) }, func(c *codec) { fields(&value, c) })
	}
	if err := r.err(schema); err != nil {
		return zero, err
	}
	return value, nil
}

// checked returns a document and the [*Invalid] of reading it.
func checked[T any](data []byte, parse func([]byte) (T, error)) ([]byte, error) {
	_, err := parse(data)
	return data, err
}

// tree reads the text, or reports the first place where it is not JSON in UTF-8.
func (r *reader) tree() *jsontext.Node {
	if at := jsontext.FirstInvalid([]byte(r.src)); at >= 0 {
		r.problem(at, nil, "not UTF-8")
		return nil
	}
	root, err := jsontext.Plain.Parse(r.src)
	if syntax, ok := errors.AsType[*jsontext.Error](err); ok {
		r.problem(syntax.Offset, nil, "not JSON: "+syntax.Text)
		return nil
	}
	r.check(root, nil, 0)
	return root
}

// maxDepth bounds the nesting of unknown fields; the schemas need 5 levels.
const maxDepth = 100

// check reports everything in the values that rewriting would lose: duplicate keys, and
// halves of surrogate pairs, which are not characters.
func (r *reader) check(n *jsontext.Node, where *jsoncodec.Place, depth int) {
	if n.IsContainer() && depth == maxDepth {
		r.problem(n.Start, where, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
		return
	}
	if n.Kind == jsontext.KindString {
		r.checkText(n.Start, n.End, where)
	}
	again := n.Repeats()
	for i := range n.Children {
		c := &n.Children[i]
		inner := where.At(i)
		if n.Kind == jsontext.KindObject {
			r.checkText(c.NameStart, c.NameEnd, where)
			inner = where.Member(c.Name)
		}
		if again != nil && again[i] {
			r.problem(c.NameStart, inner, "duplicate key: keep one of them")
		}
		r.check(&c.Value, inner, depth+1)
	}
}

func (r *reader) checkText(start, end int, where *jsoncodec.Place) {
	literal := r.src[start:end]
	if half := jsontext.HalfPair(literal); half >= 0 {
		r.problem(start+half, where, "half of a surrogate pair ("+literal[half:half+6]+"): write the character itself")
	}
}
