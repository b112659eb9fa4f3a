package jsonsplice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"handoff/internal/json/jsontext"
)

// AddMember adds a member at the end of a path of names, whose last one is new, as
// the last of its object. Objects that are missing on the way are created.
func (f *File) AddMember(raw json.RawMessage, path ...string) error {
	at, rest, err := f.deepest(path)
	switch {
	case err != nil:
		return err
	case len(rest) == 0:
		return fmt.Errorf("%s: exists", strings.Join(path, "."))
	}
	return f.insert(at, rest[0], wrap(raw, rest[1:]))
}

// AddElement adds an element at the end of the array at a path of names. What is
// missing on the way is created, also the array.
func (f *File) AddElement(raw json.RawMessage, path ...string) error {
	at, rest, err := f.deepest(path)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return f.insert(at, rest[0], wrap(append(append([]byte("["), raw...), ']'), rest[1:]))
	case at.Kind != jsontext.KindArray:
		return f.wrongKind(at, path, jsontext.KindArray)
	}
	return f.insert(at, "", raw)
}

// deepest is the last existing value on a path, and the rest of the path.
func (f *File) deepest(path []string) (at *jsontext.Node, rest []string, err error) {
	at = f.root
	for i, name := range path {
		if at.Kind != jsontext.KindObject {
			return nil, nil, f.wrongKind(at, path[:i], jsontext.KindObject)
		}
		c := find(at, name)
		if c < 0 {
			return at, path[i:], nil
		}
		at = &at.Children[c].Value
	}
	return at, nil, nil
}

func (f *File) wrongKind(at *jsontext.Node, path []string, want jsontext.Kind) error {
	line, _ := jsontext.Position(f.src, at.Start)
	return fmt.Errorf("line %d: %w: %s is %s, want %s", line, ErrKind, strings.Join(path, "."), at.Kind, want)
}

// wrap returns the value inside objects with these names.
func wrap(raw json.RawMessage, names []string) json.RawMessage {
	for i := len(names) - 1; i >= 0; i-- {
		raw = fmt.Appendf(nil, "{%s:%s}", jsontext.AppendText(nil, names[i]), raw)
	}
	return raw
}

// insert adds an item at the end of a container: after the last byte in it that is
// not whitespace, so that comments stay with their items.
func (f *File) insert(n *jsontext.Node, name string, raw json.RawMessage) error {
	end := n.End - 1 - (len(f.src[n.Start+1:n.End-1]) - len(strings.TrimRight(f.src[n.Start+1:n.End-1], jsontext.Blanks)))
	indent, lead := f.lineIndent(n.Start), "" // directly after the bracket
	if end > n.Start+1 {
		indent = f.indentIn(n)
		lead = lineBreak(f.src) + indent
	}
	text, err := f.layout(name, raw, indent)
	if err != nil {
		return err
	}
	text = lead + text
	before := f.src[:end]
	if last := len(n.Children) - 1; last >= 0 {
		if at := n.Children[last].End(); f.commaAfter(at) >= 0 { // a trailing comma: a habit to follow
			text += ","
		} else {
			before = f.src[:at] + "," + f.src[at:end]
		}
	}
	return f.set(before + text + f.src[end:])
}

// layout lays an item out on separate lines.
func (f *File) layout(name string, raw json.RawMessage, indent string) (string, error) {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, indent, f.unit()); err != nil {
		return "", err
	}
	text := strings.ReplaceAll(out.String(), "\n", lineBreak(f.src))
	if name == "" {
		return text, nil
	}
	return string(jsontext.AppendText(nil, name)) + ": " + text, nil
}

// indentIn is the indentation of an item of a container: that of its items if one
// begins a line, else one level more than the line of the container.
func (f *File) indentIn(n *jsontext.Node) string {
	for i := range n.Children {
		if indent, ok := f.beginsLine(n.Children[i].Start()); ok {
			return indent
		}
	}
	return f.lineIndent(n.Start) + f.unit()
}

// lineIndent is the indentation of the line with an offset.
func (f *File) lineIndent(at int) string {
	line := f.src[strings.LastIndexByte(f.src[:at], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// beginsLine is the indentation of the item at an offset, if nothing else is before it
// on its line.
func (f *File) beginsLine(at int) (indent string, ok bool) {
	start := strings.LastIndexByte(f.src[:at], '\n') + 1
	indent = f.src[start:at]
	return indent, start > 0 && strings.Trim(indent, " \t") == ""
}

// unit is one level of indentation: that of the members of the root.
func (f *File) unit() string {
	for i := range f.root.Children {
		if indent, ok := f.beginsLine(f.root.Children[i].Start()); ok && indent != "" {
			return indent
		}
	}
	return "  "
}

func lineBreak(src string) string {
	if i := strings.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
