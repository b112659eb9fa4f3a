package threads

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/internal/text/tree"
	"handoff/log/thread"
	"handoff/log/thread/compile"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
)

func threadEvents(k *operations.Call, t threadStore, id string, r threadops.EventsRequest) error {
	w := k.W
	most := uint64(0) // all
	if r.Max != nil {
		most = *r.Max
	}
	if r.Max != nil && most == 0 {
		return nil
	}
	short := !k.JSON && command.IsTerminal(w.Stdout)
	events := t.EventsFrom(k, id, r.FromSeq, r.Follow)
	if r.Inherited {
		if r.FromSeq > 0 {
			return errors.New("--inherited begins with the first event: leave out --from-seq")
		}
		parts, err := threadops.Inherited(k, t, id)
		if err != nil {
			return withoutInherited(err)
		}
		events = withInherited(k, t, parts, events)
	}
	err := command.PrintLines(w, events, most, r.Follow, func(e thread.Event) ([]byte, error) {
		if short {
			from := ""
			if e.StreamID != id {
				from = e.StreamID
			}
			return []byte(eventText(e, from, w.Columns())), nil
		}
		return e.Line()
	})
	return withoutInherited(err)
}

// withInherited are the events of the parts that a thread inherits, and then its own.
func withInherited(ctx context.Context, t threadStore, parts []threadops.Part, own iter.Seq2[thread.Event, error]) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		for _, p := range parts {
			for e, err := range p.Events(ctx, t) {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
		own(yield)
	}
}

// withoutInherited is an error that names the flag of events, which compile has in another form.
func withoutInherited(err error) error {
	if err == nil || !errors.As(err, new(*compile.LostParent)) {
		return err
	}
	return command.Reworded(strings.Replace(err.Error(), " (--no-base)", " (no --inherited)", 1), err)
}

// lineageOptions are those of thread lineage.
type lineageOptions struct{ format string }

func (o *lineageOptions) flags([]cli.Flag) []cli.Flag {
	return command.Flags(command.OneOf(&cli.StringFlag{Name: "format", Destination: &o.format, Value: "text", Usage: "`FORMAT`  output format: text, json, mermaid or dot"}))
}

func (o *lineageOptions) draw(k *operations.Call, t threadStore, id string, _ ops.None) error {
	w, format := k.W, o.format
	if k.JSON {
		format = "json"
	}
	node, err := threadops.Lineage.On(k, t, id, ops.None{})
	if node == nil {
		return err
	}
	if format == "json" { // the tree has all readable threads, also with an error
		return errors.Join(command.WriteLine(w.Stdout, node), err)
	}
	drawn := node.Drawn()
	if format == "text" {
		list, _ := threadops.List.On(k, t, "", ops.None{}) // without it, the ids stay whole
		command.Shorten(drawn, shortThreads(list))
	}
	return errors.Join(w.Print(tree.Draw(format, drawn)), err)
}

// shortThreads are the short ids of threads. They must be all threads, so that each of these
// ids names one.
func shortThreads(list []thread.Info) map[string]string {
	var ids []string
	for _, info := range list {
		ids = append(ids, info.ThreadID)
	}
	return handoff.ShortIDs(ids)
}

// threadTable prints threads for people, with enough of each ID to distinguish
// them.
func threadTable(w *command.Process, list []thread.Info) string {
	var rows [][]string
	short := shortThreads(list)
	for _, info := range list {
		what := ""
		if info.Parent != nil {
			what = info.Parent.Kind
		}
		if info.Archived {
			what += " (archived)"
		}
		title := "-"
		if info.Title != nil {
			title = command.Plain(*info.Title)
		}
		rows = append(rows, []string{command.Plain(short[info.ThreadID]), say.Ago(w.Now().Sub(time.UnixMilli(int64(info.CreatedAtMS)))), title, command.Plain(what)})
	}
	return w.Aligned(nil, rows, 2)
}
