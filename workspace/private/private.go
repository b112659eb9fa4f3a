// Package private keeps the outputs of agents out of git: it writes .handoff/.gitignore and
// .rip/.gitignore. What agents and their commands print contains whatever they have read,
// and `git add -A` would publish it.
package private

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/artifact"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/workspace/config"
)

// maxSize is the most bytes of a list that are read.
const maxSize = 1 << 20

// The lists of .handoff/.gitignore. It also excludes itself, so that it need not be
// committed.
const (
	ignoreHead = "# created by handoff: files that only running processes need\n"
	ignoreOwn  = `/.gitignore
/lock
/watch.json
/watch.lock
/watch.sock
/runs/
/relays/
/receipts/
/feeds/
/requests/
/requests.lock
/seen
/current/
/tmp/
*.idx/
*.jsonl.lock
*.jsonl.torn-*
*.jsonl.aside-*
/replica.json
/.handoff-tmp-*
`
	ignoreOutputs = "# outputs of agents: `share:` in .handoff.yaml lists what git gets\n"
	ignoreThreads = "/threads/\n/threads.jsonl\n/sessions/\n/sessions.jsonl\n/tasks/\n"
	ignoreTapes   = "/tape/\n"
)

// stateIgnore is the list if git gets so much.
func stateIgnore(s config.Share) string {
	text := ignoreHead + ignoreOwn + ignoreOutputs
	if !s.Threads {
		text += ignoreThreads
	}
	if !s.Tapes {
		text += ignoreTapes
	}
	return text
}

// IsOurs reports whether `handoff` alone, of this or an older version, wrote a list: it
// has our first line, and no line that we do not write.
func IsOurs(src string) bool {
	known := strings.Split(stateIgnore(config.Share{}), "\n")
	return strings.HasPrefix(src, ignoreHead) && !slices.ContainsFunc(strings.Split(src, "\n"), func(line string) bool { return !slices.Contains(known, line) })
}

// Tree is a workspace.
type Tree struct {
	Root, State string // its root, and the name of its own folder below that

	once    sync.Once    // see shared
	tracked config.Share // what git has already
}

func (t *Tree) trusted() nofollow.Root { return nofollow.Root(t.Root) }

// Update creates the own folder if it is missing, with a .gitignore. A list that the user
// has written or changed is kept; that of an older version or of another configuration is
// replaced. wants is what the configuration shares; nil if that is not known: then a list
// that exists is kept.
func (t *Tree) Update(wants *config.Share) error {
	dir := filepath.Join(t.Root, t.State)
	ignore := filepath.Join(dir, ".gitignore")
	src, err := t.trusted().ReadUnlinked(ignore, maxSize)
	switch {
	case err == nil && (wants == nil || string(src) == stateIgnore(*wants) || !IsOurs(string(src))):
		return nil
	case err != nil && regular.KindOf(ignore) != regular.Nothing:
		return nil // a link, or not readable: the user's own
	case wants == nil:
		wants = &config.Share{}
	}
	share := t.shared(*wants)
	text := stateIgnore(share)
	if err == nil && string(src) == text {
		return nil
	}
	if err := t.trusted().MkdirAll(dir, 0o755); err != nil {
		return err
	}
	write := atomicfile.Create
	if err == nil {
		write = atomicfile.Write
	}
	if err := write(t.trusted(), ignore, []byte(text), 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return t.artifacts(share.Threads)
}

// artifacts brings .rip/.gitignore up to date: contexts of runs, which are artifacts,
// repeat outputs. The artifact store writes it with the folder, so for a team that shares
// threads the folder is created here.
func (t *Tree) artifacts(shared bool) error {
	rip := filepath.Join(t.Root, filepath.FromSlash(path.Dir(path.Dir(artifact.Blobs))))
	ignore := filepath.Join(rip, ".gitignore")
	if shared {
		if src, err := t.trusted().ReadUnlinked(ignore, maxSize); err == nil && string(src) == artifact.Ignore {
			return t.trusted().Remove(ignore)
		}
		return t.trusted().MkdirAll(rip, 0o755)
	}
	if regular.KindOf(rip) != regular.Dir || regular.KindOf(ignore) != regular.Nothing {
		return nil
	}
	if err := atomicfile.Create(t.trusted(), ignore, []byte(artifact.Ignore), 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// shared is what git gets: what the configuration names, and what git has already. A clone
// of a team that commits its threads must not hide new ones.
func (t *Tree) shared(wants config.Share) config.Share {
	t.once.Do(func() {
		threads, tapes := t.Tracked(context.Background())
		t.tracked = config.Share{Threads: len(threads) > 0, Tapes: len(tapes) > 0}
	})
	return config.Share{Threads: wants.Threads || t.tracked.Threads, Tapes: wants.Tapes || t.tracked.Tapes}
}

// gitTime is how long git may take to list what it has of outputs.
const gitTime = 5 * time.Second

// Tracked lists the outputs of agents that git has, as paths below the working tree's top.
func (t *Tree) Tracked(ctx context.Context) (threads, tapes []string) {
	top := regular.GitTop(t.Root)
	if top == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	prefix := nofollow.Root(top).Rel(t.Root) + "/"
	if prefix == "./" {
		prefix = ""
	}
	list, err := gitindex.Listed(ctx, t.Root, prefix+t.State, prefix+path.Dir(path.Dir(artifact.Blobs)))
	if err != nil {
		return nil, nil // no git: then nothing is committed here
	}
	for _, e := range list {
		switch rel := strings.TrimPrefix(e.Path, prefix); {
		case strings.HasPrefix(rel, t.State+"/tape/"):
			tapes = append(tapes, e.Path)
		case isThreads(rel, t.State):
			threads = append(threads, e.Path)
		}
	}
	return threads, tapes
}

// isThreads reports whether a path below the root is of threads, runs or artifacts.
func isThreads(rel, state string) bool {
	if strings.HasPrefix(rel, artifact.Blobs+"/") {
		return true
	}
	rel, own := strings.CutPrefix(rel, state)
	return own && slices.ContainsFunc(strings.Fields(ignoreThreads), func(line string) bool {
		return rel == line || strings.HasSuffix(line, "/") && strings.HasPrefix(rel, line)
	})
}
