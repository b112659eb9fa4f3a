package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/internal/text/visible"
)

// command is what a client sends back to have something done.
type command struct {
	Title     string   `json:"title"`
	Command   string   `json:"command"` // "" for a text that does nothing
	Arguments []string `json:"arguments,omitempty"`
}

// ActNames are the acts on a handoff, in the order in which they are offered.
var ActNames = []string{"claim", "release", "done"}

// actCommands are the commands of the acts.
func actCommands() (names []string) {
	for _, act := range ActNames {
		names = append(names, commandOf(act))
	}
	return names
}

func commandOf(act string) string { return "handoff." + act }

// offers are the acts that are possible now on the handoff of a buffer, and what became of it.
func (s *server) offers(ctx context.Context, b *buffer, c *checked) (list []command, became Became) {
	ws, path, err := s.workspaceOf(c.Root, b.path)
	if err != nil {
		return nil, became
	}
	became = s.Became(ctx, ws, path)
	name := cmp.Or(ws.NameOf(path).Ref(), filepath.Base(path))
	for _, act := range became.Offers {
		list = append(list, command{strings.ToUpper(act[:1]) + act[1:] + " " + visible.Line(name), commandOf(act), []string{b.uri}})
	}
	return list, became
}

// codeLens shows at the title what became of the handoff, and what can be done.
func (s *server) codeLens(ctx context.Context, p documentParams) (any, error) {
	list := []codeLens{}
	b, c, err := s.document(ctx, p.Document)
	if b == nil || c.err != nil {
		return list, err
	}
	at := b.wholeLine(max(0, c.doc.Title.Lines.First-1))
	acts, became := s.offers(ctx, b, c)
	text := strings.ReplaceAll(became.String(), "`", "")
	if became.Age != "" {
		text += ", written " + became.Age
	}
	for _, cmd := range append([]command{{Title: visible.Line(text)}}, acts...) {
		list = append(list, codeLens{at, cmd})
	}
	return list, nil
}

// actActions are the acts as actions of the title.
func (s *server) actActions(ctx context.Context, b *buffer, c *checked, p codeActionParams) (list []codeAction) {
	title := b.wholeLine(max(0, c.doc.Title.Lines.First-1))
	if len(p.Context.Only) > 0 || c.err != nil || !title.touches(p.Range) {
		return nil
	}
	acts, _ := s.offers(ctx, b, c)
	for _, cmd := range acts {
		list = append(list, codeAction{Title: cmd.Title, Command: &cmd})
	}
	return list
}

// executeCommand does an act, and shows what came of it.
func (s *server) executeCommand(ctx context.Context, p commandParams) (any, error) {
	i := slices.Index(actCommands(), p.Command)
	var uri string
	if i < 0 || len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &uri) != nil {
		return nil, &rpcError{invalidParams, fmt.Sprintf("want one of %s, and the URI of a document", strings.Join(actCommands(), ", "))}
	}
	b, c, err := s.document(ctx, textDocument{URI: uri})
	if err != nil || b == nil {
		return nil, orNoDocument(err)
	}
	ws, path, err := s.workspaceOf(c.Root, b.path)
	if err != nil {
		return nil, err
	}
	said, err := s.Act(ctx, ws, path, ActNames[i])
	if err != nil {
		return nil, err
	}
	return nil, s.changed(said)
}

func orNoDocument(err error) error {
	if err == nil {
		err = &rpcError{invalidParams, "that is no open handoff document"}
	}
	return err
}

// changed tells the client what was done, and to ask for its lenses again.
func (s *server) changed(said string) error {
	const info = 3
	if err := s.notify("window/showMessage", object{"type": info, "message": visible.Line(said)}); err != nil || !s.client.Workspace.CodeLens.Refresh {
		return err
	}
	return s.request("workspace/codeLens/refresh", nil)
}

// prepareRename offers the slug of the task at the title.
func (s *server) prepareRename(ctx context.Context, p positionParams) (any, error) {
	b, c, err := s.document(ctx, p.Document)
	if b == nil || c.err != nil || !titleOrFront(c.doc, b.offset(p.Position)) {
		return nil, err
	}
	ws, path, err := s.workspaceOf(c.Root, b.path)
	if err != nil {
		return nil, err
	}
	slug := ws.NameOf(path).Slug
	if slug == "" {
		return nil, nil // no task, or a folder without a slug
	}
	return object{"range": b.wholeLine(p.Position.Line), "placeholder": slug}, nil
}

// rename gives the task of a document another slug, which moves its folder. The editor would write a buffer with changes to
// the old place, so it must be saved before.
func (s *server) rename(ctx context.Context, p renameParams) (any, error) {
	if found, err := s.prepareRename(ctx, p.positionParams); found == nil {
		return nil, orNoDocument(err)
	}
	b := s.open[p.Document.URI]
	folder := filepath.Dir(filepath.Dir(b.path)) + string(filepath.Separator) // of the task
	for _, other := range s.open {
		if other.edited && strings.HasPrefix(other.path, folder) {
			return nil, &rpcError{requestFailed, "save the documents of the task first: its folder moves"}
		}
	}
	c, err := s.check(ctx, b)
	if err != nil {
		return nil, err
	}
	ws, path, err := s.workspaceOf(c.Root, b.path)
	if err != nil {
		return nil, err
	}
	now, err := s.Rename(ctx, ws, path, p.NewName)
	if err != nil {
		return nil, err
	}
	if err := s.changed("the task is called " + p.NewName + " now, and the document is " + now); err != nil {
		return nil, err
	}
	if s.client.Window.ShowDocument.Support {
		err = s.request("window/showDocument", object{"uri": uriOf(ws.Full(now)), "takeFocus": true})
	}
	return object{}, err
}
