package reading

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/agents/transcript/audit"
	"handoff/internal/text/say"
	"handoff/surface/command"
)

// screen is how many items are listed without --all.
const screen = 20

func showAudit(w *command.Process, o *auditOptions, v auditJSON) error {
	shown := screen
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", command.Plain(auditTitle(v)))
	for _, c := range slices.Backward(v.Compactions) {
		fmt.Fprintf(&b, "%s\n", command.Plain(auditLine(&c)))
		for i := range c.Items {
			if it := &c.Items[i]; o.all || it.Fate == audit.Dropped {
				if shown--; o.all || shown >= 0 {
					fmt.Fprintf(&b, "  %s\n", command.Plain(itemLine(it, o.all)))
				}
			}
		}
	}
	if shown < 0 && !o.all {
		fmt.Fprintf(&b, "and %d more (--all)\n", -shown)
	}
	unsure := slices.ContainsFunc(v.Compactions, func(c audit.Compaction) bool { return !c.Told() })
	for i := range v.Compactions {
		if c := &v.Compactions[i]; !o.all {
			c.Items = slices.DeleteFunc(c.Items, func(it audit.Item) bool { return it.Fate != audit.Dropped })
		}
	}
	if v.Compactions == nil {
		v.Compactions = []audit.Compaction{}
	}
	if err := w.Answer(o.json, v, b.String()); err != nil {
		return err
	}
	if v.Dropped == 0 && unsure {
		return command.Exit(command.Failed)
	}
	return command.Found(v.Dropped > 0)
}

// auditTitle says whose compactions they are.
func auditTitle(v auditJSON) string {
	title := fmt.Sprintf("%s session %s: ", v.Agent, v.Session)
	if len(v.Compactions) == 0 {
		return title + "was not compacted"
	}
	title += "compacted " + command.Plural(len(v.Compactions), "time")
	if v.Handoff != "" {
		title += "; it continued " + v.Handoff
	}
	return title
}

// unread says why a summary was not compared.
var unread = map[audit.Summary]string{
	audit.Missing:  "its host did not record the summary, so what was dropped cannot be told",
	audit.Sealed:   "its host encrypted the summary, so what was dropped cannot be told",
	audit.Redacted: "the words of the summary were removed from this record, so what was dropped cannot be told",
}

// auditLine describes a compaction.
func auditLine(c *audit.Compaction) string {
	place := fmt.Sprintf("line %d, turn %d%s: ", c.Line, c.Turn, momentOf(c.At))
	dropped, kept := c.Count(audit.Dropped), c.Count(audit.Kept)+c.Count(audit.Again)
	switch {
	case !c.Told():
		return place + unread[c.Summary]
	case dropped+kept == 0:
		return place + "no rule, decision or open to-do was found before it"
	case dropped == 0:
		return place + "kept " + allOf(kept)
	}
	return place + fmt.Sprintf("dropped %d of %s", dropped, command.Plural(dropped+kept, "item"))
}

// allOf is a number of items that are all there are.
func allOf(n int) string {
	if n == 1 {
		return "the one item"
	}
	return fmt.Sprintf("all %d items", n)
}

// itemLine describes an item, and what became of it if the whole list is shown.
func itemLine(it *audit.Item, whole bool) string {
	line := fmt.Sprintf("%-8s  ", it.Kind)
	if whole {
		line = fmt.Sprintf("%-7s  %s", it.Fate, line)
	}
	if it.Line > 0 {
		line += fmt.Sprintf("turn %d, line %d%s: ", it.Turn, it.Line, momentOf(it.At))
	}
	return line + say.Line(it.Text)
}

// momentOf is a time after a comma, "" for none.
func momentOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return ", " + at.Format("2006-01-02 15:04Z")
}
