// Package prove judges the marks in documents: it runs their commands if the
// configuration allows them, and compares the workspace with their commits.
//
// It runs no shell, and only allowed commands; it writes nothing.
package prove

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/document/evidence"
	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/internal/text/shellword"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Verdict is the result for an item.
type Verdict string

// The verdicts.
const (
	Verified   Verdict = "verified"   // its command succeeds
	Failed     Verdict = "failed"     // its command fails
	Stale      Verdict = "stale"      // what it was checked on has changed since
	Unverified Verdict = "unverified" // nobody checked it, or it cannot be checked here
)

// Result is the judgement on one item.
type Result struct {
	Path      string  `json:"path" doc:"document, relative to the workspace"`
	Line      int     `json:"line" doc:"line of the item"`
	Section   string  `json:"section" doc:"section of the item"`
	Text      string  `json:"text" doc:"the item, without its mark, on one line"`
	Verdict   Verdict `json:"verdict" enum:"verified,failed,stale,unverified" doc:"what is known of it now"`
	Why       string  `json:"why" doc:"why"`
	Command   string  `json:"command,omitempty" doc:"the command that checks it"`
	At        string  `json:"at,omitempty" doc:"commit at which the author says that it succeeded"`
	Inherited bool    `json:"inherited,omitempty" doc:"the document before has the same item and mark: it was copied and not checked again"`
	Output    string  `json:"output,omitempty" doc:"the end of the output of a command that failed"`
}

// Bad reports whether the successor must not rely on the item.
func (r Result) Bad() bool { return r.Verdict == Failed || r.Verdict == Stale }

// Prover judges items of one workspace. It runs each command once.
type Prover struct {
	ws      *workspace.Workspace
	git     *repository
	ran     map[string]outcome
	atLeast time.Duration // that a command may take, whatever the configuration says
	left    error         // why allowed commands were not run: the user has not trusted the workspace
	exec    func(ctx context.Context, p *Prover, command []string) outcome
}

// New returns a prover of a workspace.
func New(ws *workspace.Workspace) *Prover {
	return &Prover{ws: ws, git: newRepository(ws.Root), ran: map[string]outcome{}, exec: run}
}

