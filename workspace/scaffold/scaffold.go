// Package scaffold creates a workspace, and removes what it created: configuration,
// specs folder, document template and git hook. It knows nothing of documents.
package scaffold

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/config"
)

// Request selects what to create or, with Remove, to remove.
type Request struct {
	Root     string // absolute
	GitHook  bool   // a pre-commit hook of the repository
	Template bool   // a copy of the document template, to be edited
	Remove   bool
}

// Step is something that Run did, or found done.
type Step struct {
	Verb string // "created", "kept", "removed", "left"
	Path string // relative to the root, or absolute when outside
	Why  string // the reason of "left"
}

// starter is the configuration that is written: two defaults as an example. Its
// first line records whether the specs folder was created too, so that a folder
// that existed before is never removed.
func starter(folder bool) string {
	made := "# made by handoff init\n"
	if folder {
		made = madeFolder
	}
	return made + `# all keys are optional: handoff schema config
profile: handoff
max_lines: 40
`
}

const madeFolder = "# made by handoff init, with " + handoff.Root + "/\n"

// Run creates the parts of a workspace that are missing or, with Remove, removes
// those that nobody has changed since. Both may be repeated.
func Run(ctx context.Context, req Request) ([]Step, error) {
	var steps []Step
	template := filepath.FromSlash(config.Default().Template())
	do := func(step Step, err error) error {
		if err == nil && step.Verb != "" {
			steps = append(steps, step)
		}
		return err
	}
	if req.Remove {
		content, _ := nofollow.Root(req.Root).ReadFile(filepath.Join(req.Root, config.File), workspace.MaxSize) // removeFile reports an error
		err := errors.Join(
			do(removeHook(ctx, req.Root)),
			do(removeFile(req.Root, template, templates.Default)),
			do(removeFile(req.Root, config.File, starter(false), starter(true))),
			do(removeFolder(req.Root, handoff.Root, strings.Contains(string(content), madeFolder))),
		)
		return steps, err
	}
	folder := filepath.Join(req.Root, handoff.Root)
	if err := do(createFile(req.Root, config.File, starter(!workspace.IsDir(folder)))); err != nil {
		return steps, err
	}
	if err := do(createFolder(req.Root, handoff.Root)); err != nil {
		return steps, err
	}
	if req.Template {
		if err := do(createFile(req.Root, template, templates.Default)); err != nil {
			return steps, err
		}
	}
	if req.GitHook {
		if err := do(addHook(ctx, req.Root)); err != nil {
			return steps, err
		}
	}
	return steps, nil
}

func createFile(root, name, content string) (Step, error) {
	path := filepath.Join(root, name)
	if err := nofollow.Root(root).MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return Step{}, err
	}
	switch err := atomicfile.Create(nofollow.Root(root), path, []byte(content), 0o644); {
	case errors.Is(err, fs.ErrExist):
		return Step{Verb: "kept", Path: name}, workspace.LeadsOut(nofollow.Root(root), path)
	case err != nil:
		return Step{}, err
	}
	return Step{Verb: "created", Path: name}, nil
}

func createFolder(root, name string) (Step, error) {
	path := filepath.Join(root, name)
	if err := workspace.LeadsOut(nofollow.Root(root), path); err != nil {
		return Step{}, err
	}
	if workspace.IsDir(path) {
		return Step{Verb: "kept", Path: name + "/"}, nil
	}
	return Step{Verb: "created", Path: name + "/"}, nofollow.Root(root).MkdirAll(path, 0o755)
}

// removeFile removes a file that still has one of the contents that are written,
// and the folders above it that are empty then.
func removeFile(root, name string, contents ...string) (Step, error) {
	path := filepath.Join(root, name)
	got, err := nofollow.Root(root).ReadFile(path, workspace.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Step{}, nil
	case err != nil:
		return Step{}, err
	case !slices.Contains(contents, string(got)):
		return Step{Verb: "left", Path: name, Why: "changed since init"}, nil
	}
	if err := nofollow.Root(root).Remove(path); err != nil {
		return Step{}, err
	}
	for dir := filepath.Dir(path); dir != root; dir = filepath.Dir(dir) {
		if nofollow.Root(root).Remove(dir) != nil { // not empty
			break
		}
	}
	return Step{Verb: "removed", Path: name}, nil
}

// removeFolder removes an empty folder that was created. A symlink in its place was
// not created here and stays.
func removeFolder(root, name string, made bool) (Step, error) {
	path := filepath.Join(root, name)
	st, err := os.Lstat(path)
	if err != nil || !st.IsDir() {
		return Step{}, nil
	}
	entries, err := os.ReadDir(path)
	switch {
	case err != nil:
		return Step{}, err
	case len(entries) > 0:
		return Step{Verb: "left", Path: name + "/", Why: "not empty"}, nil
	case !made:
		return Step{Verb: "left", Path: name + "/", Why: "not created by init"}, nil
	}
	return Step{Verb: "removed", Path: name + "/"}, nofollow.Root(root).Remove(path)
}
