package create

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// templateError names the file instead of text/template's name of the template:
// "handoff.md.tmpl:3: unclosed action started at line 2".
func (w creator) templateError(err error) error {
	_, text, ok := strings.Cut(err.Error(), "template: template:")
	if !ok {
		return err
	}
	text = strings.NewReplacer("started at template:", "started at line ", `executing "template" at `, "").Replace(text)
	return handoff.Invalid(fmt.Errorf("%s:%s", w.templatePath(), text))
}

func (w creator) templatePath() string {
	return w.Full(w.Config.Template())
}

// template is the user's own template; "" if the user has none, or has not trusted it.
func (w creator) template(req Request) (string, error) {
	switch p := req.Values.Phase; {
	case p == 0 && w.layout() == nil:
		return "", fmt.Errorf("%w: which phase? The first one is 1 (--phase 1)", handoff.ErrInvalid)
	case p < 0 || p > handoff.MaxPhase:
		return "", fmt.Errorf("%w: a phase is a number from 1 to %d (--phase 3)", handoff.ErrInvalid, handoff.MaxPhase)
	}
	src, err := w.Trusted().ReadFile(w.templatePath(), workspace.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && req.Markdown == nil {
		if refused := w.MayAct(); refused != nil { // a template is a program
			w.SayOnce(fmt.Sprintf("%s is not used, but the built-in template: %v", w.Config.Template(), refused))
			return "", nil
		}
	}
	return string(src), err
}

// templateTime is how long a template may take.
const templateTime = 2 * time.Second

// render is the document before it is edited.
func (w creator) render(ctx context.Context, req Request, text string, p place) ([]byte, error) {
	if req.Markdown != nil {
		return w.stamped(req.Markdown, req.Values.Phase, p.slot.At), nil
	}
	req.Values.Time = p.slot.At
	given := req.Values.Headings
	if f := p.fresh; f != nil {
		req.Values.Title, req.Values.Front, req.Values.Order = f.Title, w.front(f, req.Values), f.Order
		maps.Copy(f.Headings, req.Values.Headings)
		req.Values.Headings = f.Headings
	} else if own := w.Config.Documents.Own(); own != nil {
		headings := map[handoff.Kind]string{}
		for _, h := range own.Headings {
			headings[h.Kind] = h.Words[0]
		}
		maps.Copy(headings, req.Values.Headings)
		req.Values.Headings = headings
	}
	if err := w.inLanguage(&req, given); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, templateTime)
	defer cancel()
	src, err := templates.RenderIn(ctx, req.Values, text, req.Draft || req.Edit != nil)
	if err != nil {
		err = w.templateError(err)
	}
	return src, err
}

// inLanguage sets the headings and placeholders of the language that the request, or the configuration, asks for. The
// headings that the request brings stay, and with a configured language those that the project has in its own.
func (w creator) inLanguage(req *Request, given map[handoff.Kind]string) error {
	form, err := templates.FormOf(cmp.Or(req.Language, w.Config.Language))
	if err != nil || form.Headings == nil {
		return err
	}
	req.Values.Headings, req.Values.Form = form.Over(req.Values.Headings, given, req.Language != ""), form
	return nil
}

// front is the frontmatter of a new document of a layout. It has the task and the phase
// where the path has no place for them.
func (w creator) front(f *documents.Fresh, v templates.Values) (lines []string) {
	name := w.NameOf(f.Path)
	if v.Task > 0 && name.Width == 0 {
		lines = append(lines, "task: "+strconv.Itoa(v.Task))
	}
	if v.Phase > 0 && name.PhaseText == "" {
		lines = append(lines, "phase: "+strconv.Itoa(v.Phase))
	}
	return append(lines, f.Front...)
}

// Render is the document that Run would write now, unchecked.
func Render(ctx context.Context, ws *workspace.Workspace, req Request) ([]byte, error) {
	w := creator{Workspace: ws}
	if err := w.plan(&req); err != nil {
		return nil, err
	}
	text, err := w.template(req)
	if err != nil {
		return nil, err
	}
	p := place{slot: handoff.SlotAt(w.Now())}
	if w.layout() != nil {
		if p, err = w.place(ctx, req, w.Now(), p.slot); err != nil {
			return nil, err
		}
	}
	return w.render(ctx, req, text, p)
}

// stamped is [stamped] in a task folder. A document of a layout keeps its own title.
func (w creator) stamped(src []byte, phase int, at time.Time) []byte {
	if w.layout() != nil {
		return src
	}
	return stamped(src, phase, at)
}
