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

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/text/nearest"
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
	Local    bool // handoffs stay out of git
	// UntilMerge is the branch on which no handoff may be; "" for none.
	UntilMerge string
	// Language is the code of the language of new handoffs; "" leaves that open.
	Language string
	// Preset is the preset or the known place of documents outside of task folders; "" for
	// what the tree has, and else task folders in specs.
	Preset string
}

// ChooseError reports that a tree has handoffs in several known places. Nothing was created:
// the caller has to choose.
type ChooseError struct{ Found []task.Detected }

func (e *ChooseError) Error() string {
	choice := workspace.ChoiceError{Found: e.Found}
	return choice.Error() + "; `--preset " + task.Default + "` makes task folders in " + handoff.Root + "/"
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
	list := append(severalPlans(nil, task.Presets()), starter(false), starter(true))
	for _, name := range task.PresetNames() {
		list = append(list, placeStarter(name, nil))
	}
	for _, p := range task.Places() {
		list = append(list, placeStarter(p.Preset, p.Files))
		for _, file := range p.Files {
			list = append(list, placeStarter(p.Preset, []string{file}))
		}
	}
	return list
}

// severalPlans are the configurations for each choice of some plans of other tools: a tree may
// have several.
func severalPlans(chosen, rest task.Layouts) (list []string) {
	for i, l := range rest {
		if l.Plan != nil {
			more := append(slices.Clone(chosen), l)
			list = append(list, placesStarter(more))
			list = append(list, severalPlans(more, rest[i+1:])...)
		}
	}
	return list
}

func placesStarter(layouts task.Layouts) string {
	text := placeStarter(layouts[0].Name, nil)
	for _, l := range layouts[1:] {
		text += "  - preset: " + l.Name + "\n"
	}
	return text
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
			do(removeFile(req.Root, config.File, startersOf(string(content))...)),
			do(include(req.Root)),
			do(removeFolder(req.Root, handoff.Root, strings.Contains(string(content), madeFolder))),
		)
		workspace.RemoveStateDir(req.Root)
		return steps, err
	}
	if req.GitHook && regular.GitTop(req.Root) == "" {
		return nil, fmt.Errorf("%s: not in a git repository, which --git-hook needs: nothing was created (`git init` makes one)", req.Root)
	}
	found, err := choose(req)
	if err != nil {
		return nil, err
	}
	workspace.CreateStateDir(req.Root)
	if found == nil {
		content := starter(!workspace.IsDir(filepath.Join(req.Root, handoff.Root)))
		if err := do(createFile(req.Root, config.File, content)); err != nil {
			return steps, err
		}
		if req.Preset == task.Default || !elsewhere(req.Root) {
			if err := do(createFolder(req.Root, handoff.Root)); err != nil {
				return steps, err
			}
		}
	} else {
		step, err := createFile(req.Root, config.File, found.starter())
		switch {
		case step.Verb != "created":
		case len(found.Found) > 0:
			step.Why = "the handoffs here: " + workspace.Named(*found.Detected)
		case found.Shown != "":
			step.Why = "beside the plan of " + found.Plan.Tool + ": " + found.Shown
		}
		if err := do(step, err); err != nil {
			return steps, err
		}
		if err := found.follows(req.Root); err != nil {
			return steps, err
		}
	}
	if err := do(set(req)); err != nil {
		return steps, err
	}
	if req.Local {
		if err := do(excludeIn(ctx, req.Root)); err != nil {
			return steps, err
		}
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

// place is the place of handoffs that a configuration is written for.
type place struct {
	*task.Detected
	all task.Layouts // with several plans of other tools, those beside them
}

func (p *place) starter() string {
	if p.all != nil {
		return placesStarter(p.all)
	}
	if p.Name == p.Preset {
		return placeStarter(p.Preset, nil)
	}
	return placeStarter(p.Preset, p.Files)
}

// placeStarter is the configuration for a preset, or for its form in other files.
func placeStarter(preset string, files []string) string {
	return "# made by handoff init\n# all keys are optional: handoff schema config\n" + entry(preset, files)
}

func entry(preset string, files []string) string {
	text := "documents:\n  - preset: " + preset + "\n"
	if len(files) > 0 {
		text += "    files: [\"" + strings.Join(files, `", "`) + "\"]\n"
	}
	return text
}

// choose returns the place that a request names, or the only one that a tree has that is not
// set up; nil for task folders. With several places the error is a [ChooseError].
func choose(req Request) (*place, error) {
	if req.Preset == task.Default {
		return nil, nil
	}
	found := workspace.Places(req.Root)
	if req.Preset != "" {
		return named(req.Preset, found)
	}
	if _, err := os.Lstat(filepath.Join(req.Root, config.File)); err == nil || len(found) == 0 {
		return nil, nil
	}
	if task.Unclear(found) {
		return nil, &ChooseError{found}
	}
	one := &place{Detected: &found[0]}
	for _, l := range task.Presets() {
		if len(found) > 1 && slices.ContainsFunc(found, func(d task.Detected) bool { return d.Name == l.Name }) {
			one.all = append(one.all, l)
		}
	}
	return one, nil
}

// elsewhere reports whether a configuration has new handoffs written outside of task folders.
func elsewhere(root string) bool {
	path := filepath.Join(root, config.File)
	src, err := nofollow.Root(root).ReadFile(path, workspace.MaxSize)
	if err != nil {
		return false // every command reports it
	}
	c, _ := config.Parse(path, src, nil)
	return c.New != nil
}

// named returns the place with a name: that of a preset, whose only place in the tree it is
// then, or the path of a known place.
func named(name string, found []task.Detected) (*place, error) {
	var those []task.Detected
	for _, d := range found {
		if d.Name == name {
			return &place{Detected: &d}, nil
		}
		if d.Preset == name {
			those = append(those, d)
		}
	}
	if len(those) == 1 {
		return &place{Detected: &those[0]}, nil
	}
	l, ok := task.Preset(name)
	preset := name
	if !ok {
		l, preset, ok = task.PlaceOf(name)
	}
	if !ok {
		return nil, handoff.Invalid(fmt.Errorf("unknown preset %q%s; it can also be the path of a known place, such as docs/HANDOFF.md (the key documents of .handoff.yaml names any other)", name, nearest.Hint(name, task.PresetNames())))
	}
	return &place{Detected: &task.Detected{Layout: l, Preset: preset}}, nil
}

// follows returns an error if the configuration that exists does not have the place.
func (p *place) follows(root string) error {
	path := filepath.Join(root, config.File)
	src, err := nofollow.Root(root).ReadFile(path, workspace.MaxSize)
	if err != nil {
		return err
	}
	c, _ := config.Parse(path, src, nil) // every command reports its problems
	for _, l := range c.Documents {
		if slices.Equal(l.Files, p.Files) || p.Name == p.Preset && l.Name == p.Preset {
			return nil
		}
	}
	files := p.Files
	if p.Name == p.Preset {
		files = nil
	}
	return fmt.Errorf("%s exists and is not changed: add these lines to it:\n%s", config.File, strings.TrimSuffix(entry(p.Preset, files), "\n"))
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
