package relay

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"handoff/agents/transcript"
	"handoff/agents/transcript/facts"
	"handoff/document/handoff"
	"handoff/workspace"
	"handoff/workspace/draft"
	"handoff/workspace/relay/chain"
)

// writeDraft writes a draft for the agent of a link, in the folder of the relay's task. stream
// is the format of its output, why is how it ended, and outputs are those of its turns. It
// returns "" for an agent that did nothing that a draft could report: then the handoff that
// it got is better than a draft.
func writeDraft(ctx context.Context, ws *workspace.Workspace, s *chain.State, stream, why string, outputs iter.Seq2[string, error]) (path string, err error) {
	did, err := didIn(stream, outputs)
	if err != nil {
		return "", err
	}
	o := originOf(s, why)
	plain := transcript.Formats[stream] == nil
	if now := tree(ctx, ws); plain && s.Tree != "" && now != "" {
		o.Changed = s.Tree != now
	}
	if !o.Changed && !leftWord(s) && !reports(did, plain) {
		return "", nil
	}
	made, _, err := draft.Write(ctx, ws, o, did, slugFor(ctx, ws, &s.Plan))
	return made.Path, err
}

// leftWord reports whether the agent has left something that its successor must know of: a handoff with
// errors, or its word that the work is done, which is not so.
func leftWord(s *chain.State) bool {
	return s.Left != nil && len(s.Left.Findings) > 0 || s.Gate != nil && len(s.Gate.Refused) > 0
}

// fewWords is the length of a plain text that counts as a report of work. Greetings and error
// messages are shorter.
const fewWords = 20

// reports reports whether the output of an agent shows work. An agent that called no tool
// did not work, whatever it says. If the output is plain text, calls are not known, and the
// length of the text decides.
func reports(f *facts.Facts, plain bool) bool {
	const twice = 2 // a draft shows what failed that often
	own := 0
	for _, c := range f.Commands {
		if draft.IsOwnCommand(c.Text) {
			own++
		}
	}
	failed := slices.ContainsFunc(f.Repeated(twice), func(one facts.Failure) bool { return !one.Command || !draft.IsOwnCommand(one.Text) })
	switch {
	case draft.Worked(f), failed:
		return true
	case plain:
		return len(strings.Fields(f.Said.Text)) >= fewWords
	}
	return f.Said.Text != "" && f.Calls > own
}

// slugFor is needed for a task that has no folder yet.
func slugFor(ctx context.Context, ws *workspace.Workspace, p *chain.Plan) string {
	if dirs, err := ws.TasksOf(ctx, ws.Root, strconv.Itoa(p.Task)); err == nil && len(dirs) > 0 {
		return ""
	}
	return p.Slug
}

// didIn reads the outputs of the turns.
func didIn(stream string, outputs iter.Seq2[string, error]) (*facts.Facts, error) {
	var c facts.Collector
	for text, err := range outputs {
		if err == nil {
			err = readTurn(&c, stream, text)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.Facts(), nil
}

// readTurn adds the output of one turn. The text printed last is the agent's message.
func readTurn(c *facts.Collector, stream, output string) error {
	if transcript.Formats[stream] != nil {
		return c.Read(strings.NewReader(output), stream)
	}
	if text := strings.TrimSpace(output); text != "" {
		lines := strings.Count(output, "\n") + 1
		c.Skip(lines)
		c.Add(c.Facts().Lines, &transcript.Record{Text: text[max(0, len(text)-chain.MaxLine):]})
	}
	return nil
}

// originOf is what a relay knows of the work.
func originOf(s *chain.State, why string) draft.Origin {
	return draft.Origin{
		Agent: s.Agent, Source: "output of " + s.Agent + ", the runs of thread " + s.Thread, Name: "output", Why: chain.OneLine(why), Goal: chain.OneLine(s.Plan.Objective), Before: s.Handoff,
		Task: s.Plan.Task, Phase: cmp.Or(handoff.ParseName(s.Handoff).Phase, s.Plan.Phase), Thread: s.Thread,
	}
}
