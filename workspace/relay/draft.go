package relay

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"handoff"
	"handoff/templates"
	"handoff/thread"
	"handoff/transcript"
	"handoff/workspace/create"
	"handoff/workspace/relay/chain"
)

// maxOutput is the most bytes of a run's output that a draft is made from.
const maxOutput = 64 << 20

// draft writes a handoff for an agent that has left none. If its output shows nothing,
// the relay ends: another agent would begin with no more than this one had.
func (r *Relay) draft(ctx context.Context, why string) error {
	path, err := r.written(ctx) // before the relay was killed, perhaps
	if err != nil {
		return err
	}
	if path == "" {
		did, err := r.did(ctx)
		if err != nil {
			return err
		}
		if did.nothing() {
			if err := r.release(ctx, oneLine(why)); err != nil {
				return err
			}
			return r.record(chain.Fact{Kind: chain.Ended, Reason: chain.Died, Why: fmt.Sprintf("%s: %s. It printed nothing that a handoff could be made from: `handoff thread show %s`", r.state.Agent, why, r.state.Thread)})
		}
		made, err := create.Run(ctx, r.ws, create.Request{Values: r.values(did, why), Slug: r.slug(ctx), Draft: true})
		if err != nil {
			return err
		}
		path = made.Path
	}
	if err := r.supersede(ctx, path); err != nil {
		return err
	}
	return r.record(chain.Fact{Kind: chain.Drafted, Handoff: path, Why: oneLine(why)})
}

// slug is needed for a task that has no folder yet.
func (r *Relay) slug(ctx context.Context) string {
	if dirs, err := r.ws.TasksOf(ctx, r.ws.Root, strconv.Itoa(r.state.Plan.Task)); err == nil && len(dirs) > 0 {
		return ""
	}
	return r.state.Plan.Slug
}

// deeds are what an agent did, as far as its output shows it.
type deeds struct {
	said     string
	files    []string // written, the last one at the end
	commands []string
	failures []string // commands that failed
}

func (d *deeds) nothing() bool { return d.said == "" && len(d.files) == 0 && len(d.commands) == 0 }

// did reads the output of all turns of the link. It is on the disk, so it is there
// also after the relay itself was killed.
func (r *Relay) did(ctx context.Context) (*deeds, error) {
	d := &deeds{}
	if r.state.Thread == "" {
		return d, nil
	}
	t, err := r.ws.Threads(ctx, false)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	format := transcript.Formats[r.agentOf(r.state.Link).Stream]
	for e, err := range t.Events(r.state.Thread, 0) {
		if err != nil {
			return nil, err
		}
		run, ok := e.Payload.(*thread.RunSpawned)
		if !ok {
			continue
		}
		text, _, err := t.SessionText(run.RunSessionID, maxOutput)
		if err != nil {
			return nil, err
		}
		d.read(format, text)
	}
	return d, nil
}

// read adds the output of one turn.
func (d *deeds) read(format transcript.Format, output string) {
	if format == nil {
		if text := strings.TrimSpace(output); text != "" {
			d.said = text[max(0, len(text)-maxLine):]
		}
		return
	}
	running := map[string]string{} // commands by the id of the call
	more := false
	for line := range strings.Lines(output) {
		rec, ok := format([]byte(line))
		if !ok || rec.Side {
			continue
		}
		for _, tool := range rec.Tools {
			d.tool(tool)
			running[tool.ID] = tool.Command
		}
		for _, id := range rec.Errors {
			d.fail(running[id])
		}
		if rec.Text != "" {
			if !more || !rec.More {
				d.said = ""
			}
			d.said += rec.Text
		}
		more = rec.More && rec.Text != ""
	}
}

func (d *deeds) tool(t transcript.Tool) {
	if t.Writes && t.File != "" {
		d.files = append(slices.DeleteFunc(d.files, func(f string) bool { return f == t.File }), t.File)
	}
	if t.Command != "" {
		d.commands = append(d.commands, t.Command)
	}
	if t.Failed {
		d.fail(t.Command)
	}
}

func (d *deeds) fail(command string) {
	if command != "" && !slices.Contains(d.failures, command) {
		d.failures = append(d.failures, command)
	}
}

// shown is how many files and commands a draft lists.
const shown = 4

// values are the content of a draft. It says in its text that the relay wrote it.
func (r *Relay) values(d *deeds, why string) templates.Values {
	s := &r.state
	place := handoff.ParseName(s.Handoff)
	v := templates.Values{Task: s.Plan.Task, Phase: max(cmp.Or(place.Phase, s.Plan.Phase), 1), Thread: s.Thread}
	goal := cmp.Or(oneLine(s.Plan.Objective), "as in the report before: "+s.Handoff)
	v.NextAction = "Compare the files of the work with this draft, which `handoff relay` wrote from the output of " + s.Agent + "; then continue with the goal below."
	v.State = templates.State{File: "unknown", Location: "unknown: the agent ended without a handoff", Goal: goal}
	if n := len(d.files); n > 0 {
		v.State.File = r.below(d.files[n-1])
	}
	v.Decisions, v.DeadEnds, v.References = []string{"None recorded"}, []string{"None"}, []string{"None"}
	for i, command := range last(d.failures, shown) {
		if i == 0 {
			v.DeadEnds = nil
		}
		v.DeadEnds = append(v.DeadEnds, "`"+strings.ReplaceAll(oneLine(command), "`", "'")+"`: it failed")
	}
	v.Context = []string{"Draft: " + s.Agent + " left no handoff (" + oneLine(why) + ")"}
	add := func(label string, list []string) {
		for i, one := range list {
			list[i] = "`" + strings.ReplaceAll(oneLine(r.below(one)), "`", "'") + "`"
		}
		if len(list) > 0 {
			v.Context = append(v.Context, label+strings.Join(list, ", "))
		}
	}
	add("It wrote: ", last(d.files, shown))
	add("It ran last: ", last(d.commands, shown))
	if d.said != "" {
		v.Context = append(v.Context, "It said last, which may be wrong: "+oneLine(d.said))
	}
	if s.Handoff != "" {
		v.References = []string{"The report before: " + s.Handoff}
	}
	return v
}

// below is a path below the workspace, where it is one.
func (r *Relay) below(path string) string {
	return strings.TrimPrefix(path, r.ws.Root+string(filepath.Separator))
}

// last are the last n of a list, as a copy.
func last(list []string, n int) []string { return slices.Clone(list[max(0, len(list)-n):]) }
