// Package checkup finds problems of a workspace that keep handoffs from arriving: a
// configuration that cannot be read, receipts without a place, a watch with problems,
// hooks that failed. It changes nothing.
package checkup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"handoff/internal/text/prose"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"handoff/agents/doctor"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/daemon"
	"handoff/workspace/githook"
	"handoff/workspace/notes"
)

// place is where the checks look.
type place struct {
	dir, root string
	options   workspace.Options
}

// check is one check of a workspace.
type check struct {
	name string
	run  func(context.Context, place) []doctor.Line
}

func checks() []check {
	return []check{{"workspace", tree}, {"configuration", configuration}, {"git", refusedByGit}, {"trust", trusted}, {"receipts", receipts}, {"outbox", outbox}, {"watch", watch}, {"hook errors", hookErrors}, {"git hook", gitHook}, {"outputs in git", outputs}}
}

// Lines checks the workspace that contains a folder.
func Lines(ctx context.Context, dir string, o workspace.Options) (lines []doctor.Line) {
	p := place{dir: dir, options: o}
	p.root, _ = workspace.Locate(dir)
	for _, c := range checks() {
		for _, l := range c.run(ctx, p) {
			l.Check = c.name
			lines = append(lines, l)
		}
	}
	return lines
}

func good(what, file string) []doctor.Line {
	return []doctor.Line{{State: doctor.OK, What: what, File: file}}
}

func bad(state doctor.State, what, file, fix string) []doctor.Line {
	return []doctor.Line{{State: state, What: what, File: file, Fix: fix}}
}

func (p place) open() (*workspace.Workspace, error) { return workspace.Open(p.dir, p.options) }

// tree: without a workspace hooks find no handoffs, which is right in other projects.
func tree(_ context.Context, p place) []doctor.Line {
	ws, _ := p.open()
	err := cmp.Or(ws.Missing(), ws.LeftOut(nil))
	choice, left := (*workspace.ChoiceError)(nil), (*workspace.LeftOutError)(nil)
	switch {
	case errors.As(err, &left):
		return bad(doctor.Warning, fmt.Sprintf("this sparse checkout leaves out tasks (%d)", len(left.Folders)), ws.Root, left.Fix)
	case errors.As(err, &choice):
		return bad(doctor.Warning, err.Error(), ws.Root, "handoff init --preset "+shellword.Quote(choice.Found[0].Name))
	case err == nil && len(ws.Config.Found) > 0:
		return good("found, with the handoffs in "+workspace.Named(ws.Config.Found[0]), ws.Root)
	case errors.Is(err, fs.ErrNotExist):
		return bad(doctor.Warning, "there is no workspace here, so no handoffs", p.dir, initCommand(ws.Root))
	case err != nil:
		return bad(doctor.Problem, err.Error(), ws.Specs(), "replace the link by a folder")
	}
	if why, fix := unwritable(ws.Root, ws.Root); why != "" {
		return bad(doctor.Warning, "found, and can only be read: "+why, ws.Root, fix)
	}
	return good("found", ws.Root)
}

// unwritable is why nothing can be written in a folder of a workspace, and what to type; "" if something can be.
func unwritable(dir, root string) (why, fix string) {
	err := regular.Writable(dir)
	dir = regular.Existing(dir)
	owner, known := regular.Owner(dir)
	switch {
	case err == nil:
		return "", ""
	case errors.Is(err, syscall.EROFS) && regular.GitTop(root) != "":
		return "the file system is read-only", shellword.Join("git", "clone", regular.GitTop(root), "FOLDER")
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only", shellword.Join("cp", "-R", root, "FOLDER")
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full", shellword.Join("df", "-h", dir)
	case known && owner == os.Geteuid():
		return "you may not write there", shellword.Join("chmod", "u+w", dir)
	}
	return "it belongs to another user", shellword.Join("ls", "-ld", dir)
}

// initCommand sets up the whole git repository, as other commands say.
func initCommand(root string) string {
	if top := regular.GitTop(root); top != "" && top != root {
		return shellword.Join("handoff", "init", "-C", top)
	}
	return "handoff init"
}

func configuration(ctx context.Context, p place) []doctor.Line {
	_, file := workspace.Locate(p.dir)
	if file == "" {
		return nil
	}
	ws, err := p.open()
	if err == nil {
		err = ws.Unmatched(ctx)
	}
	if err != nil {
		return bad(doctor.Problem, err.Error(), file, "correct it (`handoff schema config` prints its schema)")
	}
	return good("can be read", file)
}

