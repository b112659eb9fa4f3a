package parse

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/adrg/frontmatter"
	"go.yaml.in/yaml/v4"

	"handoff/document/handoff"
)

// maxFront is the most bytes of frontmatter that are read.
const maxFront = 64 << 10

// readFront reads the frontmatter, if there is any, and returns the offset of
// the body: after the byte order mark and the frontmatter.
func readFront(doc *handoff.Document, src []byte) (body int) {
	if bytes.HasPrefix(src, []byte(bom)) {
		body = len(bom)
	}
	if !opensFront(doc.Source[body:]) {
		return body
	}
	raw, rest, err := splitFront(src[body:])
	if err != nil {
		badFront(doc, 1, 0, "frontmatter is never closed: end it with a line ---")
		return body
	}
	body = len(src) - len(rest)
	front := &handoff.Front{Lines: handoff.Lines{First: 1, Last: doc.LineAt(body - 1)}, KeyLine: map[string]int{}}
	doc.Front = front
	if strings.TrimRight(doc.Line(front.Lines.Last), " \t") != "---" {
		badFront(doc, front.Lines.Last, 1, "an indented --- closes the frontmatter here: write --- at the start of the line")
	}
	f := frontReader{doc: doc, front: front}
	f.read(raw)
	return body
}

func opensFront(src string) bool {
	if !strings.HasPrefix(src, "---") {
		return false
	}
	line, _, _ := strings.Cut(src, "\n")
	return len(strings.TrimRight(line, blanks)) == len("---")
}

// splitFront separates the frontmatter. The library gets one format, because it
// would also read JSON and TOML, and only splits: its decoder loses line
// numbers and duplicate keys.
func splitFront(src []byte) (raw, rest []byte, err error) {
	keep := func(data []byte, v any) error {
		*v.(*[]byte) = bytes.Clone(data)
		return nil
	}
	rest, err = frontmatter.MustParse(bytes.NewReader(src), &raw, frontmatter.NewFormat("---", "---", keep))
	return raw, rest, err
}

func badFront(doc *handoff.Document, line, col int, text string) {
	problem(doc, handoff.BadFront, line, col, text)
}

// frontReader reads the YAML between the two lines.
type frontReader struct {
	doc   *handoff.Document
	front *handoff.Front
	in    string // the key that is being read; "" outside of one

	counted bool // its task is one of total_tasks, a step of a plan of GSD: no task of ours
}

func (f *frontReader) read(raw []byte) {
	if len(raw) > maxFront {
		badFront(f.doc, 1, 0, "frontmatter is longer than 64 KiB: not read")
		return
	}
	root, err := loadYAML(raw)
	if err != nil {
		line, col, text := f.place(err)
		badFront(f.doc, line, col, "frontmatter cannot be read: "+text)
	}
	if root == nil {
		return
	}
	if root.Kind != yaml.MappingNode {
		f.bad(root, "frontmatter must be lines of the form key: value")
		return
	}
	f.pairs(root, f.key)
	if f.counted {
		f.front.Task = 0
	}
}

// loadYAML returns the root of the one document in raw; nil if there are only
// blanks and comments.
func loadYAML(raw []byte) (*yaml.Node, error) {
	// A line end replaces the opening ---, so that YAML's lines are those of
	// the file.
	loader, err := yaml.NewLoader(io.MultiReader(strings.NewReader("\n"), bytes.NewReader(raw)))
	if err != nil {
		return nil, err
	}
	var doc, more yaml.Node
	if err := loader.Load(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	if err := loader.Load(&more); err == nil {
		return doc.Content[0], errors.New("it contains a second YAML document")
	} else if !errors.Is(err, io.EOF) {
		return doc.Content[0], err
	}
	return doc.Content[0], nil
}

// place is the position of an error of the YAML library, and its message
// without the position.
func (f *frontReader) place(err error) (line, col int, text string) {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return f.front.Lines.First, 0, err.Error()
	}
	text = load.Message
	if load.Mark.Line == 0 {
		return f.front.Lines.First, 0, text
	}
	line, col = f.at(load.Mark.Line, load.Mark.Column)
	return line, col, text
}

// at converts a position of the YAML library to one in the file. The library's
// columns count characters, and some rare characters end its lines.
func (f *frontReader) at(line, column int) (int, int) {
	line = min(max(line, f.front.Lines.First), f.front.Lines.Last)
	text := f.doc.Line(line)
	for i := range text {
		if column--; column == 0 {
			return line, i + 1
		}
	}
	return line, len(text) + 1
}

func (f *frontReader) bad(n *yaml.Node, text string) {
	line, col := f.at(n.Line, n.Column)
	badFront(f.doc, line, col, text)
	f.doc.Problems[len(f.doc.Problems)-1].Key = f.in
}
