package lsp

import (
	"context"
	"maps"
	"slices"

	"handoff/lint"
	"handoff/workspace"
)

const source = "handoff"

// publishDirty sends the diagnostics of all buffers that changed. For a client that asks
// for them it does nothing.
func (s *server) publishDirty(ctx context.Context) error {
	for _, uri := range slices.Sorted(maps.Keys(s.dirty)) {
		delete(s.dirty, uri)
		if s.client.pulls() {
			continue
		}
		b := s.open[uri]
		c, err := s.check(ctx, b)
		if err != nil {
			return err
		}
		if !c.Document && !b.shown {
			continue // an empty list, too, would be a message about a file that is not ours
		}
		b.shown = c.Document
		if err := s.notify("textDocument/publishDiagnostics", publishParams{URI: uri, Version: &b.version, Diagnostics: s.diagnostics(b, c)}); err != nil {
			return err
		}
	}
	return nil
}

// diagnostic answers a client that asks for diagnostics.
func (s *server) diagnostic(ctx context.Context, p documentParams) (any, error) {
	report := diagnosticReport{Kind: "full", Items: []diagnostic{}}
	b, c, err := s.document(ctx, p.Document)
	if b != nil {
		report.Items = s.diagnostics(b, c)
	}
	return report, err
}

// diagnostics are the findings of a buffer, or why it could not be checked.
func (s *server) diagnostics(b *buffer, c *checked) []diagnostic {
	list := []diagnostic{}
	if !c.Document {
		return list
	}
	if c.err != nil {
		return append(list, diagnostic{Range: b.wholeLine(0), Severity: 1, Source: source, Message: "not checked: " + workspace.Reason(c.err).Error()})
	}
	for i := range c.findings {
		list = append(list, s.diagnosticOf(b, c, &c.findings[i]))
	}
	return list
}

// severities are the numbers of the protocol.
var severities = [...]int{lint.Error: 1, lint.Warning: 2, lint.Note: 3}

func (s *server) diagnosticOf(b *buffer, c *checked, f *lint.Finding) diagnostic {
	d := diagnostic{Range: b.rangeOf(c, f), Severity: severities[f.Severity], Code: f.Rule, Source: source, Message: f.Message}
	if s.RulesPage != "" {
		d.Description = &codeDescription{s.RulesPage + "#" + f.Rule}
	}
	return d
}

// rangeOf is the range of a finding. One about the whole file is shown at the first line.
func (b *buffer) rangeOf(c *checked, f *lint.Finding) textRange {
	if f.Lines.First == 0 {
		return b.wholeLine(0)
	}
	from, to := c.doc.Offset(f.Lines.First), c.doc.Offset(f.Lines.Last)+len(c.doc.Line(f.Lines.Last))
	if f.Col > 0 {
		to = c.doc.Offset(f.Lines.Last) + f.EndCol - 1
		from += f.Col - 1
	}
	return b.span(from, to)
}

// wholeLine is the range of a line, from 0, without its end.
func (b *buffer) wholeLine(n int) textRange {
	return b.span(b.starts[n], b.starts[n]+len(b.line(n)))
}
