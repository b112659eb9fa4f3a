// Package trials measures what handoffs in generated workspaces do for a successor,
// compared with what agents do without a tool: read the newest file, believe it, cut it if
// it is too long.
//
// The same seed gives the same results. It measures nothing that a model would have to
// judge, and no time: the tables of bench have the speed of the commands.
package trials

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
)

// Lab makes the workspaces. Each trial has its own random numbers, so that none changes
// the results of another.
type Lab struct {
	Rules workspace.Options // the rules that check new documents
	Dir   string            // a new and private folder, which the caller removes
	Seed  uint64

	made atomic.Int64
}

func (l *Lab) random(trial uint64) *rand.Rand { return rand.New(rand.NewPCG(l.Seed, trial)) }

// dir is a new folder.
func (l *Lab) dir() (string, error) {
	dir := filepath.Join(l.Dir, fmt.Sprint(l.made.Add(1)))
	return dir, os.Mkdir(dir, 0o700)
}

// start is when the history of each workspace begins.
var start = time.Date(2026, 2, 12, 9, 0, 0, 0, time.UTC)

// world is a generated workspace, and its clock.
type world struct {
	*Lab
	root string
	now  time.Time
}

func (l *Lab) world(configuration string) (*world, error) {
	root, err := l.dir()
	w := &world{Lab: l, root: root, now: start}
	if err == nil {
		err = os.Mkdir(filepath.Join(root, "specs"), 0o755)
	}
	if err == nil && configuration != "" {
		err = w.write(".handoff.yaml", configuration)
	}
	for _, file := range []string{"parser.go", "parser_test.go"} {
		if err == nil {
			err = w.write(file, strings.Repeat("package parser\n", 500))
		}
	}
	return w, err
}

func (w *world) write(file, text string) error {
	path := filepath.Join(w.root, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func (w *world) read(file string) (string, error) {
	src, err := os.ReadFile(filepath.Join(w.root, filepath.FromSlash(file)))
	return string(src), err
}

// open opens the workspace from a folder in it, at the time of its clock.
func (w *world) open(folder string) (*workspace.Workspace, error) {
	o, now := w.Rules, w.now
	o.Now = func() time.Time { return now }
	return workspace.Open(filepath.Join(w.root, filepath.FromSlash(folder)), o)
}

// add writes the next handoff of a task, some time after the last one.
func (w *world) add(ctx context.Context, v templates.Values, slug string) (path string, err error) {
	w.now = w.now.Add(time.Minute)
	ws, err := w.open(".")
	if err != nil {
		return "", err
	}
	made, err := create.Run(ctx, ws, create.Request{Values: v, Slug: slug})
	return made.Path, err
}
