package log

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/workspace"
)

// Ask asks the process that runs a relay to stop it. For a relay that no process runs it is an error.
func Ask(ws *workspace.Workspace, id string) error {
	s, err := Read(ws, id)
	if err != nil {
		return err
	}
	if now := condition(ws, id, &s); now != running {
		return fmt.Errorf("%w: relay %s is not running: it is %s, and starts nothing", handoff.ErrInvalid, id, now)
	}
	err = atomicfile.Create(ws.Trusted(), pathOf(ws, id, ".stop"), nil, 0o644)
	if errors.Is(err, fs.ErrExist) { // it was asked before
		return nil
	}
	return err
}

// Asked reports whether a relay was asked to stop.
func Asked(ws *workspace.Workspace, id string) bool {
	_, err := os.Lstat(pathOf(ws, id, ".stop"))
	return err == nil
}

// Running reports whether a process runs a relay.
func Running(ws *workspace.Workspace, id string) bool {
	s, err := Read(ws, id)
	return err == nil && condition(ws, id, &s) == running
}

// answered removes the question, which is for one process.
func answered(ws *workspace.Workspace, id string) error {
	err := ws.Trusted().Remove(pathOf(ws, id, ".stop"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
