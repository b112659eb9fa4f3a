package jsonedit

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxDepth is encoding/json's limit too.
const maxDepth = 10000

// node is a value by its place in the text.
type node struct {
	kind       Kind
	start, end int
	children   []child // of an object or an array
}

// child is a member of an object, or an element of an array: that has no key.
type child struct {
	key              string // decoded
	keyStart, keyEnd int    // with the quotes; both 0 for an element
	value            node
}

// start is where the member or element begins.
func (c *child) start() int {
	if c.keyEnd > 0 {
		return c.keyStart
	}
	return c.value.start
}

func (c *child) end() int { return c.value.end }

// find returns the last child with the key, nil where there is none.
func (n *node) find(key string) *child {
	for i := len(n.children) - 1; i >= 0; i-- {
		if n.children[i].key == key {
			return &n.children[i]
		}
	}
	return nil
}

// at returns an element, nil where there is none.
func (n *node) at(i int) *child {
	if i < 0 || i >= len(n.children) {
		return nil
	}
	return &n.children[i]
}

// rooms are for [parser.open].
var rooms = sync.Pool{New: func() any { return new(make([]child, 16)) }}

type parser struct {
	src   string
	at    int
	depth int
	open  []child // of the containers that are not closed yet, the outer ones first
}

func parse(src string) (*node, error) {
	room := rooms.Get().(*[]child)
	p := &parser{src: src, open: (*room)[:0]}
	defer func() {
		*room = p.open[:cap(p.open)]
		clear(*room) // or it keeps texts alive
		rooms.Put(room)
	}()
	if strings.HasPrefix(src, "\ufeff") {
		return nil, p.fail("a byte order mark begins the file: save it as UTF-8 without one")
	}
	p.space()
	if p.at == len(src) {
		return nil, p.fail("no JSON value: the file is empty")
	}
	root, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(src) {
		return nil, p.fail(p.found() + " after the end of the value")
	}
	return &root, nil
}

func (p *parser) value() (n node, err error) {
	n.start = p.at
	switch c := p.peek(); {
	case c == '{' || c == '[':
		err = p.container(&n)
	case c == '"':
		n.kind = KindString
		err = p.str()
	case c == '-' || isDigit(c):
		n.kind = KindNumber
		err = p.number()
	case p.word("true") || p.word("false"):
		n.kind = KindBool
	case p.word("null"):
		n.kind = KindNull
	default:
		err = p.fail(p.found() + ": a value is missing here")
	}
	n.end = p.at
	return n, err
}

// container parses an object or an array from its opening bracket on.
func (p *parser) container(n *node) error {
	if p.depth++; p.depth > maxDepth {
		return p.fail(fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	defer func() { p.depth-- }()
	n.kind = KindObject
	closing := byte('}')
	if p.peek() == '[' {
		n.kind = KindArray
		closing = ']'
	}
	p.at++
	if p.space(); p.peek() == closing {
		p.at++
		return nil
	}
	first := len(p.open)
	for {
		c, err := p.child(n.kind)
		if err != nil {
			return err
		}
		p.open = append(p.open, c)
		p.space()
		switch p.peek() {
		case closing:
			p.at++
			n.children = append([]child(nil), p.open[first:]...) // as many as there are
			p.open = p.open[:first]
			return nil
		case ',':
			p.at++
		default:
			return p.fail(fmt.Sprintf("%s: ',' or '%c' is missing here", p.found(), closing))
		}
		if p.space(); p.peek() == '}' || p.peek() == ']' {
			return p.fail("a comma stands before the closing bracket: JSON allows none there")
		}
	}
}

func (p *parser) child(kind Kind) (c child, err error) {
	if kind == KindObject {
		c.keyStart = p.at
		if p.peek() != '"' {
			return c, p.fail(p.found() + ": a key in double quotes is missing here")
		}
		if err = p.str(); err != nil {
			return c, err
		}
		c.keyEnd = p.at
		c.key = decode(p.src[c.keyStart:c.keyEnd])
		if p.space(); p.peek() != ':' {
			return c, p.fail(p.found() + ": ':' is missing after the key")
		}
		p.at++
		p.space()
	}
	c.value, err = p.value()
	return c, err
}

func (p *parser) str() error {
	open := p.at
	for p.at++; p.at < len(p.src); p.at++ {
		switch c := p.src[p.at]; {
		case c == '"':
			p.at++
			return nil
		case c == '\\':
			if !p.escape() {
				return p.fail("no such escape in a string: a backslash itself is written \\\\")
			}
		case c < ' ':
			return p.fail(fmt.Sprintf("a raw control character (0x%02x) in a string", c))
		}
	}
	p.at = open
	return p.fail("the string has no closing quote")
}

// escape steps to the last byte of an escape; at one that JSON does not know
// it stays and returns false.
func (p *parser) escape() bool {
	rest := p.src[p.at+1:]
	switch {
	case rest == "":
		return true // the missing quote is the error to report
	case strings.IndexByte(`"\/bfnrt`, rest[0]) >= 0:
		p.at++
		return true
	case rest[0] != 'u' || len(rest) < 5:
		return false
	}
	for _, c := range []byte(rest[1:5]) {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	p.at += 5
	return true
}

func (p *parser) number() error {
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else if !p.digits() {
		return p.fail(p.found() + ": a digit is missing here")
	}
	if p.peek() == '.' {
		if p.at++; !p.digits() {
			return p.fail(p.found() + ": a digit is missing after the point")
		}
	}
	if p.peek()|0x20 == 'e' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return p.fail(p.found() + ": a digit is missing in the exponent")
		}
	}
	return nil
}

func (p *parser) digits() bool {
	from := p.at
	for isDigit(p.peek()) {
		p.at++
	}
	return p.at > from
}

func (p *parser) word(w string) bool {
	ok := strings.HasPrefix(p.src[p.at:], w)
	if ok {
		p.at += len(w)
	}
	return ok
}

func (p *parser) space() {
	for ; p.at < len(p.src); p.at++ {
		switch p.src[p.at] {
		case ' ', '\t', '\r', '\n':
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end: JSON has no place for a byte 0.
func (p *parser) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

// found names what stands here, for messages.
func (p *parser) found() string {
	if p.at == len(p.src) {
		return "end of the file"
	}
	if rest := p.src[p.at:]; strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") {
		return "a comment, which JSON does not have"
	}
	r, size := utf8.DecodeRuneInString(p.src[p.at:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("byte 0x%02x", p.src[p.at])
	}
	return fmt.Sprintf("%q", r)
}

func (p *parser) fail(text string) error {
	line, col := position(p.src, p.at)
	return &SyntaxError{line, col, text}
}

func position(src string, at int) (line, col int) {
	before := src[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// decode is the text of a string literal as encoding/json reads it.
func decode(literal string) string {
	if inner := literal[1 : len(literal)-1]; strings.IndexByte(inner, '\\') < 0 && utf8.ValidString(inner) {
		return inner
	}
	var s string
	if err := json.Unmarshal([]byte(literal), &s); err != nil {
		return "" // not reached: the parser let the literal pass
	}
	return s
}
