package lsp

import (
	"context"
	"strings"

	"handoff/document/handoff"
)

// documentSymbols is the outline: the title with the sections, each with its subheadings.
func (s *server) documentSymbols(ctx context.Context, p documentParams) (any, error) {
	b, c, err := s.document(ctx, p.Document)
	if b == nil {
		return []documentSymbol{}, err
	}
	list := b.outline(c.doc)
	if s.client.Document.Symbol.Hierarchical {
		return list, nil
	}
	return flat([]symbolInformation{}, b.uri, "", list), nil
}

func (b *buffer) outline(doc *handoff.Document) []documentSymbol {
	list := []documentSymbol{}
	for i := range doc.Sections {
		list = append(list, b.section(doc, &doc.Sections[i]))
	}
	if doc.Title.Lines.First == 0 {
		return list
	}
	title := b.symbol(doc, doc.Title.Text, doc.Title.Lines, handoff.Lines{First: doc.Title.Lines.First, Last: doc.NumLines()})
	title.Children = list
	return []documentSymbol{title}
}

func (b *buffer) section(doc *handoff.Document, s *handoff.Section) documentSymbol {
	out := b.symbol(doc, s.Heading.Text, s.Heading.Lines, s.Lines)
	if s.Spelling == handoff.Misspelled {
		out.Detail = "read as " + s.Kind.String()
	}
	for i := range s.Blocks {
		if s.Blocks[i].Kind != handoff.Subheading {
			continue
		}
		end := s.Lines.Last
		for _, later := range s.Blocks[i+1:] {
			if later.Kind == handoff.Subheading {
				end = later.Lines.First - 1
				break
			}
		}
		at := s.Blocks[i].Lines
		name := strings.Trim(doc.Line(at.First), "# \t")
		out.Children = append(out.Children, b.symbol(doc, name, at, handoff.Lines{First: at.First, Last: end}))
	}
	return out
}

// symbol is a heading with the lines that belong to it. The protocol does not allow an
// empty name.
func (b *buffer) symbol(doc *handoff.Document, name string, heading, all handoff.Lines) documentSymbol {
	if strings.TrimSpace(name) == "" {
		name = "(untitled)"
	}
	return documentSymbol{Name: name, Kind: symbolString, Range: b.lines(doc, all), Selection: b.lines(doc, heading)}
}

// lines is the range of some lines of a document, without the last line end.
func (b *buffer) lines(doc *handoff.Document, l handoff.Lines) textRange {
	return b.span(doc.Offset(l.First), doc.Offset(l.Last)+len(doc.Line(l.Last)))
}

func flat(out []symbolInformation, uri, container string, list []documentSymbol) []symbolInformation {
	for _, d := range list {
		out = append(out, symbolInformation{d.Name, symbolString, location{uri, d.Range}, container})
		out = flat(out, uri, d.Name, d.Children)
	}
	return out
}
