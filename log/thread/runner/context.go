package runner

import (
	"cmp"
	"context"
	"strconv"

	"handoff/log/thread/compile"
	"handoff/log/thread/compile/render"
)

// given is the input of a command.
type given struct {
	stdin []byte
	env   []string // besides that of the options
}

// context compiles the message's context, stores the bundle, records how it was
// compiled, and renders it.
func (r *Run) context(ctx context.Context, result *Result) (given, error) {
	o := &r.options
	req := o.Context
	req.ThreadID, req.MessageID, req.Seq, req.RunSessionID = o.ThreadID, r.MessageID, nil, r.ID
	req.Anew = true
	req.ActorID, req.Origin = cmp.Or(o.ActorID, "user"), cmp.Or(o.Origin, "handoff")
	req.Max = o.Blobs.Max
	src := compile.FromStore(o.Store, o.Blobs.Get)
	src.File = o.File
	c, err := compile.Compile(src, req)
	if err != nil {
		return given{}, err
	}
	rendering, err := o.Render.Render(c.Bundle, render.Options{Artifact: o.Blobs.Get})
	if err != nil {
		return given{}, err
	}
	id, err := c.Keep(o.Blobs.Put) // before the frame that refers to it
	if err != nil {
		return given{}, err
	}
	if _, err := o.Store.RecordContext(ctx, o.ThreadID, *c.Decision, *c.Compiled()); err != nil {
		return given{}, err
	}
	result.BundleID, result.Notes = id.String(), append(c.Explanation.Notes(), rendering.Notes...)
	return given{rendering.Bytes, []string{
		"HANDOFF_WORKSPACE=" + o.Workspace,
		"HANDOFF_THREAD_ID=" + o.ThreadID,
		"HANDOFF_MESSAGE_ID=" + r.MessageID,
		"HANDOFF_RUN_ID=" + r.ID,
		"HANDOFF_BUNDLE_ID=" + result.BundleID,
		"HANDOFF_FROM_SEQ=" + strconv.FormatUint(c.Bundle.Source.FromSeq, 10),
	}}, nil
}
