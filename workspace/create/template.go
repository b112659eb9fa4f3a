package create

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/document/handoff"
	"handoff/workspace"
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
	if p := req.Values.Phase; (p < 1 && w.layout() == nil) || p > handoff.MaxPhase || p < 0 {
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
