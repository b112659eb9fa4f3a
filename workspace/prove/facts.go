package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/internal/text/prose"
	"handoff/workspace"
)

// Limits of what facts name.
const (
	maxDirty   = 4   // files
	maxProblem = 120 // bytes of an open objective
	shortID    = 10  // digits of a commit
)

// Labels of facts in the current state.
const (
	gitLabel       = "Git"
	objectiveLabel = "Objectives"
)

// Facts returns lines for the current state of a new document that go out of date too fast
// to be typed: branch, commit and uncommitted files; how many objectives of the phase are
// done, and which is open. Facts that cannot be found out have no line.
func Facts(ctx context.Context, ws *workspace.Workspace, dir string, phase int) (lines []string) {
	if fact := gitFact(ctx, ws.Root); fact != "" {
		if strings.Contains(fact, uncommitted) && ws.KeepsWork() {
			fact += "; kept for `handoff restore`"
		}
		lines = append(lines, "- **"+gitLabel+"**: "+fact)
	}
	if fact := objectives(ws, dir, phase); fact != "" {
		lines = append(lines, "- **"+objectiveLabel+"**: "+fact)
	}
	return lines
}

// uncommitted introduces the files that are not committed.
const uncommitted = "; not committed: "

func gitFact(ctx context.Context, root string) string {
	state, err := gitindex.Current(ctx, root)
	if err != nil || state.Commit == "" {
		return ""
	}
	var names []string
	for _, name := range Uncommitted(state) {
		names = append(names, "`"+prose.OneLine(name)+"`")
	}
	fact := branchOf(state) + " @" + state.Commit[:min(shortID, len(state.Commit))]
	switch more := len(names) - maxDirty; {
	case len(names) == 0:
		return fact + "; everything is committed"
	case more > 0:
		return fmt.Sprintf("%s%s%s and %d more", fact, uncommitted, strings.Join(names[:maxDirty], ", "), more)
	}
	return fact + uncommitted + strings.Join(names, ", ")
}

// Uncommitted returns the files that differ from the commit, without handoffs and the tool's own.
func Uncommitted(s gitindex.State) (names []string) {
	for _, name := range s.Changed {
		if !inSpecs(name) {
			names = append(names, name)
		}
	}
	return names
}

// inSpecs reports whether a path, from the top of the repository, is that of a handoff or
// of the tool's own files.
func inSpecs(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == handoff.Root || part == state.Dir {
			return true
		}
	}
	return own(path)
}

func branchOf(s gitindex.State) string {
	if s.Branch == "" {
		return "detached"
	}
	return s.Branch
}

// objectives counts the objectives in a phase's progress file, which an agent writes.
func objectives(ws *workspace.Workspace, dir string, phase int) string {
	total, open := Objectives(ws, dir, phase)
	if total == 0 {
		return ""
	}
	fact := fmt.Sprintf("%d of %d done", total-len(open), total)
	if len(open) == 0 {
		return fact
	}
	return fact + "; open: " + open[0]
}

// closed are the words of progress files for an objective that needs no more work.
var closed = []string{"done", "completed", "complete", "skipped", "cancelled", "canceled", "dropped"}

// Objectives returns how many objectives the progress file of a phase has, and those that are
// open. A file that cannot be read has none.
func Objectives(ws *workspace.Workspace, dir string, phase int) (total int, open []string) {
	src, err := nofollow.Root(ws.Root).ReadFile(filepath.Join(ws.Root, filepath.FromSlash(path.Join(dir, handoff.ProgressFile(phase)))), workspace.MaxSize)
	var progress struct {
		Objectives []struct {
			Description string `json:"description"`
			Status      string `json:"status"`
		} `json:"objectives"`
	}
	if err != nil || json.Unmarshal(src, &progress) != nil {
		return 0, nil
	}
	for _, o := range progress.Objectives {
		if !slices.Contains(closed, strings.ToLower(o.Status)) {
			text := prose.OneLine(o.Description)
			if len(text) > maxProblem {
				text = strings.ToValidUTF8(text[:maxProblem], "") + "…"
			}
			open = append(open, text)
		}
	}
	return len(progress.Objectives), open
}

// fact judges the line about git of a document's current state.
func (p *Prover) fact(ctx context.Context, doc *handoff.Document, r Result, emit func(Result) error) error {
	s := doc.Section(handoff.CurrentState)
	if s == nil {
		return nil
	}
	l := s.Label(gitLabel)
	if l == nil {
		return nil
	}
	claim, _, _ := strings.Cut(l.Value, ";")
	branch, commit, ok := strings.Cut(strings.TrimSpace(claim), " @")
	if !ok {
		return nil // a line of the author's own
	}
	r.Line, r.Section, r.Text, r.At = l.Lines.First, s.Kind.String(), prose.OneLine(gitLabel+": "+l.Value), commit
	now, err := gitindex.Current(ctx, p.ws.Root)
	switch {
	case err != nil || now.Commit == "":
		r.Verdict, r.Why, r.At = Unverified, "git does not answer", ""
	case !strings.HasPrefix(now.Commit, commit):
		r.Verdict, r.Why = Stale, "HEAD is "+now.Commit[:min(shortID, len(now.Commit))]+" now"
	case branch != branchOf(now):
		r.Verdict, r.Why = Stale, "the branch is "+prose.OneLine(branchOf(now))+" now"
	default:
		r.Verdict, r.Why = Verified, "branch and commit are these"
	}
	return emit(r)
}
