package parse

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"handoff/document/handoff"
)

// maxDepth is the limit for nested lists and quotes. Beyond it goldmark takes
// quadratic time: 62 KiB of "- " would take seconds.
const maxDepth = 100

// markdown is goldmark with only its block parsers, each in a watch.
type markdown struct {
	parser parser.Parser
	key    parser.ContextKey // of the *trace of one run
}

var loadMarkdown = sync.OnceValue(func() *markdown {
	m := &markdown{key: parser.NewContextKey()}
	var watched []util.PrioritizedValue
	for _, v := range parser.DefaultBlockParsers() {
		p := v.Value.(parser.BlockParser)
		nests := p == parser.NewListParser() || p == parser.NewBlockquoteParser()
		watched = append(watched, util.Prioritized(watch{p, m.key, nests}, v.Priority))
	}
	m.parser = parser.NewParser(parser.WithBlockParsers(watched...))
	return m
})

// trace is what goldmark's tree lacks: where blocks without text begin, which
// line closes a fence, and whether nesting is too deep.
type trace struct {
	open map[ast.Node]int // offset of the line on which a block begins
	last map[ast.Node]int // offset of the closing fence, or of a quote's last line with a marker
	deep int              // 1 + offset of the line that nests too deep; 0 if none does
}

// watch records what a block parser does.
type watch struct {
	parser.BlockParser
	key   parser.ContextKey
	nests bool // it can contain blocks: lists and quotes
}

// Open refuses to nest too deep: the rest of the line becomes a paragraph, so
// that the run ends soon instead of after minutes.
func (w watch) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	t := pc.Get(w.key).(*trace)
	_, at := r.Position()
	before := at.Start
	if w.nests && depthOf(parent) >= maxDepth && w.wouldOpen(parent, r, pc) {
		if t.deep == 0 {
			t.deep = before + 1
		}
		return nil, parser.NoChildren
	}
	n, state := w.BlockParser.Open(parent, r, pc)
	if n != nil && n.Kind() != ast.KindParagraph { // its lines show where it begins
		t.open[n] = before
	}
	return n, state
}

// wouldOpen tries the parser and resets the reader.
func (w watch) wouldOpen(parent ast.Node, r text.Reader, pc parser.Context) bool {
	line, at := r.Position()
	n, _ := w.BlockParser.Open(parent, r, pc)
	r.SetPosition(line, at)
	return n != nil
}

// Continue records the last line of fences and quotes.
func (w watch) Continue(n ast.Node, r text.Reader, pc parser.Context) parser.State {
	_, at := r.Position()
	before := at.Start
	state := w.BlockParser.Continue(n, r, pc)
	continues := state&parser.Continue != 0
	switch n.Kind() {
	case ast.KindFencedCodeBlock:
		if !continues { // only a closing fence ends it here; the end of its container does not call Continue
			pc.Get(w.key).(*trace).last[n] = before
		}
	case ast.KindBlockquote:
		if continues {
			pc.Get(w.key).(*trace).last[n] = before
		}
	}
	return state
}

func depthOf(n ast.Node) int {
	depth := 0
	for ; n != nil; n = n.Parent() {
		if n.Kind() == ast.KindListItem || n.Kind() == ast.KindBlockquote {
			depth++
		}
	}
	return depth
}

// goldmarkBlocks lists the blocks of src from offset body. deep is the line
// that nests too deep, 0 if none does; if it is not 0, there are no blocks.
func goldmarkBlocks(doc *handoff.Document, src []byte, body int) (blocks []block, deep int) {
	return blocksFrom(text.NewReader(src[body:]), doc, src, body)
}

// blocksFrom runs goldmark on src from offset body.
func blocksFrom(r text.Reader, doc *handoff.Document, src []byte, body int) (blocks []block, deep int) {
	m := loadMarkdown()
	t := &trace{open: map[ast.Node]int{}, last: map[ast.Node]int{}}
	pc := parser.NewContext()
	pc.Set(m.key, t)
	root := m.parser.Parse(r, parser.WithContext(pc))
	if t.deep != 0 {
		return nil, doc.LineAt(t.deep - 1 + body)
	}
	f := flattener{doc: doc, src: src, body: body, trace: t}
	f.children(root, 0)
	return f.out, 0
}
