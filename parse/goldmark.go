package parse

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"handoff"
)

// maxDepth is how many lists and quotes may stand in one another. goldmark
// takes quadratic time beyond: 62 KiB of "- " would take seconds.
const maxDepth = 100

// markdown is goldmark with its block parsers only, each under watch.
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

// trace is what goldmark's tree does not tell: where blocks without text
// begin, which line closed a fence, whether nesting went too deep.
type trace struct {
	open map[ast.Node]int // offset of the line a block opened on
	last map[ast.Node]int // offset of the closing fence, of the last line with a quote's marker
	deep int              // 1 + offset of the line that went too deep; 0 when none did
}

// watch notes what a block parser does.
type watch struct {
	parser.BlockParser
	key   parser.ContextKey
	nests bool // it opens lists or quotes
}

// Open refuses to nest too deep: the rest of the line becomes a paragraph, and
// the run ends soon instead of after minutes.
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
	if n != nil && n.Kind() != ast.KindParagraph { // its lines say where it begins
		t.open[n] = before
	}
	return n, state
}

// wouldOpen tries the parser and puts the reader back.
func (w watch) wouldOpen(parent ast.Node, r text.Reader, pc parser.Context) bool {
	line, at := r.Position()
	n, _ := w.BlockParser.Open(parent, r, pc)
	r.SetPosition(line, at)
	return n != nil
}

// Continue notes the last line of fences and quotes.
func (w watch) Continue(n ast.Node, r text.Reader, pc parser.Context) parser.State {
	_, at := r.Position()
	before := at.Start
	state := w.BlockParser.Continue(n, r, pc)
	goesOn := state&parser.Continue != 0
	switch n.Kind() {
	case ast.KindFencedCodeBlock:
		if !goesOn { // only its closing fence ends it here: the end of its container asks nobody
			pc.Get(w.key).(*trace).last[n] = before
		}
	case ast.KindBlockquote:
		if goesOn {
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

// goldmarkBlocks lists the blocks of src from offset body on. deep is the line
// that nests too deep, 0 when none does; there are no blocks then.
func goldmarkBlocks(doc *handoff.Document, src []byte, body int) (blocks []block, deep int) {
	return blocksFrom(text.NewReader(src[body:]), doc, src, body)
}

// blocksFrom has goldmark read src from offset body on through a reader.
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
