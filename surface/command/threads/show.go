package threads

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/internal/text/say"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
)

// maxSaid is the maximum length of an answer, in bytes.
const maxSaid = 1 << 20

// showOptions are those of thread show.
type showOptions struct{ last int }

func (o *showOptions) flags([]cli.Flag) []cli.Flag {
	return command.Flags(command.AtLeast(1, &cli.IntFlag{Name: "last", Destination: &o.last, Usage: "`N`  print only that many parts of the conversation, the last ones", DefaultText: "all"}))
}

func (o *showOptions) show(k *operations.Call, t threadStore, id string, _ ops.None) error {
	w := k.W
	info, err := threadops.Get.On(k, t, id, ops.None{})
	if err != nil {
		return err
	}
	talk := threadops.Talk{Info: info, Said: []threadops.Said{}}
	if err := talk.Read(k, t); err != nil {
		return err
	}
	tree, err := threadops.Lineage.On(k, t, id, ops.None{}) // all readable threads, also with an error
	if errors.Is(err, fs.ErrNotExist) {                     // RIP has no lineage
		w.Say("the server does not report which threads continue this one")
		err = nil
	}
	talk.Children(tree)
	talk.Keep(o.last)
	talk.Answers(k, t, maxSaid, command.ThreadError)
	if talk.Lost > 0 {
		w.Say("%s cannot be read", command.Plural(talk.Lost, "answer"))
		w.Incomplete = true
	}
	if k.JSON {
		return cmp.Or(command.WriteLine(w.Stdout, talk), err)
	}
	out := w.Out()
	printTalk(out, &talk, w.Columns())
	return cmp.Or(out.Flush(), err)
}

// printTalk prints the conversation for people, wrapped at columns; 0 for no
// wrapping.
func printTalk(out *bufio.Writer, talk *threadops.Talk, columns int) {
	out.WriteString(infoText(talk.Info))
	if talk.Earlier > 0 {
		fmt.Fprintf(out, "\n… %s before these\n", say.Count(talk.Earlier, "part"))
	}
	for i := range talk.Said {
		s := &talk.Said[i]
		out.WriteString("\n" + headline(s) + "\n")
		text := strings.Trim(s.Text, "\n")
		if text == "" || s.To != "" {
			continue
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
}

// headline is the first line of a part: time, and author or kind.
func headline(s *threadops.Said) string {
	when := ""
	if s.At != nil {
		when = s.At.Format("2006-01-02 15:04:05Z") + "  "
	}
	switch {
	case s.To != "" && s.Text != "":
		return fmt.Sprintf("%s-- %s to thread %s: %s", when, s.Kind, shortID(s.To), command.Plain(s.Text))
	case s.To != "":
		return fmt.Sprintf("%s-- %s to thread %s", when, s.Kind, shortID(s.To))
	case s.From != "":
		return fmt.Sprintf("%s-- %s of thread %s after event %d", when, s.Kind, shortID(s.From), s.Cut)
	case s.Kind == threadops.SaidAnswer && s.Reason == "":
		return fmt.Sprintf("%srun %s (running)", when, shortID(s.Run))
	case s.Kind == threadops.SaidAnswer && s.Reason != runner.Completed:
		return fmt.Sprintf("%srun %s (%s)", when, shortID(s.Run), command.Plain(s.Reason))
	case s.Kind == threadops.SaidAnswer:
		return fmt.Sprintf("%srun %s", when, shortID(s.Run))
	case s.Kind == threadops.SaidSummary:
		return when + "-- summary"
	}
	return when + command.Plain(s.Who)
}