// Document judges the items of a document that have a mark, those without one that were carried over from the previous
// document, and what the document claims without a mark; before is nil if there is none.
func (p *Prover) Document(ctx context.Context, path string, doc, before *handoff.Document, emit func(Result) error) error {
	if err := p.fact(ctx, doc, Result{Path: path}, emit); err != nil {
		return err
	}
	old, judged := items(before), map[int]bool{}
	for i := range doc.Sections {
		s := &doc.Sections[i]
		for j := range s.Items {
			item := &s.Items[j]
			r := Result{Path: path, Line: item.Lines.First, Section: s.Kind.String(), Inherited: old[strings.TrimSpace(item.Text)]}
			text, mark, err := evidence.Split(item.Text)
			r.Text = prose.OneLine(plainLabel(text))
			switch {
			case err != nil:
				r.Verdict, r.Why = Unverified, err.Error()
			case mark != nil:
				p.judge(ctx, &r, mark)
			case r.Inherited && strings.TrimSpace(text) != "" && pinned(s.Kind):
				r.Verdict, r.Why = Unverified, "taken over from the document before, without a check"
			default:
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			for n := item.Lines.First; n <= item.Head.Last; n++ {
				judged[n] = true
			}
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return p.said(ctx, path, doc, judged, emit)
}

// plainLabel is a text without the emphasis of a label that it begins with, so that
// "**Tests**: …" has the form that the line about git has: "Git: …".
func plainLabel(text string) string {
	rest, bold := strings.CutPrefix(text, "**")
	name, value, closed := strings.Cut(rest, "**")
	if !bold || !closed || !strings.HasPrefix(value, ":") && !strings.HasSuffix(name, ":") {
		return text
	}
	return name + value
}

// pinned reports whether items of a section are often taken over.
func pinned(k handoff.Kind) bool {
	return k == handoff.DeadEnds || k == handoff.Context || k == handoff.Decisions
}

func items(doc *handoff.Document) map[string]bool {
	all := map[string]bool{}
	if doc == nil {
		return all
	}
	for i := range doc.Sections {
		for _, item := range doc.Sections[i].Items {
			all[strings.TrimSpace(item.Text)] = true
		}
	}
	return all
}

// judge sets the verdict on an item with a mark.
func (p *Prover) judge(ctx context.Context, r *Result, m *evidence.Mark) {
	if !m.Verified {
		r.Verdict, r.Why = Unverified, "the author says so"
		if m.Reason != "" {
			r.Why += ": " + prose.OneLine(m.Reason)
		}
		return
	}
	r.Command, r.At = shellword.Join(m.Command...), m.At
	allowed, refused := p.allows(m.Command)
	var done outcome
	if allowed {
		if done = p.run(ctx, m.Command); done.err != nil {
			r.Verdict, r.Why, r.Output = Failed, done.err.Error(), done.output
			return
		}
	}
	changed, err := p.git.since(ctx, r.Text, m.At, allowed)
	switch {
	case errors.Is(err, errUnknown):
		changed = ""
	case err != nil:
		changed = err.Error()
	}
	switch {
	case changed != "":
		r.Verdict, r.Why = Stale, changed
	case allowed:
		r.Verdict, r.Why = Verified, "the command succeeds"
	case refused != nil:
		r.Verdict, r.Why = Unverified, "not run: "+refused.Error()
	default:
		r.Verdict, r.Why = Unverified, "the command is not one that checks.allow in .handoff.yaml has"
		if m.At != "" && err == nil {
			r.Why += "; nothing that the item is about has changed since " + m.At
		}
	}
}

// allows reports whether a command may be run; not if only the configuration allows it,
// and the user has not trusted the workspace: then refused says so.
func (p *Prover) allows(command []string) (ok bool, refused error) {
	if !p.ws.Config.Checks.Allow.Has(command) {
		return false, nil
	}
	if refused = p.ws.MayAct(); refused != nil {
		p.left = fmt.Errorf("the commands of checks.allow were not run: %w", refused)
	}
	return refused == nil, refused
}

// Left returns an error if commands that the configuration allows were not run, because
// the user has not trusted the workspace. A caller that relies on the verdicts fails.
func (p *Prover) Left() error { return p.left }

// run runs a command, unless it did before.
func (p *Prover) run(ctx context.Context, command []string) outcome {
	key := shellword.Join(command...)
	done, ok := p.ran[key]
	if !ok {
		done = p.exec(ctx, p, command)
		p.ran[key] = done
	}
	return done
}

// Newest judges the newest document of each given task; without tasks, of all that are
// neither finished nor archived.
func (p *Prover) Newest(ctx context.Context, tasks []string, emit func(Result) error) error {
	list, err := p.tasks(ctx, tasks)
	for _, t := range list {
		path := t.Row.Path
		if path == "" {
			path = t.Last.Path
		}
		if path == "" {
			continue
		}
		doc, before, readErr := p.pair(ctx, path)
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", path, readErr))
			continue
		}
		if err := p.Document(ctx, path, doc, before, emit); err != nil {
			return err
		}
	}
	return err
}

func (p *Prover) tasks(ctx context.Context, dirs []string) ([]documents.Task, error) {
	if len(dirs) > 0 {
		return documents.ReadTasks(ctx, p.ws, dirs)
	}
	all, err := documents.ListTasks(ctx, p.ws, func(n handoff.Name) bool { return !n.Archived() })
	var open []documents.Task
	for _, t := range all {
		if t.Row.Path != "" {
			open = append(open, t)
		}
	}
	return open, err
}

// pair is a document and the previous one of its task, nil if there is none.
func (p *Prover) pair(ctx context.Context, path string) (doc, before *handoff.Document, err error) {
	name := handoff.ParseName(path)
	entries, err := documents.List(ctx, p.ws, documents.Filter{Task: name.Number()})
	if err != nil {
		return nil, nil, err
	}
	found := false
	for _, e := range entries { // the newest first
		switch {
		case e.Path == path:
			if doc, err = documents.ReadInside(p.ws, e); err != nil {
				return nil, nil, err
			}
			found = true
		case found && e.Name.Dir == name.Dir:
			before, err = documents.ReadInside(p.ws, e)
			return doc, before, err
		}
	}
	return doc, nil, err
}
