package strictyaml

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// mark is a place in the source that only moves forward.
type mark struct {
	src               []byte
	offset, line, col int
}

func (m *mark) move(to int) {
	for m.offset < to {
		c, size := utf8.DecodeRune(m.src[m.offset:])
		m.offset += size
		m.col++
		if c == '\n' {
			m.line, m.col = m.line+1, 1
		}
	}
}

// loadJSON builds of valid JSON the tree that the YAML library would build.
func loadJSON(src []byte) *yaml.Node {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	b := jsonBuilder{d, mark{src: src, line: 1, col: 1}}
	n, _ := b.value()
	return n
}

type jsonBuilder struct {
	*json.Decoder
	mark mark
}

// value reads the next value; closed is true when it found the end of the
// list or map around it instead.
func (b *jsonBuilder) value() (n *yaml.Node, closed bool) {
	src, at := b.mark.src, int(b.InputOffset())
	for at < len(src) && strings.IndexByte(" \t\r\n:,", src[at]) >= 0 {
		at++
	}
	b.mark.move(at)
	n = &yaml.Node{Kind: yaml.ScalarNode, Line: b.mark.line, Column: b.mark.col}
	token, err := b.Token()
	if err != nil {
		return nil, true // cannot be: the source is valid
	}
	switch t := token.(type) {
	case json.Delim:
		return n, b.open(n, t)
	case string:
		n.Tag, n.Value = "!!str", t
	case json.Number:
		n.Tag, n.Value = "!!int", t.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if t {
			n.Value = "true"
		}
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, false
}

// open reads what a bracket opens into n; it reports a closing one.
func (b *jsonBuilder) open(n *yaml.Node, bracket json.Delim) (closed bool) {
	switch bracket {
	case '[':
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	case '{':
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	default:
		return true
	}
	for {
		child, closed := b.value()
		if closed {
			return false
		}
		n.Content = append(n.Content, child)
	}
}
