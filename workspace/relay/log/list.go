package log

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/lockfile"
	"handoff/internal/procgroup"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
)

// Summary is a relay in a list. Its keys are the JSON of `handoff relay --list`.
type Summary struct {
	ID            string       `json:"id"`
	At            time.Time    `json:"at"`
	Task          int          `json:"task"`
	Link          int          `json:"link"`
	Continuations int          `json:"max_continuations"`
	Agent         string       `json:"agent"`
	State         string       `json:"state"`              // running, stopped, killed, asks or ended
	Question      string       `json:"question,omitempty"` // asks
	Reason        chain.Reason `json:"reason,omitempty"`
	Why           string       `json:"why,omitempty"`
	Until         time.Time    `json:"until,omitzero"`  // when it goes on, if it waits
	Waits         string       `json:"waits,omitempty"` // for what
	Objective     string       `json:"objective"`

	LeftRunning []procgroup.Process `json:"left_running,omitempty"` // what its agents started and left running, if it does not run itself, where the system shows it
}

// List lists all relays, the newest first. The error names the journals that cannot
// be read.
func List(ws *workspace.Workspace) (list []Summary, err error) {
	entries, err := os.ReadDir(filepath.Dir(pathOf(ws, "x", "")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || thread.CheckID(id) != nil {
			continue
		}
		s, _, unread := fold(ws, id)
		if unread != nil {
			err = errors.Join(err, unread)
			continue
		}
		sum := Summary{ID: id, At: s.At, Task: s.Plan.Task, Link: s.Link, Continuations: s.Plan.Continuations,
			Agent: s.Agent, Question: s.Asks, State: condition(ws, id, &s), Reason: s.Over, Why: s.OverWhy, Objective: s.Plan.Objective}
		if w := s.Waiting; w != nil && s.Over == "" {
			sum.Until, sum.Waits = w.Until, w.Why
		}
		list = append(list, sum)
	}
	slices.SortStableFunc(list, func(a, b Summary) int { return b.At.Compare(a.At) })
	return list, err
}

// Asks is the state of a relay that waits for a person's answer.
const Asks = "asks"

// condition is whether a relay has ended, runs, or can be resumed.
func condition(ws *workspace.Workspace, id string, s *chain.State) string {
	if s.Over != "" {
		return "ended"
	}
	held, err := lockfile.Held(ws.Trusted(), pathOf(ws, id, ".lock"))
	if err == nil && !held {
		switch {
		case s.Asks != "":
			return Asks
		case s.Stopped != "":
			return "stopped"
		}
		return "killed"
	}
	return running
}

// RunningOf returns the id of a relay of a task that a process runs, but for the relay own; "" if there is none.
func RunningOf(list []Summary, task int, own string) string {
	for _, s := range list {
		if s.Task == task && s.State == running && s.ID != own {
			return s.ID
		}
	}
	return ""
}

// running is the condition of a relay that a process runs.
const running = "running"

// Own returns an error for a journal that git has committed: its objective and its
// level would come from the author of the commit.
func Own(ctx context.Context, ws *workspace.Workspace, id string) error {
	path := pathOf(ws, id, ".jsonl")
	at, err := gitindex.Changed(ctx, filepath.Dir(path), filepath.Base(path))
	if err != nil || at.IsZero() {
		return nil // not a git repository, or not in it
	}
	return fmt.Errorf("%w: the journal of relay %s was committed at %s, so another machine may have written it: read it, and start a new relay", handoff.ErrInvalid, id, at.UTC().Format(time.RFC3339))
}

// Find finds a relay: by its id, the beginning of it, latest, or the beginning of its
// objective.
func Find(ws *workspace.Workspace, ref string) (id string, err error) {
	list, unread := List(ws)
	var ids []string
	var titled []handoff.Titled
	for _, r := range list {
		ids, titled = append(ids, r.ID), append(titled, handoff.Titled{ID: r.ID, Titles: []string{r.Objective}})
	}
	if ref == handoff.Latest && len(ids) > 0 {
		return ids[0], nil
	}
	id, err = handoff.FindID(ref, "relay", ids)
	if id == "" && err == nil {
		id, err = handoff.FindTitle(ref, "relay", titled)
	}
	switch {
	case id != "" || err != nil:
		return id, err
	case unread != nil:
		return "", unread
	}
	return "", workspace.NotFound(fmt.Sprintf("no relay %q (`handoff relay --list` lists them)", ref))
}
