package stores

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

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/log/artifact"
	"handoff/workspace/config"
)

// maxSize is the most bytes of a list that are read.
const maxSize = 1 << 20

// The comments of .handoff/.gitignore. The list also excludes itself, so that it need not be
// committed. Its lines are those of the table in package state: an older list, which has some
// of them, is replaced, so no line that was ever written may be missing there.
const (
	ignoreHead    = "# created by handoff: files that only running processes need\n"
	ignoreOutputs = "# outputs of agents: `share:` in .handoff.yaml lists what git gets\n"
)

// stateIgnore returns the list if git gets so much.
func stateIgnore(s config.Share) string {
	var b strings.Builder
	section := func(comment string, lines []string) {
		b.WriteString(comment)
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
	}
	section(ignoreHead, state.Ignored(state.Private))
	var outputs []state.Sharing
	if !s.Threads {
		outputs = append(outputs, state.Threads)
	}
	if !s.Tapes {
		outputs = append(outputs, state.Tapes)
	}
	section(ignoreOutputs, state.Ignored(outputs...))
	return b.String()
}

// IsOwnIgnore reports whether `handoff` alone, of this or an older version, wrote a list: it
// has our first line, and no line that we do not write.
func IsOwnIgnore(src string) bool {
	known := strings.Split(stateIgnore(config.Share{}), "\n")
	return strings.HasPrefix(src, ignoreHead) && !slices.ContainsFunc(strings.Split(src, "\n"), func(line string) bool { return !slices.Contains(known, line) })
}

// Private keeps the outputs of agents in a workspace out of git: it writes .handoff/.gitignore and
// .rip/.gitignore. What agents and their commands print contains whatever they have read,
// and `git add -A` would publish it.
type Private struct {
	Root, State string // its root, and the name of its own folder below that

	once    sync.Once    // see shared
	tracked config.Share // what git has already
}

func (t *Private) trusted() nofollow.Root { return nofollow.Root(t.Root) }

// Update creates the own folder if it is missing, with a .gitignore. A list that the user
// has written or changed is kept; that of an older version or of another configuration is
// replaced. wants is what the configuration shares; nil if that is not known: then a list
// that exists is kept.
func (t *Private) Update(wants *config.Share) error {
	dir := filepath.Join(t.Root, t.State)
	ignore := filepath.Join(dir, ".gitignore")
	src, err := t.trusted().ReadUnlinked(ignore, maxSize)
	switch {
	case err == nil && (wants == nil || string(src) == stateIgnore(*wants) || !IsOwnIgnore(string(src))):
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
func (t *Private) artifacts(shared bool) error {
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
func (t *Private) shared(wants config.Share) config.Share {
	t.once.Do(func() {
		has := t.Tracked(context.Background())
		t.tracked = config.Share{Threads: len(has.Threads) > 0, Tapes: len(has.Tapes) > 0}
	})
	return config.Share{Threads: wants.Threads || t.tracked.Threads, Tapes: wants.Tapes || t.tracked.Tapes}
}

// gitTime is how long git may take to list what it has of outputs.
const gitTime = 5 * time.Second

// Tracked is what git has of our own folders, as paths below the working tree's top.
type Tracked struct {
	Threads []string // outputs of agents: of threads, runs and artifacts
	Tapes   []string // the same, of tapes
	Private []string // what no other clone may use: claims, requests, locks
}

// Tracked lists what git has that the configuration may not share.
func (t *Private) Tracked(ctx context.Context) (has Tracked) {
	top := regular.GitTop(t.Root)
	if top == "" {
		return has
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	prefix := nofollow.Root(top).Rel(t.Root) + "/"
	if prefix == "./" {
		prefix = ""
	}
	list, err := gitindex.Listed(ctx, t.Root, prefix+t.State, prefix+path.Dir(path.Dir(artifact.Blobs)))
	if err != nil {
		return has // no git: then nothing is committed here
	}
	for _, e := range list {
		has.add(e.Path, strings.TrimPrefix(e.Path, prefix), t.State)
	}
	return has
}

// add adds a path to what it is of. rel is the path below the root.
func (has *Tracked) add(path, rel, own string) {
	below, ours := strings.CutPrefix(rel, own+"/")
	switch row, known := state.Find(below, false); {
	case strings.HasPrefix(rel, artifact.Blobs+"/"), ours && known && row.Share == state.Threads:
		has.Threads = append(has.Threads, path)
	case ours && known && row.Share == state.Tapes:
		has.Tapes = append(has.Tapes, path)
	case ours && known && row.Share == state.Private && below != state.Ignore && row.Lost != state.Running:
		has.Private = append(has.Private, path)
	}
}

// KeepPrivate creates the folder of the tool's own files, and excludes from git what the
// configuration does not share. Without a configuration, an existing list is kept.
func (s *Stores) KeepPrivate() error {
	if s.o.Config == nil {
		return s.private.Update(nil)
	}
	share := s.o.Config().Share
	return errors.Join(s.private.Update(&share), s.KeepLocal(context.Background()))
}

// KeepLocal keeps handoffs out of git, if the configuration says so: see [Private.Exclude].
func (s *Stores) KeepLocal(ctx context.Context) error {
	if s.o.Config == nil || !s.o.Config().Local {
		return nil
	}
	_, err := s.Exclude(ctx)
	if errors.Is(err, ErrNoRepository) {
		return nil
	}
	return err
}

// Exclude keeps handoffs out of git: see [Private.Exclude].
func (s *Stores) Exclude(ctx context.Context) (added bool, err error) {
	c := s.o.Config()
	return s.private.Exclude(ctx, &c)
}

// Include ends that.
func (s *Stores) Include() (removed bool, err error) { return s.private.Include() }

// Committed returns how many of some documents git has.
func (s *Stores) Committed(ctx context.Context, paths []string) (int, error) {
	return s.private.Committed(ctx, paths)
}

// Tracked lists what git has of our own folders.
func (s *Stores) Tracked(ctx context.Context) Tracked {
	return s.private.Tracked(ctx)
}
