package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"handoff/internal/file/gitwork"
	"handoff/internal/text/secret"
	"handoff/workspace"
)

// Sent is work that was pushed, and the files that were left out because a secret is in them.
type Sent struct {
	Kept
	Withheld []string
}

// Shared reports whether the store of a workspace is a git remote, which takes work, too. The
// user must have trusted the repository that names it.
func Shared(ws *workspace.Workspace) bool {
	return ws.Config.KeepWork && ws.Config.Store.Remote != "" && ws.MayAct() == nil
}

// remoteLimit is how long the remote may take. What was not sent then is sent later.
const remoteLimit = time.Minute

// Send pushes the work that the remote of the store lacks, but for what a restore replaced. It
// never replaces a ref there: if another clone has used a number, the next one is taken.
func Send(ctx context.Context, ws *workspace.Workspace) (sent []Sent, err error) {
	if !Shared(ws) || !gitwork.MayHave(ws.Root, Prefix) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	repo, err := gitwork.Open(ctx, ws.Root)
	if err != nil {
		return nil, err
	}
	all, err := list(ctx, repo, Prefix)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	s := sender{Repo: repo, remote: ws.Config.Store.Remote}
	if s.there, err = repo.RemoteRefs(ctx, s.remote, Prefix); err != nil {
		return nil, err
	}
	for _, k := range all {
		if k.By == ByRestore || s.has(k.Commit) {
			continue
		}
		one, ok, bad := s.send(ctx, k)
		if err = errors.Join(err, bad); ok {
			sent = append(sent, one)
		}
	}
	return sent, err
}

type sender struct {
	*gitwork.Repo
	remote string
	there  map[string]string // refs of the remote
}

func (s sender) has(commit string) bool {
	for _, id := range s.there {
		if id == commit {
			return true
		}
	}
	return false
}

// send pushes one state. ok is false if the remote has it.
func (s sender) send(ctx context.Context, k Kept) (sent Sent, ok bool, err error) {
	if err := s.mayGo(ctx, k); err != nil {
		return sent, false, err
	}
	commit, withheld, err := s.public(ctx, k)
	if err != nil || s.has(commit) {
		return sent, false, err
	}
	for range tries {
		for s.there[k.Ref] != "" {
			k.N++
			k.Ref = fmt.Sprintf("%s%d/%d", Prefix, k.Task, k.N)
		}
		err = s.Push(ctx, s.remote, commit, k.Ref)
		if !errors.Is(err, gitwork.ErrTaken) {
			break
		}
		s.there[k.Ref] = "?"
	}
	if err != nil {
		return sent, false, fmt.Errorf("%s is not sent: %w", k.Name(), err)
	}
	s.there[k.Ref] = commit
	return Sent{k, withheld}, true, nil
}

// maxUnsent is the most objects in commits that are sent with the work.
const maxUnsent = 20_000

// mayGo returns an error if a commit that would be pushed with the work has a secret: it cannot
// be left out there.
func (s sender) mayGo(ctx context.Context, k Kept) error {
	blobs, ok, err := s.Unsent(ctx, k.Base, maxUnsent)
	if err == nil && !ok {
		err = errors.New("too many commits are not pushed: push the branch first")
	}
	found := false
	if err == nil {
		err = s.Contents(ctx, blobs, func(_ int, src []byte) error {
			found = found || len(secret.All(string(src))) > 0
			return nil
		})
	}
	if err == nil && found {
		err = errors.New("a commit that is not pushed has a secret")
	}
	if err != nil {
		err = fmt.Errorf("%s is not sent: %w", k.Name(), err)
	}
	return err
}

// public is the commit without the files that have a secret; the commit itself if none has. It
// is the same commit each time.
func (s sender) public(ctx context.Context, k Kept) (commit string, withheld []string, err error) {
	secrets := map[string]bool{}
	for _, tree := range []string{k.tree, k.index + "^{tree}"} {
		if err := s.secretsIn(ctx, baseTree(k), tree, secrets); err != nil {
			return "", nil, err
		}
	}
	if len(secrets) == 0 {
		return k.Commit, nil, nil
	}
	of := k.Commit
	for path := range secrets {
		withheld = append(withheld, path)
	}
	slices.Sort(withheld)
	for _, path := range withheld {
		k.Left = append(k.Left, gitwork.Skipped{Path: path, Why: "a secret is in it, so it was not sent"})
	}
	tree, err := s.Without(ctx, k.tree, baseTree(k), secrets)
	if err != nil {
		return "", nil, err
	}
	staged, err := s.Without(ctx, k.index+"^{tree}", baseTree(k), secrets)
	if err != nil {
		return "", nil, err
	}
	index, err := s.Commit(ctx, staged, "What was staged\n", time.Unix(0, 0), k.Base)
	if err != nil {
		return "", nil, err
	}
	commit, err = s.Commit(ctx, tree, message(k)+ofLine+of+"\n", k.At, k.Base, index)
	return commit, withheld, err
}

func (s sender) secretsIn(ctx context.Context, base, tree string, found map[string]bool) error {
	changed, err := s.Diff(ctx, base, tree)
	if err != nil {
		return err
	}
	var ids, paths []string
	for _, d := range changed {
		if d.Mode != "" && d.Mode != gitwork.Module {
			ids, paths = append(ids, d.ID), append(paths, d.Path)
		}
	}
	return s.Contents(ctx, ids, func(i int, src []byte) error {
		if len(secret.All(string(src))) > 0 {
			found[paths[i]] = true
		}
		return nil
	})
}

// Get fetches the work that the remote of the store has and this repository lacks. got is how
// much it was.
func Get(ctx context.Context, ws *workspace.Workspace) (got int, err error) {
	if !Shared(ws) {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	repo, err := gitwork.Open(ctx, ws.Root)
	if err != nil {
		return 0, err
	}
	there, err := repo.RemoteRefs(ctx, ws.Config.Store.Remote, Prefix)
	if err != nil {
		return 0, err
	}
	all, err := list(ctx, repo, Prefix)
	if err != nil {
		return 0, err
	}
	here, names := map[string]bool{}, []string{}
	for _, k := range all {
		here[k.Commit] = true
	}
	for name, id := range there {
		if !here[id] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return 0, nil
	}
	slices.Sort(names)
	if err := repo.Fetch(ctx, ws.Config.Store.Remote, names); err != nil {
		return 0, err
	}
	for _, name := range names {
		ok, err := adopt(ctx, repo, name, there[name], here)
		if err != nil {
			return got, err
		}
		if ok {
			got++
		}
	}
	return got, nil
}

// adopt names a fetched commit as the remote does, or by the next number that is free. One that
// was made here is not adopted.
func adopt(ctx context.Context, repo *gitwork.Repo, name, commit string, here map[string]bool) (ok bool, err error) {
	k, ok := parse(gitwork.Ref{Name: name, Tree: "?", Parents: []string{"?"}})
	if !ok {
		return false, nil // another program's
	}
	for range tries {
		if ok, err = repo.Create(ctx, k.Ref, commit); ok || err != nil {
			break
		}
		k.N++
		k.Ref = fmt.Sprintf("%s%d/%d", Prefix, k.Task, k.N)
	}
	if err != nil || !ok {
		return false, err
	}
	refs, err := repo.Refs(ctx, k.Ref)
	if err != nil {
		return false, err
	}
	for _, r := range refs {
		if r.Name == k.Ref && here[ofCommit(r.Message)] {
			return false, repo.Delete(ctx, k.Ref, commit)
		}
	}
	return true, nil
}
