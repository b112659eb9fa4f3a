package threads

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/internal/text/say"
	"handoff/log/thread"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
)

// maxSaid is the maximum length of an answer, in bytes.
const maxSaid = 1 << 20

// showOptions are those of thread show.
type showOptions struct {
	last   int
	noBase bool
}

func (o *showOptions) flags([]cli.Flag) []cli.Flag {
	return command.Flags(command.AtLeast(1, &cli.IntFlag{Name: "last", Destination: &o.last, Usage: "`N`  print only that many parts of the conversation, the last ones", DefaultText: "all"}),
		&cli.BoolFlag{Name: "no-base", Destination: &o.noBase, Usage: "leave out what a branch inherits"})
}

func (o *showOptions) show(k *operations.Call, t threadStore, id string, _ ops.None) error {
	w := k.W
	info, err := threadops.Get.On(k, t, id, ops.None{})
	if err != nil {
		return err
	}
	children, treeErr := childrenOf(k, t, id)
	if errors.Is(treeErr, fs.ErrNotExist) { // RIP has no lineage
		w.Say("the server does not report which threads continue this one")
		treeErr = nil
	}
	talk := threadops.Talk{Info: info, Said: []threadops.Said{}, Own: o.noBase}
	if o.last == 0 && !k.JSON {
		err = printAll(k, t, &talk, children)
	} else if err = talk.Read(k, t, children, o.last); err == nil {
		talk.Answers(k, t, maxSaid, command.ThreadError)
		err = printTalk(k, &talk)
	}
	if talk.Lost > 0 {
		w.Say("%s cannot be read", command.Plural(talk.Lost, "part"))
		w.Incomplete = true
	}
	return cmp.Or(err, talk.Gap, treeErr)
}

// childrenOf are the threads that continue a thread. Those that can be read are there also with an error.
func childrenOf(k *operations.Call, t threadStore, id string) ([]thread.Info, error) {
	if here, ok := t.(threadops.Here); ok {
		return here.Children(k, id)
	}
	tree, err := threadops.Lineage.On(k, t, id, ops.None{})
	return threadops.Children(tree), err
}

// printAll prints a conversation for people while it is read.
func printAll(k *operations.Call, t threadStore, talk *threadops.Talk, children []thread.Info) error {
	out := k.W.Out()
	out.WriteString(infoText(talk.Info))
	for s, err := range talk.Parts(k, t, children) {
		if err != nil {
			return cmp.Or(out.Flush(), err)
		}
		talk.Answer(k, t, &s, maxSaid, command.ThreadError)
		printPart(out, &s, k.W.Columns())
	}
	return out.Flush()
}

// printTalk prints the conversation that was read.
func printTalk(k *operations.Call, talk *threadops.Talk) error {
	if k.JSON {
		return command.WriteLine(k.W.Stdout, talk)
	}
	out := k.W.Out()
	out.WriteString(infoText(talk.Info))
	if talk.Earlier > 0 {
		fmt.Fprintf(out, "\n… %s\n", before(talk))
	}
	for i := range talk.Said {
		printPart(out, &talk.Said[i], k.W.Columns())
	}
	return out.Flush()
}

// before is what comes before the parts that are printed.
func before(talk *threadops.Talk) string {
	text := say.Count(int(talk.Earlier), "event")
	if in := talk.Said[0].Thread; in != "" {
		text += " of thread " + shortID(in)
	}
	text += " before these"
	if talk.EarlierIn != "" {
		text += ", and what is inherited from thread " + shortID(talk.EarlierIn)
	}
	return text
}

// printPart prints a part of the conversation for people, wrapped at columns; 0 for no wrapping.
func printPart(out *bufio.Writer, s *threadops.Said, columns int) {
	out.WriteString("\n" + headline(s) + "\n")
	text := strings.Trim(s.Text, "\n")
	if text == "" || s.To != "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		rows := []string{command.Plain(line)}
		if columns > 0 {
			rows = command.Wrap("  "+rows[0], max(columns, command.LeastCell))
		} else {
			rows[0] = "  " + rows[0]
		}
		out.WriteString(strings.TrimRight(strings.Join(rows, "\n"), " ") + "\n")
	}
}

// headline is the first line of a part: time, author or kind, and the thread that it is inherited from.
func headline(s *threadops.Said) string {
	text := ""
	if s.At != nil {
		text = s.At.Format("2006-01-02 15:04:05Z") + "  "
	}
	if text += what(s); s.Thread != "" {
		text += "  (inherited from thread " + shortID(s.Thread) + ")"
	}
	return text
}

func what(s *threadops.Said) string {
	switch {
	case s.To != "" && s.Text != "":
		return fmt.Sprintf("-- %s to thread %s: %s", s.Kind, shortID(s.To), command.Plain(s.Text))
	case s.To != "":
		return fmt.Sprintf("-- %s to thread %s", s.Kind, shortID(s.To))
	case s.From != "":
		return fmt.Sprintf("-- %s of thread %s after event %d", s.Kind, shortID(s.From), *s.Cut)
	case s.Kind == threadops.SaidAnswer && s.Reason == "" && s.Thread != "":
		return fmt.Sprintf("run %s (had not ended)", shortID(s.Run))
	case s.Kind == threadops.SaidAnswer && s.Reason == "":
		return fmt.Sprintf("run %s (running)", shortID(s.Run))
	case s.Kind == threadops.SaidAnswer:
		text := "run " + shortID(s.Run)
		if ended := s.Ended(); ended != "" {
			text += " (" + command.Plain(ended) + ")"
		}
		if used := s.Usage.String(); used != "" {
			text += ", " + used
		}
		return text
	case s.Kind == threadops.SaidSummary:
		return "-- summary"
	}
	return command.Plain(s.Who)
}
