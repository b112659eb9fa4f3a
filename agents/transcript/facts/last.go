package facts

import (
	"slices"
	"strings"

	"handoff/agents/transcript"
)

// Call is a call of a tool, as the host recorded it.
type Call struct {
	Tool    string
	Text    string // the command, the file, or what else the tool was asked
	In      string // the file or folder that it was asked about, if that is not Text
	Command bool   // Text is a command: its state is that of the Command on the same line
	Line    int
	Parts   []Part // of a file: the lines that were read or changed
	Seen    int    // line of the result, 0 for none
	Failed  bool   // and it is no command
	Refused bool
	Ended   string // how the output of a command ended
	Times   int    // in a row, more than once only for a file
}

// callsKept are how many of the last calls are kept.
const callsKept = 12

// called keeps a call that names something.
func (c *Collector) called(line int, t *transcript.Tool) *Call {
	one := &Call{Tool: t.Name, Line: line, Times: 1}
	switch {
	case strings.HasPrefix(t.Command, "apply_patch"):
		one.Tool = "apply_patch" // its file is known when it has ended
	case t.Command != "":
		one.Text, one.Command = t.Command, true
	case t.What != "":
		one.Text, one.In = cut(t.What), c.below(t.File)
	case t.File != "":
		one.Text = c.below(t.File)
	default:
		return nil
	}
	c.last = append(c.last[max(0, len(c.last)+1-callsKept):], one)
	return one
}

// ended adds what the result of a call shows.
func (one *Call) ended(line int, r *transcript.Result) {
	if one == nil {
		return
	}
	one.Seen, one.Failed, one.Refused = line, r.Failed, r.Refused
	for _, list := range [][]transcript.Span{r.Changed, r.Read} {
		for _, s := range list {
			if one.Text == "" {
				one.Text = strings.Clone(s.File)
			}
			if !one.Command && s.First > 0 {
				one.Parts = append(one.Parts, Part{s.First, max(s.First, s.Last)})
			}
		}
	}
	if one.Command {
		one.Ended = strings.Clone(r.Output[max(0, len(r.Output)-endKept):])
	}
}

// lastCalls are the last calls; those of one file in a row are one.
func (c *Collector) lastCalls() (list []Call) {
	for _, one := range c.last {
		if one.Text == "" {
			continue
		}
		if n := len(list) - 1; n >= 0 && !one.Command && one.In == "" && list[n].Tool == one.Tool && list[n].Text == one.Text {
			list[n].Times, list[n].Line, list[n].Seen, list[n].Failed = list[n].Times+1, one.Line, one.Seen, one.Failed
			list[n].Parts = slices.Concat(list[n].Parts, one.Parts)
			continue
		}
		list = append(list, *one)
	}
	for i := range list {
		list[i].In = clean(list[i].In)
		list[i].Text, list[i].Ended = clean(list[i].Text), strings.TrimSpace(clean(list[i].Ended))
	}
	return list
}
