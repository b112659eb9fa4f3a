// Package draft writes a handoff for an agent that has left none, from what it printed.
package draft

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"handoff"
	"handoff/templates"
	"handoff/thread"
	"handoff/transcript"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/relay/chain"
)

// maxOutput is the most bytes of a run's output that a draft is made from.
const maxOutput = 64 << 20

// Write writes a draft for the agent of a link, in the folder of the relay's task. stream
// is the format of its output, why is how it ended. It returns "" for an agent whose output
// shows nothing.
func Write(ctx context.Context, ws *workspace.Workspace, s *chain.State, stream, why string) (path string, err error) {
	did, err := did(ctx, ws, s.Thread, transcript.Formats[stream])
	if err != nil || did.nothing() {
		return "", err
	}
	return write(ctx, ws, values(ws, originOf(s, why), did), slug(ctx, ws, &s.Plan))
}

func write(ctx context.Context, ws *workspace.Workspace, v templates.Values, slug string) (path string, err error) {
	made, err := create.Run(ctx, ws, create.Request{Values: v, Slug: slug, Draft: true})
	if err != nil {
		return "", err
	}
	return made.Path, nil
}

// slug is needed for a task that has no folder yet.
func slug(ctx context.Context, ws *workspace.Workspace, p *chain.Plan) string {
	if dirs, err := ws.TasksOf(ctx, ws.Root, strconv.Itoa(p.Task)); err == nil && len(dirs) > 0 {
		return ""
	}
	return p.Slug
}

// deeds are what an agent did, as far as its output shows it.
type deeds struct {
	said     string
	files    []string // written, the last one at the end
	commands []string
	failures []string // commands that failed
	records  int
	calls    int // of tools, whatever they did
}

func (d *deeds) nothing() bool { return d.said == "" && len(d.files) == 0 && len(d.commands) == 0 }

// did reads the output of all turns of a link, which are in the thread with this id. It is
// on the disk, so it is there also after the relay itself was killed.
func did(ctx context.Context, ws *workspace.Workspace, id string, format transcript.Format) (*deeds, error) {
	d := &deeds{}
	if id == "" {
		return d, nil
	}
	t, err := ws.Threads(ctx, false)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	for e, err := range t.Events(id, 0) {
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
			d.said = text[max(0, len(text)-chain.MaxLine):]
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
		d.records++
		d.calls += len(rec.Tools)
		for _, tool := range rec.Tools {
			d.tool(tool)
			running[tool.ID] = tool.Command
		}
		for _, r := range rec.Results {
			if r.Failed {
				d.fail(running[r.ID])
			}
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

// origin is where the content of a draft comes from.
type origin struct {
	agent, from string // who left no handoff, and from what the draft is written
	command     string // that writes it
	task, phase int
	handoff     string // path of the report before; "" for none
	objective   string
	thread      string
	why         string // how the agent ended
}

func originOf(s *chain.State, why string) origin {
	phase := cmp.Or(handoff.ParseName(s.Handoff).Phase, s.Plan.Phase)
	return origin{s.Agent, "output", "handoff relay", s.Plan.Task, phase, s.Handoff, s.Plan.Objective, s.Thread, why}
}

// values are the content of a draft. It says in its text which command wrote it.
func values(ws *workspace.Workspace, o origin, d *deeds) templates.Values {
	v := templates.Values{Task: o.task, Phase: max(o.phase, 1), Thread: o.thread}
	goal := cmp.Or(chain.OneLine(o.objective), "as in the report before: "+o.handoff)
	v.NextAction = "Compare the files of the work with this draft, which `" + o.command + "` wrote from the " + o.from + " of " + o.agent + "; then continue with the goal below."
	v.State = templates.State{File: "unknown", Location: "unknown: the agent ended without a handoff", Goal: goal}
	if n := len(d.files); n > 0 {
		v.State.File = below(ws, d.files[n-1])
	}
	v.Decisions, v.DeadEnds, v.References = []string{"None recorded"}, []string{"None"}, []string{"None"}
	for i, command := range last(d.failures, shown) {
		if i == 0 {
			v.DeadEnds = nil
		}
		v.DeadEnds = append(v.DeadEnds, "`"+strings.ReplaceAll(chain.OneLine(command), "`", "'")+"`: it failed")
	}
	v.Context = []string{"Draft: " + o.agent + " left no handoff (" + chain.OneLine(o.why) + ")"}
	add := func(label string, list []string) {
		for i, one := range list {
			list[i] = "`" + strings.ReplaceAll(chain.OneLine(below(ws, one)), "`", "'") + "`"
		}
		if len(list) > 0 {
			v.Context = append(v.Context, label+strings.Join(list, ", "))
		}
	}
	add("It wrote: ", last(d.files, shown))
	add("It ran last: ", last(d.commands, shown))
	if d.said != "" {
		v.Context = append(v.Context, "It said last, which may be wrong: "+chain.OneLine(d.said))
	}
	if o.handoff != "" {
		v.References = []string{"The report before: " + o.handoff}
	}
	return v
}

// below is a path below the workspace, where it is one.
func below(ws *workspace.Workspace, path string) string {
	return strings.TrimPrefix(path, ws.Root+string(filepath.Separator))
}

// last are the last n of a list, as a copy.
func last(list []string, n int) []string { return slices.Clone(list[max(0, len(list)-n):]) }
