package gitindex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// What may keep git from answering.
var (
	ErrNoGit        = errors.New("git is not installed, or not on PATH")
	ErrNoRepository = errors.New("not in a git repository")
	ErrBare         = errors.New("a bare git repository has no staged files")
)

// command is a git command that neither takes locks nor speaks the user's
// language. GIT_DIR and GIT_INDEX_FILE are handed on.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "core.quotePath=false"}, args...)...)
	c.Dir = where(dir)
	c.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	return c
}

// where is the folder to run git in. When GIT_DIR names the repository, git
// takes the folder it runs in for the root of the working tree: from another
// one all would be off, so it runs where the hook put us.
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

// explain says why a git command failed: err is what running it gave, talk
// what it wrote to stderr.
func explain(ctx context.Context, dir string, args []string, err error, talk string) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return ErrNoGit
	case strings.Contains(talk, "not a git repository"):
		return fmt.Errorf("%s: %w", dir, ErrNoRepository)
	case errors.As(err, &exit) && talk != "":
		const most = 1000 // a hook's own trace may be there too
		talk = strings.TrimPrefix(strings.TrimSpace(talk[:min(len(talk), most)]), "fatal: ")
		return fmt.Errorf("%s: git %s: %s", dir, verb(args), talk)
	}
	return fmt.Errorf("%s: git %s: %w", dir, verb(args), err)
}

// verb is the git command among its arguments, behind -c key=value.
func verb(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}
