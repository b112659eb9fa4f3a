package gitwork

import (
	"context"
	"errors"
	"os"
	"strings"
)

// toRemote are settings for what connects: the user's own for signing in hold, and no hook runs,
// nothing else is pushed, and nothing happens in the background.
var toRemote = []string{
	"-c", "protocol.allow=user", "-c", "protocol.ext.allow=never", "-c", "push.gpgSign=false", "-c", "push.followTags=false",
	"-c", "push.recurseSubmodules=no", "-c", "fetch.recurseSubmodules=false", "-c", "fetch.writeCommitGraph=false",
}

// connect runs git with a remote, without a terminal: a question for a password fails at once.
func (r *Repo) connect(ctx context.Context, args ...string) ([]byte, error) {
	env := []string{"GIT_ASKPASS=", "SSH_ASKPASS="}
	for _, name := range []string{"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY", "GIT_PROXY_COMMAND"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if os.Getenv("GIT_SSH") == "" && os.Getenv("GIT_SSH_COMMAND") == "" {
		if _, err := r.run(ctx, job{args: []string{"config", "--get", "core.sshCommand"}}); err != nil { // it is not set
			env = append(env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes -o ConnectTimeout=10")
		}
	}
	return r.run(ctx, job{set: toRemote, args: args, env: env})
}

// RemoteRefs are the refs of a remote below a prefix, with their commits.
func (r *Repo) RemoteRefs(ctx context.Context, remote, prefix string) (map[string]string, error) {
	out, err := r.connect(ctx, "ls-remote", "--quiet", "--", remote, prefix+"*")
	refs := map[string]string{}
	for l := range strings.Lines(string(out)) {
		if id, name, ok := strings.Cut(strings.TrimSpace(l), "\t"); ok && strings.HasPrefix(name, prefix) {
			refs[name] = id
		}
	}
	return refs, err
}

// ErrTaken reports that a remote has a ref of that name already.
var ErrTaken = errors.New("the remote has another ref of that name")

// Push creates a ref at a remote. It never replaces one.
func (r *Repo) Push(ctx context.Context, remote, commit, name string) error {
	out, err := r.connect(ctx, "push", "--porcelain", "--no-verify", "--quiet", "--force-with-lease="+name+":", "--", remote, commit+":"+name)
	if err != nil && strings.Contains(string(out), "stale info") {
		return ErrTaken
	}
	return err
}

// Fetch gets the commits of some refs of a remote. No ref names them yet.
func (r *Repo) Fetch(ctx context.Context, remote string, names []string) error {
	_, err := r.connect(ctx, append([]string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--", remote}, names...)...)
	return err
}

// Unsent are the contents in commits that no remote-tracking branch has; at most that many
// objects. ok is false for more.
func (r *Repo) Unsent(ctx context.Context, commit string, most int) (blobs []string, ok bool, err error) {
	if commit == "" {
		return nil, true, nil
	}
	out, err := r.run(ctx, job{args: []string{"rev-list", "--objects", "--no-object-names", commit, "--not", "--remotes"}})
	ids := strings.Fields(string(out))
	if err != nil || len(ids) == 0 || len(ids) > most {
		return nil, len(ids) == 0 && err == nil, err
	}
	out, err = r.run(ctx, job{args: []string{"cat-file", "--batch-check=%(objecttype) %(objectname)", "--buffer"}, in: []byte(strings.Join(ids, "\n") + "\n")})
	for l := range strings.Lines(string(out)) {
		if id, is := strings.CutPrefix(strings.TrimSpace(l), "blob "); is {
			blobs = append(blobs, id)
		}
	}
	return blobs, true, err
}
