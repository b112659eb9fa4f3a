package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"handoff/internal/json/jsontext"
)

// load returns the root of the one document in src; nil if there are only blanks and
// comments, or problems.
func (r *Reading) load(src []byte) *yaml.Node {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if i := jsontext.FirstInvalid(src); i >= 0 {
		m := newMark(string(src)).move(i)
		r.add(m.line, m.col, "byte 0x%02x is not valid UTF-8: save the file as UTF-8", src[i])
		return nil
	}
	// YAML is not quite a superset of JSON: it rejects the escapes \ud83d\ude00.
	if root, err := jsontext.Plain.Parse(string(src)); err == nil {
		return notNull(newMark(string(src)).fromJSON(root))
	}
	if i := bytes.IndexFunc(src, isControl); i >= 0 {
		m := newMark(string(src)).move(i)
		c, _ := utf8.DecodeRune(src[i:])
		r.add(m.line, m.col, "control character U+%04X is not allowed here", c)
		return nil
	}
	sound := len(r.Problems)
	root := r.loadYAML(src)
	if len(r.Problems) > sound && meantAsJSON(r.Name, src) {
		r.notJSON(src, sound)
	}
	return notNull(root)
}

// meantAsJSON reports whether an invalid input was meant to be JSON: by the name of
// its file, or because it starts like an object or a list of JSON.
func meantAsJSON(name string, src []byte) bool {
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".json"):
		return true
	case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"):
		return false
	}
	text := bytes.TrimLeft(src, jsontext.Blanks)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	text = bytes.TrimLeft(text[1:], jsontext.Blanks)
	return len(text) == 0 || strings.IndexByte(`"{[`, text[0]) >= 0
}

// notJSON replaces the problems from the given one on, which come from the YAML
// reader, by the error of the JSON reader.
func (r *Reading) notJSON(src []byte, from int) {
	_, err := jsontext.ParseFile(string(src))
	var syntax *jsontext.SyntaxError
	if errors.As(err, &syntax) {
		r.Problems = r.Problems[:from]
		r.add(syntax.Line, syntax.Col, "not JSON: %s", syntax.Text)
	}
}

func (r *Reading) loadYAML(src []byte) *yaml.Node {
	loader, err := yaml.NewLoader(bytes.NewReader(src))
	if err != nil {
		r.syntax(err, src)
		return nil
	}
	var doc, more yaml.Node
	if err := loader.Load(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			r.syntax(err, src)
		}
		return nil
	}
	if err := loader.Load(&more); err == nil {
		r.add(more.Line, more.Column, "a second document starts here: only one is allowed")
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err, src)
	}
	if len(doc.Content) == 0 {
		return nil
	}
	return doc.Content[0]
}

// notNull returns nil for a document that is null, like an empty one.
func notNull(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	return n
}

// isControl reports whether YAML forbids a character in text. Surrogates are not valid
// UTF-8 anyway.
func isControl(c rune) bool {
	return c < ' ' && !strings.ContainsRune("\t\n\r", c) || 0x7f <= c && c < 0xa0 && c != 0x85 || c == 0xfffe || c == 0xffff
}
