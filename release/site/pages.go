package site

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// page is a page of the site: a Markdown file, or one section of it.
type page struct {
	source string // path in the repository: docs/start.md
	path   string // in the site: start.html
	title  string
	about  string // what it is about, in one line
	group  string // of the list of pages
	part   bool   // a section of a long page, which lists it
	text   []byte // of the source
	nodes  []ast.Node
}

// markdown reads and writes what GitHub does, without raw HTML.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 1))))

// read fills pages and places.
func (s *Site) read() error {
	order, err := s.order()
	if err != nil {
		return err
	}
	s.places = map[string]map[string]string{}
	for _, p := range order {
		if p.text, err = os.ReadFile(filepath.Join(s.Source, filepath.FromSlash(p.source))); err != nil {
			return err
		}
		s.split(p)
	}
	return nil
}

// split adds the pages of a source: one, or one for each section of a long one.
func (s *Site) split(p *page) {
	doc := parse(p.text)
	places := map[string]string{"": p.path}
	s.places[p.source] = places
	s.pages = append(s.pages, p)
	now, long := p, len(p.text) > SplitAt
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id := anchor(h)
			switch {
			case h.Level == 1 && p.title == "":
				p.title = words(h, p.text)
			case h.Level == 2 && long:
				now = &page{source: p.source, path: strings.TrimSuffix(p.path, ".html") + "/" + id + ".html", title: words(h, p.text), group: p.group, part: true, text: p.text}
				s.pages = append(s.pages, now)
			}
			if places[id] = now.path + "#" + id; len(now.nodes) == 0 {
				places[id] = now.path
			}
			if now.part {
				h.Level--
			}
		}
		now.nodes = append(now.nodes, n)
	}
}

func parse(src []byte) ast.Node {
	return markdown.Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext(parser.WithIDs(ids{}))))
}

func anchor(h *ast.Heading) string {
	id, _ := h.AttributeString("id")
	value, _ := id.([]byte)
	return string(value)
}

// ids gives headings the names that GitHub gives them, which links rely on.
type ids map[string]bool

func (taken ids) Generate(value []byte, _ ast.NodeKind) []byte {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	unique := name
	for i := 1; taken[unique]; i++ {
		unique = fmt.Sprintf("%s-%d", name, i)
	}
	taken[unique] = true
	return []byte(unique)
}

func (taken ids) Put(value []byte) { taken[string(value)] = true }

// words is the text of a node without marks, with a blank between blocks.
func words(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(src))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(src))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(src))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// placed returns the path in the site for a source.
func placed(source string) string {
	switch source {
	case "README.md":
		return "index.html"
	case "docs/README.md":
		return "manual.html"
	}
	name := strings.TrimSuffix(strings.TrimPrefix(source, "docs/"), ".md")
	switch {
	case path.Base(name) == "README" && strings.HasPrefix(source, "docs/"):
		return path.Join(path.Dir(name), "index.html")
	case path.Base(name) == "README":
		return path.Dir(name) + ".html"
	}
	return strings.ToLower(name) + ".html"
}
