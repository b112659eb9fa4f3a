package hooks

import (
	"context"
	"path"
	"strings"

	"handoff/lint"
	"handoff/workspace/check"
)

// clear ends the turn and clears the context of a session that is almost full, if its
// agent has just saved a handoff without errors. The next prompt delivers that. It returns
// the reason, which the host shows to the user; "" for a session that continues.
//
// Everything that is not in the handoff is lost, so the workspace must allow clearing, and
// the handoff must be the last work of the turn.
func (r *run) clear(ctx context.Context) (reason string, err error) {
	if !r.host.Clears || !r.ws.Config.Replace || r.in.Agent != "" {
		return "", nil
	}
	g, ok := r.reading(ctx, r.in.Transcript)
	if !ok || g.Mark == 0 || !g.Saved {
		return "", nil
	}
	s, _ := r.transcript(r.in.Transcript)
	if !s.File.Session.Last {
		return "", nil
	}
	text, _, err := endOf(r.in.Transcript)
	if err != nil {
		return "", err
	}
	path, ok, err := r.desk.Clear(ctx, g.Used, func(path string) bool { return names(text, path) && r.valid(ctx, path) })
	if err != nil || !ok {
		return "", err
	}
	return "the context was almost full, and " + r.ws.NameOf(path).Called(path) + " was saved. The next message continues from it.", nil
}

// names reports whether a transcript contains the path of a document, as the host's
// system writes it.
func names(transcript, file string) bool {
	task := path.Base(path.Dir(path.Dir(file)))
	for _, slash := range []string{"/", `\\`} {
		if strings.Contains(transcript, strings.Join([]string{task, path.Base(path.Dir(file)), path.Base(file)}, slash)) {
			return true
		}
	}
	return false
}

// valid reports whether a document has no lint errors.
func (r *run) valid(ctx context.Context, path string) bool {
	ok := true
	err := check.Run(ctx, r.ws.Options, check.Request{Dir: r.ws.Root, Paths: []string{path}}, func(c *check.Result) error {
		for _, f := range c.Findings {
			ok = ok && f.Severity != lint.Error
		}
		return c.Err
	})
	return ok && err == nil
}
