package staged

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/state"
	"handoff/internal/text/secret"
	"handoff/lint"
	"handoff/workspace"
	"handoff/workspace/reconcile"
	"handoff/workspace/verify"
)

// outputs are the touched files of one workspace in its own folders, where outputs of agents
// are. Paths are relative to the root of the working tree.
type outputs struct {
	root  string // of the workspace; "" if it is that of the working tree
	files []string
}

// own are the folders of a workspace's own files.
var own = [...]string{state.Dir, state.Artifacts}

// stored finds the touched files of own folders, by workspace.
func stored(files []string) (list []outputs) {
	for _, file := range files {
		root, ok := owner(file)
		if !ok {
			continue
		}
		if n := len(list); n == 0 || list[n-1].root != root {
			list = append(list, outputs{root: root})
		}
		last := &list[len(list)-1]
		last.files = append(last.files, file)
	}
	return list
}

// owner is the workspace in whose own folders a file is. ok is false if it is in none.
func owner(file string) (root string, ok bool) {
	for _, name := range own {
		if above, _, found := strings.Cut("/"+file, "/"+name+"/"); found {
			return strings.TrimPrefix(above, "/"), true
		}
	}
	return "", false
}

// secretRule is the rule of lint that the findings are of.
var secretRule = lint.Rule{Name: "secret", Severity: lint.Error}

// scan searches the files for secrets. What is not of text has none.
func (f *outputs) scan(ctx context.Context, dir, top string, o workspace.Options, emit func(*workspace.Workspace, *verify.Result) error) error {
	full := filepath.Join(top, filepath.FromSlash(f.root))
	found, err := workspace.Open(full, o)
	if err != nil {
		return err
	}
	ws := workspace.New(full, found.Config, o)
	severity := ws.Config.Settings.SeverityOf(&secretRule)
	entries, err := gitindex.Listed(ctx, dir, f.files...)
	if err != nil || severity == lint.Off {
		return err
	}
	var content []gitindex.Entry
	for _, e := range entries {
		if !e.Link && !e.Module {
			content = append(content, e)
		}
	}
	var list []lint.Finding
	err = gitindex.Contents(ctx, dir, content, func(e gitindex.Entry, src []byte) error {
		rel := strings.TrimPrefix(strings.TrimPrefix(e.Path, f.root), "/")
		list = append(list, secretsIn(rel, string(src), severity)...)
		return nil
	})
	if err != nil || len(content) == 0 {
		return err
	}
	return emit(ws, &verify.Result{Dir: workspace.StateDir, Threads: true, Files: verify.ByFile(reconcile.State{}, list)})
}

// mostSecrets is how many secrets of a file are reported.
const mostSecrets = 20

// secretsIn are the findings in a file: what kind, and in which line.
func secretsIn(path, src string, severity lint.Severity) (list []lint.Finding) {
	line, at := 1, 0
	for _, s := range secret.All(src) {
		line, at = line+strings.Count(src[at:s.From], "\n"), s.From
		if len(list) == mostSecrets {
			break
		}
		list = append(list, lint.Finding{Rule: secretRule.Name, Severity: severity, Path: path, Lines: handoff.Lines{First: line, Last: line},
			Message: fmt.Sprintf("contains %s: an output of an agent must not be committed with it (`git restore --staged`, and revoke the secret if it was published)", s.Kind)})
	}
	return list
}
