package git

import (
	"context"
	"errors"

	"handoff/log/engine"
)

// Describe asks the remote whether it lets this user push. Nothing is written there: a dry run signs
// in for a push and ends. Hooks of the remote do not run for it, so only a push shows what they refuse.
func (e *Engine) Describe(ctx context.Context) ([]engine.Fact, error) {
	tree, err := e.run(ctx, job{args: []string{"mktree"}}) // without entries: any object will do
	if err != nil {
		return nil, err
	}
	_, err = e.run(ctx, job{args: []string{"push", "--dry-run", "--no-verify", "--quiet", "--", e.url, line(tree) + ":" + prefix + "l-asked"}})
	switch {
	case err == nil:
		return []engine.Fact{{Name: "push", Value: "allowed (a hook of the remote may still refuse)"}}, nil
	case denied(err):
		return []engine.Fact{{Name: "push", Value: "refused", Warning: (&engine.ForbiddenError{Store: e.Name(), Why: err.Error()}).Error()}}, nil
	}
	return nil, errors.Join(engine.ErrUnavailable, err)
}
