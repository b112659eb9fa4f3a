package handoffs

import (
	"fmt"
	"slices"

	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/create"
)

// draftFrom collects the content of the document: what --from reads, overridden by
// flags. piped becomes what standard input had.
func draftFrom(w *command.Process, o *newOptions, piped *[]byte) (*create.Draft, error) {
	in := new(create.Draft)
	if from := o.from; from != "" {
		src, name, err := w.Read(from, workspace.MaxSize)
		if err != nil {
			return nil, err
		}
		if from == "-" {
			*piped = src
		}
		if create.IsMarkdown(name, src) {
			return markdownDraft(o, name, src)
		}
		if in, err = create.ParseDraft(name, src); err != nil {
			return nil, err
		}
	}
	v := &in.Values
	overlaid(o.thread, &v.Thread, in, "thread")
	if o.seq != nil {
		v.Seq = o.seq
	}
	return in, Overlay(&o.DocumentOptions, in)
}

// Overlay sets values of a document from flags.
func Overlay(o *DocumentOptions, in *create.Draft) error {
	v := &in.Values
	overlaid(o.Task, &v.Task, in, "task")
	overlaid(o.Named, &v.Named, in, "task")
	switch { // a flag also replaces the other form of the name
	case o.Task != nil:
		v.Named = ""
	case o.Named != nil:
		v.Task = 0
	}
	overlaid(o.Phase, &v.Phase, in, "phase")
	overlaid(o.Slug, &in.Slug, in, "slug")
	overlaid(o.nextAction, &v.NextAction, in, "next_action")
	overlaid(o.file, &v.State.File, in, "state")
	overlaid(o.location, &v.State.Location, in, "state")
	overlaid(o.goal, &v.State.Goal, in, "state")
	overlaid(o.decisions, &v.Decisions, in, "decisions")
	overlaid(o.deviations, &v.Deviations, in, "deviations")
	overlaid(o.deadEnds, &v.DeadEnds, in, "dead_ends")
	overlaid(o.context, &v.Context, in, "context")
	overlaid(o.references, &v.References, in, "references")
	overlaid(o.understand, &v.Understand, in, "understand_first")
	overlaid(o.waitingFor, &v.WaitingFor, in, "waiting_for")
	overlaid(o.background, &v.Background, in, "left_running")
	overlaid(o.profile, &v.Profile, in, "profile")
	if p := v.Profile; p != "" && p != "handoff" && p != "completion" {
		return fmt.Errorf("unknown profile %q (handoff, completion)", p)
	}
	return nil
}

// overlaid sets a value from its flag, if that is given, and records that it is.
func overlaid[T any](flag, value *T, in *create.Draft, key string) {
	if flag != nil {
		*value = *flag
		in.Flag(key)
	}
}

// markdownDraft is a document that is already formatted. Flags set its place, but
// not its content.
func markdownDraft(o *newOptions, name string, src []byte) (*create.Draft, error) {
	place := []string{"task", "phase", "slug", "from", "edit", "draft", "idempotency-key", "replace", "unfenced", "force", "why", "json"}
	for _, flag := range o.given {
		if !slices.Contains(place, flag) {
			return nil, fmt.Errorf("--%s cannot change %s, which is a document: leave the flag out, and write there what is missing", flag, name)
		}
	}
	in := create.MarkdownDraft(name, src)
	return in, Overlay(&o.DocumentOptions, in)
}
