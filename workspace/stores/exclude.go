package stores

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/log/artifact"
	"handoff/workspace/config"
)

// The lines around ours in .git/info/exclude, which is the user's own file.
const (
	excludeBegin = "# begin handoff: handoffs are never committed here (local: true in .handoff.yaml)\n"
	excludeEnd   = "# end handoff\n"
)

// ErrNoRepository: there is nothing from which handoffs could be excluded.
var ErrNoRepository = errors.New("not in a git repository, so nothing is committed anyway")

// exclude is the list of a repository that excludes files in its own working trees only.
type exclude struct {
	root nofollow.Root // the git folder that all working trees share
	path string
	top  string // of the working tree
}

func (t *Private) exclude() (x exclude, err error) {
	if x.top = regular.GitTop(t.Root); x.top == "" {
		return x, ErrNoRepository
	}
	_, common, err := regular.GitDirs(x.top)
	if err == nil && common == "" {
		err = ErrNoRepository
	}
	x.root, x.path = nofollow.Root(common), filepath.Join(common, "info", "exclude")
	return x, err
}

func (x exclude) read() (string, error) {
	src, err := x.root.ReadUnlinked(x.path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(src), err
}

func (x exclude) write(text string) error {
	if err := x.root.MkdirAll(filepath.Dir(x.path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(x.root, x.path, []byte(text), 0o644)
}

// Exclude keeps the handoffs of the workspace out of git: it adds what they are in to
// .git/info/exclude, which is not committed. Lines of the user stay as they are. added is false if
// the lines are there.
func (t *Private) Exclude(ctx context.Context, c *config.Config) (added bool, err error) {
	x, err := t.exclude()
	if err != nil {
		return false, err
	}
	src, err := x.read()
	if err != nil || strings.Contains(src, excludeBegin) {
		return false, err
	}
	if src != "" && !strings.HasSuffix(src, "\n") {
		src += "\n"
	}
	return true, x.write(src + excludeBegin + strings.Join(t.patterns(ctx, x.top, c), "") + excludeEnd)
}

// Include removes the lines that Exclude has added. removed is false without any.
func (t *Private) Include() (removed bool, err error) {
	x, err := t.exclude()
	if errors.Is(err, ErrNoRepository) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	src, err := x.read()
	before, rest, begun := strings.Cut(src, excludeBegin)
	_, after, ended := strings.Cut(rest, excludeEnd)
	if err != nil || !begun || !ended {
		return false, err
	}
	return true, x.write(before + after)
}

// patterns are the lines that exclude handoffs and what is made of them, from the top of the
// working tree. A specs folder of which git has something is not only for handoffs.
func (t *Private) patterns(ctx context.Context, top string, c *config.Config) (lines []string) {
	below, specs := "/", handoff.Root
	if rel := nofollow.Root(top).Rel(t.Root); rel != "." {
		below, specs = "/"+ignored(rel)+"/", rel+"/"+handoff.Root
	}
	add := func(pattern string) { lines = append(lines, below+pattern+"\n") }
	add(state.Dir + "/")
	add(strings.SplitN(artifact.Blobs, "/", 2)[0] + "/")
	tracked, err := gitindex.Listed(ctx, t.Root, specs)
	if err == nil && len(tracked) == 0 {
		add(handoff.Root + "/")
	} else {
		add(handoff.Root + "/**/" + handoff.Folder + "/")
		add(handoff.Root + "/**/" + handoff.MetadataFile)
	}
	for _, l := range c.Documents {
		for _, files := range l.Files {
			add(files)
		}
	}
	return lines
}

// ignored is the pattern of a path alone.
func ignored(path string) string {
	var text strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`*?[]\`, r) {
			text.WriteByte('\\')
		}
		text.WriteRune(r)
	}
	return text.String()
}

// Committed returns how many of some files of the workspace git has, although they are to stay out of it.
func (t *Private) Committed(ctx context.Context, paths []string) (n int, err error) {
	top := regular.GitTop(t.Root)
	if top == "" || len(paths) == 0 {
		return 0, nil
	}
	tree, ok := gitindex.OpenTree(t.Root)
	if !ok {
		return 0, nil
	}
	index, err := tree.Tracked(ctx, t.Root)
	if err != nil {
		return 0, fmt.Errorf("what git has: %w", err)
	}
	for _, p := range paths {
		if index.Has(p) {
			n++
		}
	}
	return n, nil
}
