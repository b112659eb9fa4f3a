package outdated

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/text/visible"
	"handoff/workspace/reconcile"
)

// Limits of the report about changed files.
const (
	gitTime    = 5 * time.Second // for all git commands
	maxChanged = 8               // files by name
	maxCompare = 16 << 20        // bytes of a file that is compared with its commit
)

// changedSince returns one line about HEAD and one for each file that the
// document names and that was changed after it was written. If there is no
// repository or no git, it returns nothing.
func changedSince(ctx context.Context, root string, written time.Time, d reconcile.Document) (lines []string) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	files := namedFiles(root, d)
	since, err := gitindex.Since(ctx, root, written, d.Path, files)
	if err != nil {
		return nil
	}
	if since.Commits > 0 {
		lines = append(lines, "HEAD moved: "+commits(since.Commits)+" since")
	}
	open := uncommitted(ctx, root, written, d.Path, files)
	var changed []string
	for _, name := range files {
		switch n := since.Files[name]; {
		case slices.Contains(open, name):
			changed = append(changed, visible.OneLine(name)+" changed since, and the change is not committed")
		case n > 0:
			changed = append(changed, visible.OneLine(name)+" changed since, in "+commits(n))
		}
	}
	if more := len(changed) - maxChanged; more > 0 {
		changed = append(changed[:maxChanged], fmt.Sprintf("and %d more of the files that it names", more))
	}
	return append(lines, changed...)
}

func commits(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprintf("%d commits", n)
}

// namedFiles are the regular files of the workspace that a document tells its
// successor to open. Those that handoff itself updates after each document are
// left out; the rule dead-reference reports missing ones.
func namedFiles(root string, d reconcile.Document) (files []string) {
	for _, f := range reconcile.Bundle(d).Refs.Files {
		ours, task := strings.CutPrefix(f.Path, d.Name.Dir+"/")
		if f.Path == d.Path || task && (ours == handoff.MetadataFile || strings.HasPrefix(ours, "progress/")) {
			continue
		}
		if st, err := os.Lstat(filepath.Join(root, filepath.FromSlash(f.Path))); err == nil && st.Mode().IsRegular() {
			files = append(files, f.Path)
		}
	}
	return files
}

// uncommitted are those of some files that differ from the last commit and were
// changed after the document. Earlier changes are those that the document is
// about. The time of the document's file counts too, because in a copy of a
// tree all times are new.
func uncommitted(ctx context.Context, root string, written time.Time, document string, files []string) (names []string) {
	modified := func(name string) (at time.Time) {
		if st, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
			at = st.ModTime()
		}
		return at
	}
	const copying = 2 * time.Second // how long the files of a small tree take to copy
	if at := modified(document); at.After(written) {
		written = at.Add(copying)
	}
	files = slices.DeleteFunc(slices.Clone(files), func(name string) bool { return !modified(name).After(written) })
	if len(files) == 0 {
		return nil
	}
	committed, err := gitindex.Committed(ctx, root, files)
	if err != nil {
		return nil
	}
	gitindex.Contents(ctx, root, committed, func(e gitindex.Entry, old []byte) error { // an error: the rest is not known
		now, err := nofollow.Root(root).ReadUnlinked(filepath.Join(root, filepath.FromSlash(e.Path)), maxCompare)
		if err == nil && !e.Link && !bytes.Equal(unix(now), unix(old)) {
			names = append(names, e.Path)
		}
		return nil
	})
	return names
}

// unix is a text with the line ends that git commits.
func unix(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
