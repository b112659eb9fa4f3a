package relay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/workspace"
)

// treeLimit is how long git may take: a link must not wait for a repository that is too large.
const treeLimit = 10 * time.Second

// tree is a hash of the commit and of the uncommitted files, with their sizes and times,
// without those of handoff. Two hashes differ if somebody worked in between. It is "" if git
// does not answer.
func tree(ctx context.Context, ws *workspace.Workspace) string {
	ctx, cancel := context.WithTimeout(ctx, treeLimit)
	defer cancel()
	state, err := gitindex.Current(ctx, ws.Root)
	if err != nil {
		return ""
	}
	top := cmp.Or(regular.GitTop(ws.Root), ws.Root) // git's names are relative to it
	sum := sha256.New()
	fmt.Fprintln(sum, state.Branch, state.Commit)
	for _, name := range state.Changed {
		if !workspace.OwnFile(name) {
			addFile(sum, top, name)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func addFile(sum io.Writer, top, name string) {
	info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		fmt.Fprintf(sum, "%q gone\n", name)
		return
	}
	fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
}
