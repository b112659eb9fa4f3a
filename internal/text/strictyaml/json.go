package strictyaml

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"handoff/internal/json/jsontext"
)

// mark is a place in the source that only moves forward.
type mark struct {
	src               string
	offset, line, col int
}

func newMark(src string) *mark { return &mark{src: src, line: 1, col: 1} }

func (m *mark) move(to int) *mark {
	for m.offset < to {
		c, size := utf8.DecodeRuneInString(m.src[m.offset:])
		m.offset += size
		m.col++
		if c == '\n' {
			m.line, m.col = m.line+1, 1
		}
	}
	return m
}

// node is a node of the YAML library at an offset of the source.
func (m *mark) node(at int, kind yaml.Kind, tag, value string) *yaml.Node {
	m.move(at)
	return &yaml.Node{Kind: kind, Tag: tag, Value: value, Line: m.line, Column: m.col}
}

// fromJSON builds the tree that the YAML library would build from the same text.
func (m *mark) fromJSON(n *jsontext.Node) *yaml.Node {
	text := m.src[n.Start:n.End]
	switch n.Kind {
	case jsontext.KindString:
		return m.node(n.Start, yaml.ScalarNode, "!!str", jsontext.Text(text))
	case jsontext.KindNumber:
		if strings.ContainsAny(text, ".eE") {
			return m.node(n.Start, yaml.ScalarNode, "!!float", text)
		}
		return m.node(n.Start, yaml.ScalarNode, "!!int", text)
	case jsontext.KindBool:
		return m.node(n.Start, yaml.ScalarNode, "!!bool", text)
	case jsontext.KindNull:
		return m.node(n.Start, yaml.ScalarNode, "!!null", text)
	}
	container := m.node(n.Start, yaml.SequenceNode, "!!seq", "")
	if n.Kind == jsontext.KindObject {
		container.Kind, container.Tag = yaml.MappingNode, "!!map"
	}
	for i := range n.Children {
		c := &n.Children[i]
		if n.Kind == jsontext.KindObject {
			container.Content = append(container.Content, m.node(c.NameStart, yaml.ScalarNode, "!!str", c.Name))
		}
		container.Content = append(container.Content, m.fromJSON(&c.Value))
	}
	return container
}
