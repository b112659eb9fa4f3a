package gitindex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"handoff/internal/text/gitsaid"
)

// Errors of running git.
var (
	ErrNoGit        = errors.New("git is not installed, or not on PATH")
	ErrNoRepository = errors.New("not in a git repository")
	ErrBare         = errors.New("not a working tree, but a bare git repository or a folder .git")
)

// DubiousError reports that git does nothing in a repository, because it belongs to another user.
type DubiousError struct {
	Dir string
	Fix string // the command with which the user allows it, in git's words
}

func (e *DubiousError) Error() string {
	return fmt.Sprintf("%s: git refuses the repository, because it belongs to another user (`%s`, if you trust that user)", e.Dir, e.Fix)
}

// Dubious is the error with which git refuses the repository of a folder that belongs to another user; nil if it works there.
func Dubious(ctx context.Context, dir string) *DubiousError {
	_, err := output(ctx, dir, "rev-parse", "--git-dir")
	refused, _ := errors.AsType[*DubiousError](err)
	return refused
}

// command is a git command that takes no locks and prints English messages. GIT_DIR and
// GIT_INDEX_FILE are passed on.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", gitsaid.NoBare, "-c", "core.quotePath=false"}, args...)...)
	c.Dir = where(dir)
	c.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	return c
}

// where is the folder to run git in. If GIT_DIR is set, git uses its current folder as
// the root of the working tree, so it must run in the folder in which the hook runs.
func where(dir string) string {
	if os.Getenv("GIT_DIR") != "" && os.Getenv("GIT_WORK_TREE") == "" {
		return ""
	}
	return dir
}

func output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	c := command(ctx, dir, args...)
	var out, talk bytes.Buffer
	c.Stdout, c.Stderr = &out, &talk
	if err := c.Run(); err != nil {
		return out.Bytes(), explain(ctx, dir, args, err, talk.String())
	}
	return out.Bytes(), nil
}

// explain returns the reason why a git command failed. err is the error of running it,
// talk its standard error.
func explain(ctx context.Context, dir string, args []string, err error, talk string) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return ErrNoGit
	case strings.Contains(talk, "not a git repository"):
		return fmt.Errorf("%s: %w", dir, ErrNoRepository)
	case strings.Contains(talk, "cannot use bare repository"):
		return fmt.Errorf("%s: %w", dir, ErrBare)
	case strings.Contains(talk, "dubious ownership"):
		_, fix, _ := strings.Cut(gitsaid.Reason(talk), "call: ")
		return &DubiousError{dir, fix}
	case errors.As(err, &exit) && gitsaid.Reason(talk) != "":
		return fmt.Errorf("%s: git %s: %s", dir, verb(args), gitsaid.Reason(talk))
	}
	return fmt.Errorf("%s: git %s: %w", dir, verb(args), err)
}

// verb is the git command among its arguments, after -c key=value.
func verb(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}
