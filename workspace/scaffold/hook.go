package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/workspace"
)

const hookBegin, hookEnd = "# handoff:begin\n", "# handoff:end\n"

const hookBlock = hookBegin + `# Checks the staged handoff documents; 'handoff init --remove' takes this away.
if command -v handoff >/dev/null 2>&1; then
	handoff lint --staged --quiet || exit 1
else
	echo "handoff: not installed, staged handoffs were not checked" >&2
fi
` + hookEnd

const plainHook = "#!/bin/sh\n" + hookBlock

func hookPath(ctx context.Context, root string) (string, error) {
	dir, err := gitindex.HooksDir(ctx, root)
	return filepath.Join(dir, "pre-commit"), err
}

// hooksRoot is the trusted folder of a hook: the repository if the hook is in it;
// else the folder that the user named to git in core.hooksPath.
func hooksRoot(root, file string) nofollow.Root {
	for up := range regular.Above(root) {
		if regular.KindOf(filepath.Join(up, ".git")) != regular.Nothing && strings.HasPrefix(file, up+string(filepath.Separator)) {
			return nofollow.Root(up)
		}
	}
	return nofollow.Root(filepath.Dir(file))
}

// addHook adds our block to the pre-commit hook. In an existing hook it comes right
// after the first line: many hooks end in exec or exit, and nothing after those
// runs.
func addHook(ctx context.Context, root string) (Step, error) {
	file, err := hookPath(ctx, root)
	if err != nil {
		return Step{}, err
	}
	shown := nofollow.Root(root).Rel(file)
	if regular.KindOf(file) == regular.Link {
		return Step{}, fmt.Errorf("%s: %s: call `handoff lint --staged` in that script yourself", shown, nofollow.LinkAt(file).What())
	}
	old, err := regular.Read(file, nil, workspace.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		if err := hooksRoot(root, file).MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return Step{}, err
		}
		err := atomicfile.Create(hooksRoot(root, file), file, []byte(plainHook), 0o755)
		return Step{Verb: "created", Path: shown}, err
	}
	if err != nil {
		return Step{}, err
	}
	st, err := os.Stat(file)
	if err != nil {
		return Step{}, err
	}
	first, rest, shell := cutShebang(string(old))
	switch {
	case strings.Contains(rest, hookBegin):
		return Step{Verb: "kept", Path: shown}, nil
	case !shell:
		return Step{}, fmt.Errorf("%s: is not a shell script: call `handoff lint --staged` in it yourself", shown)
	case st.Mode()&0o100 == 0:
		return Step{}, fmt.Errorf("%s: is not executable, so git does not run it: `chmod +x` or remove it first", shown)
	}
	err = atomicfile.Write(hooksRoot(root, file), file, []byte(first+hookBlock+rest), 0o755)
	return Step{Verb: "created", Path: shown, Why: "added to the existing hook"}, err
}

// cutShebang cuts off a script's first line if it names the interpreter, and
// reports whether that is a POSIX shell. Without the line, sh runs the script.
func cutShebang(script string) (first, rest string, shell bool) {
	if !strings.HasPrefix(script, "#!") {
		return "", script, true
	}
	line, rest, _ := strings.Cut(script, "\n")
	words := strings.Fields(line[2:])
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = words[1:]
	}
	shell = len(words) > 0 && slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh"}, path.Base(words[0]))
	return line + "\n", rest, shell
}

// removeHook removes our block from the hook, and the hook if it has nothing else.
func removeHook(ctx context.Context, root string) (Step, error) {
	file, err := hookPath(ctx, root)
	if err != nil {
		return Step{}, nil // no repository: no hook
	}
	shown := nofollow.Root(root).Rel(file)
	old, err := regular.Read(file, nil, workspace.MaxSize)
	if err != nil {
		return Step{}, nil
	}
	before, rest, ok := strings.Cut(string(old), hookBegin)
	_, after, closed := strings.Cut(rest, hookEnd)
	switch {
	case !ok:
		return Step{}, nil
	case regular.KindOf(file) == regular.Link:
		return Step{Verb: "left", Path: shown, Why: nofollow.LinkAt(file).What()}, nil
	case !closed:
		return Step{Verb: "left", Path: shown, Why: "its line " + strings.TrimSpace(hookEnd) + " is gone"}, nil
	case string(old) == plainHook:
		return Step{Verb: "removed", Path: shown}, hooksRoot(root, file).Remove(file)
	}
	return Step{Verb: "removed", Path: shown, Why: "our part of it"}, atomicfile.Write(hooksRoot(root, file), file, []byte(before+after), 0o755)
}
