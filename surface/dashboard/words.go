package dashboard

import (
	"cmp"
	"fmt"
	"html/template"
	"reflect"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/internal/text/visible"
	"handoff/log/receipt"
	"handoff/workspace/overview"
)

// functions are what templates call.
func functions() template.FuncMap {
	return template.FuncMap{
		"ago":       func(now, t time.Time) string { return say.Ago(now.Sub(t)) },
		"left":      left,
		"when":      when,
		"moment":    moment,
		"machine":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock":     func(t time.Time) string { return t.UTC().Format("15:04 UTC") },
		"sign":      sign,
		"plain":     visible.Line,
		"dots":      dots,
		"count":     say.Number,
		"plural":    say.Count[int],
		"taskURL":   taskURL,
		"lines":     lines,
		"count64":   count64,
		"threadURL": threadURL,
		"joint":     aboutJoint,
		"short":     shortStream,
		"called":    called,
		"ms":        func(ms uint64) time.Time { return time.UnixMilli(int64(ms)) },
		"inside":    func(depth int) int { return min(depth, mostInside) },
		"list":      func(items ...any) []any { return items },
		"inc":       func(n int) int { return n + 1 },
	}
}

// sign is the shape of a state, so that it needs no colour.
func sign(state any) string {
	switch fmt.Sprint(state) {
	case string(overview.Asks):
		return "?"
	case string(overview.Broken):
		return "✕"
	case string(overview.Stale), string(receipt.Expired):
		return "△"
	case string(overview.Review):
		return "◇"
	case string(overview.Waiting), string(receipt.Delivered):
		return "○"
	case string(receipt.Acknowledged):
		return "◐"
	case string(overview.Held), string(receipt.Claimed):
		return "●"
	case string(overview.Done), string(receipt.Superseded):
		return "✓"
	case string(receipt.Released):
		return "↩"
	}
	return "·"
}

// left is how long something still takes.
func left(now time.Time, t *time.Time) string {
	if t == nil {
		return ""
	}
	if d := t.Sub(now); d > 0 {
		return say.Span(d) + " left"
	}
	return "ended " + say.Ago(now.Sub(*t))
}

// moment is the age of a moment; of one without a time of day, its date.
func moment(now time.Time, m *handoff.Moment) string {
	switch {
	case m == nil || !m.Known():
		return ""
	case m.Unit >= handoff.Day:
		return m.Time.Format(time.DateOnly)
	}
	return say.Ago(now.Sub(m.Time))
}

// when is a time that a program reads, of a moment.
func when(m *handoff.Moment) string {
	switch {
	case m == nil || !m.Known():
		return ""
	case m.Unit >= handoff.Day:
		return m.Time.Format(time.DateOnly)
	}
	return m.Time.UTC().Format(time.RFC3339)
}

// mostInside is how far a row of a list is moved in below others.
const mostInside = 6

// mostDots is the longest line of dots.
const mostDots = 12

// dots are the phases of a task: whether each is complete. Nothing, if there are none or
// too many.
func dots(done, all int) []bool {
	if all < 1 || all > mostDots {
		return nil
	}
	list := make([]bool, all)
	for i := range min(done, all) {
		list[i] = true
	}
	return list
}

// count64 is count for a number of any type, or a pointer to one.
func count64(n any) string {
	v, _ := strconv.Atoi(fmt.Sprint(reflect.Indirect(reflect.ValueOf(n))))
	return say.Number(v)
}

// lines is a text of several lines without characters that hide or reorder it.
func lines(text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = visible.Line(line)
	}
	return strings.Join(all, "\n")
}

// aboutJoint describes a handoff of a picture in words.
func aboutJoint(m overview.Mark) string {
	text := m.Ref
	if text == "" {
		text = m.Path
	}
	switch {
	case m.By == "" && m.State == "":
		return "handoff " + text
	case m.By == "":
		return "handoff " + text + ", " + string(m.State)
	case m.State == receipt.Expired:
		return "handoff " + text + ", the lease of " + m.By + " has ended"
	case m.Loose:
		return "handoff " + text + ", given back by " + m.By
	}
	return "handoff " + text + " to " + m.By
}

// called is what a thread is called, of those with known titles.
func called(titles map[string]string, id string) string { return cmp.Or(titles[id], shortStream(id)) }
