package lsp

import (
	"context"
	"slices"
	"strings"

	"handoff/lint"
	"handoff/workspace/check"
)

// codeAction offers the safe fixes: one for each finding in the range that has one, and
// all of them, as `handoff fix` applies them; and at the title what can be done with the handoff.
func (s *server) codeAction(ctx context.Context, p codeActionParams) (any, error) {
	list := []codeAction{}
	b, c, err := s.document(ctx, p.Document)
	if b == nil {
		return list, err
	}
	if wants(p.Context.Only, "quickfix") {
		for i := range c.findings {
			f := &c.findings[i]
			d := s.diagnosticOf(b, c, f)
			if len(f.Edits) == 0 || !d.Range.touches(p.Range) {
				continue
			}
			list = append(list, codeAction{Title: "Fix " + f.Rule, Kind: "quickfix", Diagnostics: []diagnostic{d}, Preferred: true,
				Edit: new(s.workspaceEdit(b, lint.Apply(c.doc, f.Edits)))})
		}
	}
	if wants(p.Context.Only, fixAllKind) && slices.ContainsFunc(c.findings, func(f lint.Finding) bool { return len(f.Edits) > 0 }) {
		r, err := check.Buffer{Path: b.path, Text: []byte(b.src), Fix: true}.Check(ctx, s.Workspace)
		if err != nil {
			return nil, err
		}
		if r.Applied > 0 {
			list = append(list, codeAction{Title: "Fix all findings that have a safe fix", Kind: fixAllKind, Edit: new(s.workspaceEdit(b, r.Doc.Source))})
		}
	}
	return append(list, s.actActions(ctx, b, c, p)...), nil
}

// wants reports whether a client that asks for some kinds of actions wants a kind: that
// kind, or one that contains it, as "source.fixAll" does "source.fixAll.handoff".
func wants(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool {
		return o == "" || o == kind || strings.HasPrefix(kind, o+".")
	})
}

// workspaceEdit turns a buffer into another text. With a version, the client refuses the
// edit if the buffer has changed meanwhile.
func (s *server) workspaceEdit(b *buffer, fixed string) workspaceEdit {
	edits := b.editTo(fixed)
	if s.client.Workspace.Edit.DocumentChanges {
		return workspaceEdit{Documents: []documentEdit{{textDocument{b.uri, &b.version}, edits}}}
	}
	return workspaceEdit{Changes: map[string][]textEdit{b.uri: edits}}
}
