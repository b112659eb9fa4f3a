package serving

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/daemon"
	"handoff/workspace/sync"
)

// watchLog reports what a watch does: as lines for people, as JSON, or as
// events for another program.
type watchLog struct {
	*command.Process
	notify   bool
	json     *slog.Logger // nil for text
	places   string       // that are watched
	begun    bool
	links    int // links that existed before the watch began
	problems int
}

func newWatchLog(w *command.Process, o *watchOptions, places string) (*watchLog, error) {
	l := &watchLog{Process: w, notify: o.notify, places: places}
	switch {
	case l.notify && slices.Contains(o.settings, "--log-format"):
		return nil, errors.New("--notify and --log-format exclude each other: events have one form")
	case o.logFormat == "json":
		l.json = slog.New(slog.NewJSONHandler(w.Stderr, nil))
	}
	w.NewProgress(l.notify || l.json != nil, "task")
	return l, nil
}

// say prints a message for the user.
func (l *watchLog) say(text string) {
	l.Line.Clear()
	if l.json != nil {
		l.json.Warn(text)
		return
	}
	l.Process.Say("%s", command.PlainText(text))
}

// beginning reports that the watch runs before its first scan, which may take
// long.
func (l *watchLog) beginning() {
	switch {
	case l.notify:
	case l.json != nil:
		l.json.Info("starting")
	default:
		fmt.Fprintf(l.Stderr, "watching %s: bringing all tasks up to date first\n", l.places)
	}
}

func (l *watchLog) started(tasks, documents int) {
	l.Line.Clear()
	l.begun = true
	switch {
	case l.notify:
		return
	case l.json != nil:
		l.json.Info("watching", "tasks", tasks, "handoffs", documents, "linked", l.links, "problems", l.problems)
		return
	}
	did := []string{}
	if l.links > 0 {
		did = append(did, fmt.Sprintf("linked %d", l.links))
	}
	switch {
	case l.problems > 0:
		did = append(did, command.Plural(l.problems, "problem"))
	case l.links > 0:
		did = append(did, "nothing else to do")
	default:
		did = append(did, "nothing to do")
	}
	fmt.Fprintf(l.Stderr, "watching %s (%s, %s) — %s\n", l.places, command.Plural(tasks, "task"), command.Plural(documents, "handoff"), strings.Join(did, ", "))
}

func (l *watchLog) did(at time.Time, s sync.Result) {
	l.Line.Clear()
	if s.Err == nil && !l.begun {
		l.links += len(s.Plan.Links)
	}
	l.problems += len(s.Plan.Problems)
	if s.Err != nil {
		l.problems++
	}
	switch {
	case l.notify:
		l.events(s)
	case l.json != nil:
		l.records(s)
	default:
		l.lines(at, s)
	}
}

// wrote reports a document outside of task folders.
func (l *watchLog) wrote(at time.Time, one daemon.Written) {
	l.Line.Clear()
	switch {
	case l.notify:
		out := l.Out()
		defer out.Flush()
		fmt.Fprintf(out, "written %s %s\n", command.Plain(one.Path), one.SHA256)
	case l.json != nil:
		l.json.Info("written", "path", one.Path, "sha256", one.SHA256)
	default:
		fmt.Fprintf(l.Stderr, "%s %-5s written %s\n", clock(at), one.Ref(), command.Plain(one.Path))
	}
}

// clock is a time of the log in UTC, as --status prints it: a log is read in another zone, and across a change of the clock.
func clock(at time.Time) string { return at.UTC().Format("15:04:05Z") }

// placesOf names what a watch of the workspace watches.
func placesOf(ws *workspace.Workspace) string {
	var names []string
	for _, l := range ws.Config.Documents {
		names = append(names, command.Plain(l.Name))
	}
	switch len(names) {
	case 0:
		return handoff.Root
	case 1:
		return handoff.Root + " and the layout " + names[0]
	}
	return handoff.Root + " and the layouts " + strings.Join(names, ", ")
}

// lines is the log for people. Links of the first scan are only counted.
func (l *watchLog) lines(at time.Time, s sync.Result) {
	line := func(text string) {
		fmt.Fprintf(l.Stderr, "%s %-5s %s\n", clock(at), refOf(s), command.Plain(text))
	}
	if s.Err != nil {
		line(s.Err.Error())
		return
	}
	for _, p := range s.Plan.Problems {
		line(placeOf(p.Path, p.Line, p.Col) + ": " + p.Text)
	}
	if l.begun && !s.Empty() {
		line(changesOf(s))
	}
}

// events is what --notify prints: a word, a path, and the details.
func (l *watchLog) events(s sync.Result) {
	out := l.Out()
	defer out.Flush()
	if s.Err != nil {
		fmt.Fprintf(out, "problem %s: %s\n", command.Plain(s.Plan.Dir), command.Plain(s.Err.Error()))
		return
	}
	for _, p := range s.Plan.Problems {
		fmt.Fprintf(out, "problem %s: %s\n", command.Plain(placeOf(p.Path, p.Line, p.Col)), command.Plain(p.Text))
	}
	for _, link := range s.Plan.Links {
		fmt.Fprintf(out, "linked %s %s\n", command.Plain(link.Path), link.ID)
	}
	for _, t := range s.Threads {
		fmt.Fprintf(out, "threaded %s %s\n", command.Plain(t.Path), t.ThreadID)
	}
	if len(s.Plan.Links) == 0 && !s.Plan.Empty() {
		fmt.Fprintf(out, "changed %s: %s\n", command.Plain(s.Plan.Dir), command.Plain(changesOf(s)))
	}
}

func (l *watchLog) records(s sync.Result) {
	task := slog.String("task", s.Plan.Dir)
	if s.Err != nil {
		l.json.Error("problem", task, "message", s.Err.Error())
		return
	}
	for _, p := range s.Plan.Problems {
		l.json.Warn("problem", task, "path", p.Path, "line", p.Line, "col", p.Col, "message", p.Text)
	}
	for _, link := range s.Plan.Links {
		l.json.Info("linked", task, "path", link.Path, "bundle_artifact_id", link.ID.String())
	}
	for _, t := range s.Threads {
		l.json.Info("threaded", task, "path", t.Path, "thread_id", t.ThreadID)
	}
	if !s.Plan.Empty() {
		l.json.Info("changed", task, "changes", s.Plan.Changes)
	}
}

func (l *watchLog) stopped(t daemon.Totals) {
	l.Line.Clear()
	switch {
	case l.notify:
	case l.json != nil:
		l.json.Info("stopped", "links", t.Links, "problems", t.Problems)
	default:
		fmt.Fprintf(l.Stderr, "stopped: %s, %s\n", command.Plural(t.Links, "link"), command.Plural(t.Problems, "problem"))
	}
}

// changesOf lists the changes to a task, on one line.
func changesOf(s sync.Result) string {
	did := s.Plan.Changes
	if len(did) == 0 && len(s.Plan.Blobs) > 0 {
		did = []string{command.Plural(len(s.Plan.Blobs), "bundle") + " stored"}
	}
	if len(s.Threads) > 0 {
		did = append(did[:len(did):len(did)], command.Plural(len(s.Threads), "thread")+" created")
	}
	return strings.Join(did, ", ")
}
