// Package scaffold creates a workspace, and removes what it created: configuration,
// specs folder, document template and git hook. It knows nothing of documents.
package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/task"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/githook"
)

// Request selects what to create or, with Remove, to remove.
type Request struct {
	Root     string // absolute
	GitHook  bool   // hooks of the repository: see package githook
	Template bool   // a copy of the document template, to be edited
	Remove   bool
	Preset   string // of documents outside of task folders; "" for task folders in specs
}

// ChooseError reports that a tree has handoffs in places that a preset knows. Nothing was
// created: the caller has to choose.
type ChooseError struct{ Found []workspace.Detected }

func (e *ChooseError) Error() string {
	var list []string
	for _, d := range e.Found {
		list = append(list, d.String())
	}
	return strings.Join(list, "; ") + "; `--preset " + task.Default + "` makes task folders in " + handoff.Root + "/"
}

// Step is something that Run did, or found done.
type Step = githook.Step

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

// starters are all contents that init writes.
func starters() []string {
	list := []string{starter(false), starter(true)}
	for _, name := range task.PresetNames() {
		list = append(list, presetStarter(name))
	}
	return list
}

const madeFolder = "# made by handoff init, with " + handoff.Root + "/\n"

// Run creates the missing parts of a workspace or, with Remove, removes those
// that were not changed since. Both may be repeated.
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
		hooks, err := githook.Remove(ctx, req.Root)
		steps = append(steps, hooks...)
		err = errors.Join(err,
			do(removeFile(req.Root, template, templates.Default)),
			do(removeFile(req.Root, config.File, starters()...)),
			do(removeFolder(req.Root, handoff.Root, strings.Contains(string(content), madeFolder))),
		)
		workspace.RemoveStateDir(req.Root)
		return steps, err
	}
	if _, ok := task.Preset(req.Preset); !ok && req.Preset != "" && req.Preset != task.Default {
		return nil, handoff.Invalid(fmt.Errorf("unknown preset %q (%s)", req.Preset, strings.Join(task.PresetNames(), ", ")))
	}
	folder := filepath.Join(req.Root, handoff.Root)
	content := presetStarter(req.Preset)
	if req.Preset == "" || req.Preset == task.Default {
		if err := choose(req, folder); err != nil {
			return nil, err
		}
		content = starter(!workspace.IsDir(folder))
	}
	workspace.CreateStateDir(req.Root)
	if err := do(createFile(req.Root, config.File, content)); err != nil {
		return steps, err
	}
	if content != presetStarter(req.Preset) {
		if err := do(createFolder(req.Root, handoff.Root)); err != nil {
			return steps, err
		}
	} else if err := follows(req); err != nil {
		return steps, err
	}
	if req.Template {
		if err := do(createFile(req.Root, template, templates.Default)); err != nil {
			return steps, err
		}
	}
	if req.GitHook {
		hooks, err := githook.Add(ctx, req.Root)
		return append(steps, hooks...), err
	}
	return steps, nil
}

// presetStarter is the configuration for a preset.
func presetStarter(name string) string {
	return "# made by handoff init\n# all keys are optional: handoff schema config\ndocuments:\n  - preset: " + name + "\n"
}

// choose returns a ChooseError for a tree that is not set up and has handoffs in places
// that a preset knows, unless the request names the default.
func choose(req Request, folder string) error {
	if req.Preset != "" || workspace.IsDir(folder) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(req.Root, config.File)); err == nil {
		return nil
	}
	if found := workspace.Detect(req.Root); len(found) > 0 {
		return &ChooseError{found}
	}
	return nil
}

// follows returns an error if the configuration that exists does not have the preset.
func follows(req Request) error {
	path := filepath.Join(req.Root, config.File)
	src, err := nofollow.Root(req.Root).ReadFile(path, workspace.MaxSize)
	if err != nil {
		return err
	}
	c, _ := config.Parse(path, src, nil) // every command reports its problems
	for _, l := range c.Documents {
		if l.Name == req.Preset {
			return nil
		}
	}
	return fmt.Errorf("%s exists and is not changed: add these lines to it:\ndocuments:\n  - preset: %s", config.File, req.Preset)
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
