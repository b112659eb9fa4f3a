package runner

import (
	"context"
	"strconv"

	"handoff/thread/compile"
	"handoff/thread/compile/render"
)

// given is what a command gets.
type given struct {
	stdin []byte
	env   []string
}

// context compiles the message's context, stores the bundle, records what it
// was made of, and renders it.
func (r *Run) context(ctx context.Context, result *Result) (given, error) {
	o := &r.options
	req := o.Context
	req.ThreadID, req.MessageID, req.Seq, req.RunSessionID = o.ThreadID, r.MessageID, nil, r.ID
	req.ActorID, req.Origin = or(o.ActorID, "user"), or(o.Origin, "handoff")
	req.Max = o.Blobs.Max
	c, err := compile.Compile(compile.FromStore(o.Store, o.Blobs.Get), req)
	if err != nil {
		return given{}, err
	}
	rendering, err := o.Render.Render(c.Bundle, render.Options{Artifact: o.Blobs.Get})
	if err != nil {
		return given{}, err
	}
	id, err := c.Keep(o.Blobs.Put) // before the frame that names it
	if err != nil {
		return given{}, err
	}
	if _, err := o.Store.RecordContext(ctx, o.ThreadID, *c.Decision, *c.Compiled()); err != nil {
		return given{}, err
	}
	result.BundleID, result.Notes = id.String(), rendering.Notes
	return given{rendering.Bytes, append(o.Env[:len(o.Env):len(o.Env)],
		"HANDOFF_WORKSPACE="+o.Workspace,
		"HANDOFF_THREAD_ID="+o.ThreadID,
		"HANDOFF_MESSAGE_ID="+r.MessageID,
		"HANDOFF_RUN_ID="+r.ID,
		"HANDOFF_BUNDLE_ID="+result.BundleID,
		"HANDOFF_FROM_SEQ="+strconv.FormatUint(c.Bundle.Source.FromSeq, 10))}, nil
}

func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}
