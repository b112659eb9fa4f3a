package site

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// body renders a page, and returns its broken links.
func (s *Site) body(p *page) (string, []string) {
	broken := s.relink(p)
	var b bytes.Buffer
	for _, n := range p.nodes {
		if err := markdown.Renderer().Render(&b, p.text, n); err != nil {
			broken = append(broken, fmt.Sprintf("%s: %v", p.source, err))
		}
	}
	return b.String(), broken
}

// blocks renders what differs from goldmark's HTML: headings have a link to themselves, and tables and
// code scroll in boxes that can be reached with the keyboard.
type blocks struct{}

func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
	r.Register(ast.KindCodeSpan, span)
	r.Register(ast.KindHTMLBlock, skip)
	r.Register(extast.KindTable, table)
	r.Register(extast.KindTableHeader, tableHeader)
	r.Register(extast.KindTableRow, tableRow)
	r.Register(extast.KindTableCell, tableCell)
}

// skip leaves out comments, as pages do on GitHub.
func skip(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkSkipChildren, nil
}

func heading(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	if entering {
		_, err := fmt.Fprintf(w, "<h%d id=\"%s\">", h.Level, anchor(h))
		return ast.WalkContinue, err
	}
	link := ""
	if h.Level > 1 {
		link = fmt.Sprintf(` <a class="self" href="#%s" aria-label="link to: %s">#</a>`, anchor(h), html.EscapeString(words(h, src)))
	}
	_, err := fmt.Fprintf(w, "%s</h%d>\n", link, h.Level)
	return ast.WalkContinue, err
}

// span: code in a line is not broken, unless it is long.
func span(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	text, class := words(n, src), ""
	if len(text) > 28 {
		class = ` class="long"`
	}
	_, err := fmt.Fprintf(w, "<code%s>%s</code>", class, html.EscapeString(text))
	return ast.WalkSkipChildren, err
}

// A comment after two blanks or, in a script, on a line of its own.
var (
	remark  = regexp.MustCompile(`\s{2,}#\s.*$`)
	comment = regexp.MustCompile(`(^|\s{2,})#\s.*$`)
)

// code marks what is typed in a dialogue, and comments.
func code(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(f.Language(src))
	}
	quiet := map[string]*regexp.Regexp{"sh": comment, "yaml": comment, "": remark}[language]
	fmt.Fprintf(w, `<pre tabindex="0" class="%s"><code>`, html.EscapeString(language))
	typed := false
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		line := strings.TrimSuffix(string(segment.Value(src)), "\n")
		switch prompt, rest, ok := strings.Cut(line, " "); {
		case language == "console" && ok && (prompt == "$" || prompt == ">" && typed):
			typed = true
			fmt.Fprintf(w, `<span class="prompt">%s </span><b>%s</b>`, html.EscapeString(prompt), html.EscapeString(rest))
		case quiet != nil && quiet.MatchString(line):
			at := quiet.FindStringIndex(line)[0]
			fmt.Fprintf(w, `%s<i>%s</i>`, html.EscapeString(line[:at]), html.EscapeString(line[at:]))
		default:
			typed = false
			_, _ = w.WriteString(html.EscapeString(line))
		}
		_ = w.WriteByte('\n')
	}
	_, err := w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, err
}

func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, err := w.WriteString("<div class=\"table\" tabindex=\"0\"><table>\n")
		return ast.WalkContinue, err
	}
	_, err := w.WriteString("</tbody></table></div>\n")
	return ast.WalkContinue, err
}

// tableHeader leaves out a row of headings that are all empty.
func tableHeader(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	empty := words(n, src) == ""
	text := "</tr></thead><tbody>\n"
	switch {
	case entering && empty:
		return ast.WalkSkipChildren, nil
	case entering:
		text = "<thead><tr>"
	case empty:
		text = "<tbody>\n"
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}

func tableRow(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	text := "</tr>\n"
	if entering {
		text = "<tr>"
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}

// tableCell: an empty heading, as that above the names of rows, is a plain cell.
func tableCell(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	name := "td"
	if n.Parent().Kind() == extast.KindTableHeader && words(n, src) != "" {
		name = "th"
	}
	mark := "</" + name + ">"
	if entering {
		mark = "<" + name + ">"
		if n.(*extast.TableCell).Alignment == extast.AlignRight {
			mark = "<" + name + ` class="number">`
		}
	}
	_, err := w.WriteString(mark)
	return ast.WalkContinue, err
}
