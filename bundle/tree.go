package bundle

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the nesting of unknown fields; the schemas need 5 levels.
const maxDepth = 100

// node is a JSON value: unlike encoding/json's, with its place, its members in
// order, and its numbers as they were spelled.
type node struct {
	kind    byte   // '{', '[', '"', '0' for numbers, 't' and 'f' and 'n'
	start   int    // offset in the text
	text    string // of a string: what it says; of a number: its spelling
	members []member
	items   []*node
	where   *place
}

type member struct {
	name  string
	start int
	value *node
}

// place is a JSON pointer from the end up, spelled out only where a problem is.
type place struct {
	up   *place
	step string
}

func (p *place) String() string {
	var steps []string
	for ; p != nil && p.up != nil; p = p.up {
		steps = append(steps, p.step)
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(steps[i]))
	}
	return b.String()
}

// tree reads the text, or tells the first place where it is not JSON in UTF-8.
func (r *reader) tree() *node {
	if at := invalidUTF8(r.src); at >= 0 {
		r.problem(at, nil, "not UTF-8")
		return nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(r.src, &whole); err != nil {
		at := 0
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = max(0, int(syntax.Offset)-1) // of the byte that could not be
		}
		r.problem(at, nil, "not JSON: "+err.Error())
		return nil
	}
	// From here on the text is known to be well formed.
	p := &treeParser{reader: r}
	return p.value(&place{}, 0)
}

func invalidUTF8(src []byte) int {
	for i := 0; i < len(src); {
		c, n := utf8.DecodeRune(src[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// treeParser walks over well-formed JSON.
type treeParser struct {
	*reader
	at int
}

func (p *treeParser) skipTo() byte {
	for {
		switch c := p.src[p.at]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			p.at++
		default:
			return c
		}
	}
}

func (p *treeParser) value(where *place, depth int) *node {
	n := &node{kind: p.skipTo(), start: p.at, where: where}
	switch n.kind {
	case '{', '[':
		p.at++
		if depth == maxDepth {
			p.problem(n.start, where, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
			p.skipNested()
		} else if n.kind == '{' {
			p.object(n, depth)
		} else {
			p.array(n, depth)
		}
	case '"':
		n.text = p.string(where)
	default:
		for p.at < len(p.src) && strings.IndexByte(" \t\n\r,]}", p.src[p.at]) < 0 {
			p.at++
		}
		n.text = string(p.src[n.start:p.at])
		if n.kind != 't' && n.kind != 'f' && n.kind != 'n' {
			n.kind = '0'
		}
	}
	return n
}

func (p *treeParser) object(n *node, depth int) {
	seen := map[string]bool{}
	for p.skipTo() != '}' {
		start := p.at
		name := p.string(n.where)
		where := &place{n.where, name}
		if seen[name] {
			p.problem(start, where, "stands here a second time: keep one of them")
		}
		seen[name] = true
		n.members = append(n.members, member{name, start, p.value(where, depth+1)})
	}
	p.at++
}

func (p *treeParser) array(n *node, depth int) {
	for p.skipTo() != ']' {
		where := &place{n.where, strconv.Itoa(len(n.items))}
		n.items = append(n.items, p.value(where, depth+1))
	}
	p.at++
}

// skipNested goes behind the bracket that closes what was just opened.
func (p *treeParser) skipNested() {
	for open := 1; open > 0; {
		switch p.src[p.at] {
		case '{', '[':
			open++
		case '}', ']':
			open--
		case '"':
			p.skipString()
			continue
		}
		p.at++
	}
}

func (p *treeParser) skipString() {
	for p.at++; p.src[p.at] != '"'; p.at++ {
		if p.src[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
}

// string reads the string at p.at. Half a surrogate pair stands for no
// character: what it said would be lost.
func (p *treeParser) string(where *place) string {
	start := p.at
	p.skipString()
	raw := string(p.src[start+1 : p.at-1])
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	text, half := unescape(raw)
	if half >= 0 {
		p.problem(start+1+half, where, "half of a surrogate pair ("+raw[half:half+6]+"): write the character itself")
	}
	return text
}

// unescape undoes JSON's escapes; half is where half a pair stands, or -1.
func unescape(raw string) (text string, half int) {
	half = -1
	var b strings.Builder
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			b.WriteByte(raw[i])
			i++
			continue
		}
		if at := strings.IndexByte("bfnrt", raw[i+1]); at >= 0 {
			b.WriteByte("\b\f\n\r\t"[at])
			i += 2
			continue
		}
		if raw[i+1] != 'u' {
			b.WriteByte(raw[i+1])
			i += 2
			continue
		}
		c, size := unicodeEscape(raw[i:])
		if c == utf8.RuneError && size < 0 {
			size, half = -size, i
		}
		b.WriteRune(c)
		i += size
	}
	return b.String(), half
}

// unicodeEscape reads \uXXXX, or two that are a pair; the size is negative for
// half a pair.
func unicodeEscape(s string) (c rune, size int) {
	c = hex4(s[2:6])
	if !utf16.IsSurrogate(c) {
		return c, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(c, hex4(s[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, -6
}

func hex4(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 16) // well formed, as all of the text
	return rune(n)
}