func receipts(_ context.Context, p place) []doctor.Line {
	at, err := receipt.Locate(p.root)
	if err != nil {
		return bad(doctor.Problem, "there is no place for receipts, so nothing is delivered: "+err.Error(), p.root, "git status")
	}
	if st, err := os.Stat(at.Dir); err == nil && !st.IsDir() {
		return bad(doctor.Problem, "receipts cannot be written, so nothing is delivered", at.Dir, "mv "+shellword.Quote(at.Dir)+" "+shellword.Quote(at.Dir+".aside"))
	}
	if why, fix := unwritable(at.Dir, p.root); why != "" {
		return bad(doctor.Problem, "receipts cannot be written, so nothing is delivered: "+why, at.Dir, fix)
	}
	return good("are stored here", at.Dir)
}

// outbox reports requests that wait for the store. Otherwise they would stay
// unnoticed until the next command that reaches it.
func outbox(_ context.Context, p place) []doctor.Line {
	ws, err := p.open()
	if err != nil {
		return nil
	}
	box, err := ws.Outbox()
	if err != nil {
		return nil // receipts have the same place, and report it
	}
	size, err := box.Size()
	kept, keptErr := box.Refused()
	switch {
	case err != nil || keptErr != nil:
		return bad(doctor.Problem, errors.Join(err, keptErr).Error(), box.Dir(), "handoff store drain --dry-run")
	case size.Requests > 0:
		return bad(doctor.Warning, fmt.Sprintf("%s waiting for the store %s, %d refused", prose.Count(size.Requests, "request"), ws.Address(), len(kept)), box.Dir(), "handoff store drain")
	case len(kept) > 0:
		return bad(doctor.Warning, "the store "+ws.Address()+" refused "+prose.Count(len(kept), "request"), box.Dir(), "handoff store drain --dry-run lists them, --forget forgets them")
	case ws.Config.Store.IsFiles():
		return nil
	}
	if silent := box.Silent(); silent != nil {
		return bad(doctor.Warning, silent.Error()+": its copy is read", box.Dir(), "handoff store check")
	}
	return good("nothing waits for the store "+ws.Address(), box.Dir())
}

// asking is how long a watch may take to answer. One that is starting may take
// longer; it is reported as not running.
const asking = 300 * time.Millisecond

func watch(ctx context.Context, p place) []doctor.Line {
	ws, err := p.open()
	if err != nil || ws.Missing() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	s, err := daemon.Ask(ctx, ws)
	switch {
	case errors.Is(err, daemon.ErrNotWatched), errors.Is(err, context.DeadlineExceeded):
		return good("no watch is running: handoffs arrive without one, `handoff sync` updates metadata", "")
	case err != nil:
		return bad(doctor.Warning, err.Error(), "", "handoff watch --status")
	case len(s.Problems) > 0:
		return bad(doctor.Warning, fmt.Sprintf("is running (process %d) and has %d problems", s.PID, len(s.Problems)), "", "handoff watch --status")
	}
	return good(fmt.Sprintf("is running (process %d)", s.PID), "")
}

// recent is the age after which errors of hooks say little about the present.
const recent = 7 * 24 * time.Hour

func hookErrors(_ context.Context, p place) []doctor.Line {
	log, err := notes.OpenLog(p.root)
	if err != nil {
		return nil // receipts have the same place, and report it
	}
	list, err := log.Read()
	if err != nil {
		return bad(doctor.Warning, err.Error(), log.Path(), "rm "+filepath.ToSlash(log.Path()))
	}
	var late []notes.Fault
	for _, f := range list {
		if p.options.Time().Sub(f.At) < recent {
			late = append(late, f)
		}
	}
	if len(late) == 0 {
		return good("none in the last 7 days", "")
	}
	last := late[len(late)-1]
	return bad(doctor.Warning, fmt.Sprintf("%d in the last 7 days; the last one at %s, %s of %s: %s", len(late), last.At.UTC().Format("2006-01-02 15:04Z"), last.Event, last.Host, last.Error),
		log.Path(), "correct the cause, then remove the file")
}

// refusedByGit reports that git itself does nothing in a repository of another user, which no trust of ours changes.
func refusedByGit(ctx context.Context, p place) []doctor.Line {
	top := regular.GitTop(p.root)
	if top == "" {
		return nil
	}
	if refused := gitindex.Dubious(ctx, top); refused != nil {
		return bad(doctor.Problem, "refuses the repository, because it belongs to another user: commits, branches and hooks are not seen", top, refused.Fix)
	}
	return nil
}

// gitHook reports a check of commits that was added and does not run: another program has
// written the hook again, or git looks elsewhere.
func gitHook(ctx context.Context, p place) []doctor.Line {
	s, ok := githook.Look(ctx, p.root)
	switch {
	case !ok:
		return nil
	case s.Good:
		return good(s.What, s.File)
	}
	return bad(doctor.Warning, s.What, s.File, s.Fix)
}
