package main

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/internal/text/tree"
	"handoff/log/thread"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
)

func threadEvents(k *call, t threadStore, id string, r threadops.EventsRequest) error {
	w := k.w
	most := uint64(0) // all
	if r.Max != nil {
		most = *r.Max
	}
	if r.Max != nil && most == 0 {
		return nil
	}
	short := !k.json && isTerminal(w.stdout)
	events := t.EventsFrom(k, id, r.FromSeq, r.Follow)
	return printLines(w, events, most, r.Follow, func(e thread.Event) ([]byte, error) {
		if short {
			return []byte(eventText(e, w.columns())), nil
		}
		return e.Line()
	})
}

// lineageOptions are those of thread lineage.
type lineageOptions struct{ format string }

func (o *lineageOptions) flags([]cli.Flag) []cli.Flag {
	return flags(oneOf(&cli.StringFlag{Name: "format", Destination: &o.format, Value: "text", Usage: "`FORMAT`: text, json, mermaid or dot"}))
}

func (o *lineageOptions) draw(k *call, t threadStore, id string, _ ops.None) error {
	w, format := k.w, o.format
	if k.json {
		format = "json"
	}
	node, err := threadops.Lineage.On(k, t, id, ops.None{})
	if node == nil {
		return err
	}
	if format == "json" { // the tree has all readable threads, also with an error
		return errors.Join(writeLine(w.stdout, node), err)
	}
	drawn := node.Drawn()
	if format == "text" {
		list, _ := threadops.List.On(k, t, "", ops.None{}) // without it, the ids stay whole
		shorten(drawn, shortThreads(list))
	}
	return errors.Join(w.print(tree.Draw(format, drawn)), err)
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
func threadTable(w *process, list []thread.Info) string {
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
			title = plain(*info.Title)
		}
		rows = append(rows, []string{plain(short[info.ThreadID]), say.Ago(w.now().Sub(time.UnixMilli(int64(info.CreatedAtMS)))), title, plain(what)})
	}
	return w.aligned(nil, rows, 2)
}
