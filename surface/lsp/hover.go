package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/internal/text/visible"
	"handoff/workspace"
	"handoff/workspace/check"
)

// hover explains what is at a position: the rules of its findings, the file that it names,
// and at the title the state of the handoff.
func (s *server) hover(ctx context.Context, p positionParams) (any, error) {
	b, c, err := s.document(ctx, p.Document)
	if b == nil {
		return nil, err
	}
	at := b.offset(p.Position)
	here := b.span(at, at)
	h := hover{Range: here}
	var parts []string
	if r, ok := c.referenceAt(at); ok {
		parts = append(parts, s.aboutReference(ctx, b, c, r))
		h.Range = b.span(r.from, r.to)
	} else if titleOrFront(c.doc, at) {
		parts = append(parts, s.aboutHandoff(ctx, c.Root, b.path, c.doc))
		h.Range = b.wholeLine(here.Start.Line)
	}
	var rules []string
	for i := range c.findings {
		f := &c.findings[i]
		if at := b.rangeOf(c, f); at.touches(here) && !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
			parts = append(parts, fmt.Sprintf("**%s** (%s)\n\n%s", f.Rule, f.Severity, s.Docs.Text(f.Rule)))
			if h.Range == here {
				h.Range = at
			}
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	h.Contents = markup{Kind: s.markupKind(), Value: strings.Join(parts, "\n\n---\n\n")}
	return h, nil
}

// markupKind is "markdown", unless the client prefers or knows only plain text.
func (s *server) markupKind() string {
	if f := s.client.Document.Hover.Format; len(f) > 0 {
		return f[0]
	}
	return "markdown"
}

// aboutReference describes the file that a reference names: whether it exists, what has
// changed, and for a handoff its state.
func (s *server) aboutReference(ctx context.Context, b *buffer, c *checked, r reference) string {
	name := code(r.name)
	switch {
	case r.Path == "":
		return name + " is outside the workspace: not checked"
	case !r.Exists:
		return name + " does not exist in the workspace"
	case r.Folder:
		return name + " is a folder"
	}
	list := []string{name + " exists"}
	if f := (&workspace.Looker{Root: c.Root}).Look(r.name); f.Lines != nil && !r.artifact {
		list[0] += ", " + prose.Count(f.Lines(), "line")
	}
	if ws, path, err := s.workspaceOf(c.Root, b.path); err == nil {
		for _, line := range s.Stale(ctx, ws, path, c.doc) {
			if strings.HasPrefix(line, r.name+" ") {
				list = append(list, visible.Line(line))
			}
		}
	}
	if place, err := check.PlaceOf(r.Path, s.Workspace.RuleNames); err == nil && place.Document && !r.isOwn(b.path) {
		list = append(list, s.aboutHandoff(ctx, c.Root, r.Path, nil))
	}
	return strings.Join(list, "\n\n")
}

// workspaceOf is the workspace with a root, and the path of a document below that.
func (s *server) workspaceOf(root, path string) (ws *workspace.Workspace, rel string, err error) {
	if ws, err = workspace.Open(root, s.Workspace); err != nil {
		return nil, "", err
	}
	return ws, ws.Rel(path), nil
}

// aboutHandoff describes a handoff: its state, its bundle and, with its document, what is
// out of date in it.
func (s *server) aboutHandoff(ctx context.Context, root, path string, doc *handoff.Document) string {
	name := filepath.Base(path)
	ws, rel, err := s.workspaceOf(root, path)
	if err != nil {
		return "Handoff " + code(name)
	}
	if ref := ws.NameOf(rel).Ref(); ref != "" {
		name = ref
	}
	list := []string{"Handoff " + code(name) + ": " + s.Became(ctx, ws, rel).String()}
	if id, ok := s.Bundle(ws, rel); ok {
		list = append(list, "Bundle: "+code(id.String()))
	}
	if doc == nil {
		return strings.Join(list, "\n\n")
	}
	if stale := s.Stale(ctx, ws, rel, doc); len(stale) > 0 {
		list = append(list, "Out of date:\n- "+visible.Text(strings.Join(stale, "\n- "), '\n'))
	}
	return strings.Join(list, "\n\n")
}

// Became is what became of a handoff.
type Became struct {
	State        string    // in words
	By           string    // who did that; "" if that does not matter
	Since, Until time.Time // one of them, zero if neither is known
	Age          string    // of the document, "2 days ago"; "" if that is not known
	Offers       []string  // which of [ActNames] are possible now
}

func (b Became) String() string {
	text := b.State
	if b.By != "" {
		text += " by " + code(b.By)
	}
	switch {
	case !b.Until.IsZero():
		text += " until " + b.Until.UTC().Format(time.RFC3339)
	case !b.Since.IsZero():
		text += " since " + b.Since.UTC().Format(time.RFC3339)
	}
	return text
}

// code is a text of a document or a receipt as a code span, in which Markdown has no
// effect.
func code(s string) string {
	return "`" + strings.ReplaceAll(visible.Text(s), "`", "'") + "`"
}
