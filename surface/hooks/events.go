package hooks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents/host"
	"handoff/agents/sessions"
	"handoff/agents/transcript"
	"handoff/internal/file/nofollow"
	"handoff/workspace/delivery"
	"handoff/workspace/sync"
)

// text is the text that the event adds to the agent's context, or its request; "" for
// nothing. With an error there may also be a text.
func (r *run) text(ctx context.Context) (string, error) {
	err := r.desk.Hear(ctx, delivery.Heard{Transcript: r.in.Transcript, Over: r.Event == host.SessionEnd, Worked: r.worked()})
	woken := ""
	if r.hook.Form != host.Silent && slices.Contains([]host.Event{host.SessionStart, host.Prompt, host.ToolUse, host.Batch}, r.Event) {
		var bad error
		woken, bad = r.desk.Woken(ctx)
		err = errors.Join(err, bad)
	}
	text, bad := r.event(ctx)
	dropped, unread := r.dropped(ctx)
	if woken != "" || dropped != "" {
		text = r.within([]string{text, woken, dropped}) // a report that was recorded as delivered has the room
	}
	bad = errors.Join(bad, unread)
	return text, errors.Join(err, bad)
}

// worked reports whether the call of a tool changed a file of the workspace, or committed.
func (r *run) worked() bool {
	if r.Event != host.ToolUse {
		return false
	}
	return transcript.Commits(r.in.Command) || transcript.Writes(r.in.Tool) && slices.ContainsFunc(r.in.Files, func(file string) bool {
		return !filepath.IsAbs(file) || nofollow.Within(r.ws.Root, filepath.Clean(file))
	})
}

// event is the text of the event itself.
func (r *run) event(ctx context.Context) (string, error) {
	switch r.Event {
	case host.SessionStart:
		return r.start(ctx)
	case host.Prompt:
		return r.first(ctx)
	case host.ToolUse:
		return r.toolUse(ctx)
	case host.Batch:
		return r.note(ctx)
	case host.Stop, host.SubagentStop:
		reason, err := r.clear(ctx)
		if r.clears = reason != ""; r.clears || err != nil {
			return reason, err
		}
		return r.ask(ctx)
	case host.SubagentStart:
		return r.report(ctx)
	case host.PreCompact:
		return "", r.compacting(ctx)
	case host.StopFailure, host.SessionEnd:
		return "", r.leave(ctx)
	case host.PostCompact:
		if r.host.ReturnsTo(r.Event) {
			return r.desk.Resume(ctx)
		}
	}
	return "", nil
}

// start delivers a handoff to a session that starts. A session that resumes after it
// saved a handoff keeps its context, so that handoff is for another one.
func (r *run) start(ctx context.Context) (string, error) {
	switch r.in.Source {
	case host.Compact:
		return r.desk.Resume(ctx)
	case "resume":
		if f, ok := r.transcript(r.in.Transcript); ok && f.File.Session.Saved {
			return "", nil
		}
	}
	return r.begin(ctx)
}

// first delivers to a session whose start was not seen. That is not known of a session
// without an id.
func (r *run) first(ctx context.Context) (string, error) {
	if r.in.Session == "" {
		return "", nil
	}
	if text, err := r.lost(ctx); text != "" || err != nil {
		return text, err
	}
	return r.desk.First(ctx)
}

// lost is the text to restore after a compaction, if this event is the first at which the
// host accepts it, or if that one did not come.
func (r *run) lost(ctx context.Context) (string, error) {
	if !r.host.ReturnsTo(r.Event) && !r.host.CatchesUp(r.Event) || r.in.Agent != "" {
		return "", nil
	}
	lost, err := r.desk.Lost()
	if r.host.Unannounced {
		g, _ := r.reading(ctx, r.in.Transcript)
		lost, err = r.desk.Emptied(ctx, g.Compactions, g.Used)
	}
	if err != nil || !lost {
		return "", err
	}
	return r.desk.Resume(ctx)
}

// toolUse links and checks handoffs that the call wrote. Where the host reports no
// batches of calls, a note may follow.
func (r *run) toolUse(ctx context.Context) (string, error) {
	lost, err := r.lost(ctx)
	texts := []string{lost}
	if slices.ContainsFunc(r.in.Files, sessions.IsProgress) {
		err = errors.Join(err, r.desk.SawObjectives(ctx, "", false))
	}
	for _, path := range r.written() {
		text, bad := r.checked(ctx, path)
		texts, err = append(texts, text), errors.Join(err, bad)
	}
	if _, batches := r.host.Hook(host.Batch); !batches && r.hook.Form != host.Silent {
		text, bad := r.note(ctx)
		texts, err = append(texts, text), errors.Join(err, bad)
	}
	return r.within(texts), err
}

// report names the report that the session works on to an agent that it starts.
func (r *run) report(ctx context.Context) (string, error) {
	path, err := r.desk.Report(ctx)
	if path == "" {
		return "", err
	}
	return fmt.Sprintf("The session that started this agent continues a report: %s\n", r.ws.NameOf(path).Called(path)), nil
}

// within joins those texts that fit the limit together.
func (r *run) within(texts []string) (all string) {
	for _, text := range texts {
		if joined := strings.TrimPrefix(all+"\n"+text, "\n"); text != "" && r.host.Limit.Fits(joined) {
			all = joined
		}
	}
	return all
}

// compacting saves what a compaction may lose: handoffs that are not linked yet.
func (r *run) compacting(ctx context.Context) error {
	err := r.desk.Compacting(ctx)
	linking := sync.Run(ctx, r.ws, sync.Request{}, func(s sync.Result) error { return s.Err })
	if linking != nil {
		linking = fmt.Errorf("sync: %w", linking)
	}
	return errors.Join(err, linking)
}
