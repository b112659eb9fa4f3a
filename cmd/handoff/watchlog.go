package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/workspace"
	"handoff/workspace/daemon"
	"handoff/workspace/sync"
)

// watchLog reports what a watch does: as lines for people, as JSON, or as
// events for another program.
type watchLog struct {
	*process
	notify   bool
	json     *slog.Logger // nil for text
	places   string       // that are watched
	begun    bool
	links    int // links that existed before the watch began
	problems int
}

func newWatchLog(w *process, o *watchOptions, places string) (*watchLog, error) {
	l := &watchLog{process: w, notify: o.notify, places: places}
	switch {
	case l.notify && slices.Contains(o.settings, "--log-format"):
		return nil, errors.New("--notify and --log-format exclude each other: events have one form")
	case o.logFormat == "json":
		l.json = slog.New(slog.NewJSONHandler(w.stderr, nil))
	}
	w.newProgress(l.notify || l.json != nil, "task")
	return l, nil
}

// say prints a message for the user.
func (l *watchLog) say(text string) {
	l.line.clear()
	if l.json != nil {
		l.json.Warn(text)
		return
	}
	l.process.say("%s", plainText(text))
}

// beginning reports that the watch runs before its first scan, which may take
// long.
func (l *watchLog) beginning() {
	switch {
	case l.notify:
	case l.json != nil:
		l.json.Info("starting")
	default:
		fmt.Fprintf(l.stderr, "watching %s: bringing all tasks up to date first\n", l.places)
	}
}

func (l *watchLog) started(tasks, documents int) {
	l.line.clear()
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
		did = append(did, plural(l.problems, "problem"))
	case l.links > 0:
		did = append(did, "nothing else to do")
	default:
		did = append(did, "nothing to do")
	}
	fmt.Fprintf(l.stderr, "watching %s (%s, %s) — %s\n", l.places, plural(tasks, "task"), plural(documents, "handoff"), strings.Join(did, ", "))
}

func (l *watchLog) did(at time.Time, s sync.Result) {
	l.line.clear()
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
	l.line.clear()
	switch {
	case l.notify:
		out := l.out()
		defer out.Flush()
		fmt.Fprintf(out, "written %s %s\n", plain(one.Path), one.SHA256)
	case l.json != nil:
		l.json.Info("written", "path", one.Path, "sha256", one.SHA256)
	default:
		fmt.Fprintf(l.stderr, "%s %-5s written %s\n", at.Local().Format(time.TimeOnly), one.Ref(), plain(one.Path))
	}
}

// placesOf names what a watch of the workspace watches.
func placesOf(ws *workspace.Workspace) string {
	var names []string
	for _, l := range ws.Config.Documents {
		names = append(names, plain(l.Name))
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
		fmt.Fprintf(l.stderr, "%s %-5s %s\n", at.Local().Format(time.TimeOnly), refOf(s), plain(text))
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
	out := l.out()
	defer out.Flush()
	if s.Err != nil {
		fmt.Fprintf(out, "problem %s: %s\n", plain(s.Plan.Dir), plain(s.Err.Error()))
		return
	}
	for _, p := range s.Plan.Problems {
		fmt.Fprintf(out, "problem %s: %s\n", plain(placeOf(p.Path, p.Line, p.Col)), plain(p.Text))
	}
	for _, link := range s.Plan.Links {
		fmt.Fprintf(out, "linked %s %s\n", plain(link.Path), link.ID)
	}
	for _, t := range s.Threads {
		fmt.Fprintf(out, "threaded %s %s\n", plain(t.Path), t.ThreadID)
	}
	if len(s.Plan.Links) == 0 && !s.Plan.Empty() {
		fmt.Fprintf(out, "changed %s: %s\n", plain(s.Plan.Dir), plain(changesOf(s)))
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
	l.line.clear()
	switch {
	case l.notify:
	case l.json != nil:
		l.json.Info("stopped", "links", t.Links, "problems", t.Problems)
	default:
		fmt.Fprintf(l.stderr, "stopped: %s, %s\n", plural(t.Links, "link"), plural(t.Problems, "problem"))
	}
}

// changesOf lists the changes to a task, on one line.
func changesOf(s sync.Result) string {
	did := s.Plan.Changes
	if len(did) == 0 && len(s.Plan.Blobs) > 0 {
		did = []string{plural(len(s.Plan.Blobs), "bundle") + " stored"}
	}
	if len(s.Threads) > 0 {
		did = append(did[:len(did):len(did)], plural(len(s.Threads), "thread")+" created")
	}
	return strings.Join(did, ", ")
}
