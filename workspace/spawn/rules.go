package spawn

import (
	"bytes"
	"fmt"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/userstate"
	"handoff/internal/state"
)

// RulesFolder is where files with rules of agents are: outside of the workspace, because the agent
// may write there. It is "" if the user has no place for state.
func RulesFolder(getenv func(string) string) string {
	if dir := userstate.Dir(getenv); dir != "" {
		return filepath.Join(dir, state.Rules)
	}
	return ""
}

// writeRules writes the file of [agents.Agent.RulesFile], unless it is there.
func writeRules(path, content string) error {
	if content == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%w: the agent reads what it may do from a file, and there is no place for one: set HOME or XDG_STATE_HOME", handoff.ErrInvalid)
	}
	dir := filepath.Dir(path)
	if src, err := nofollow.Root(dir).ReadUnlinked(path, int64(len(content))+1); err == nil && bytes.Equal(src, []byte(content)) {
		return nil
	}
	if err := nofollow.Named.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(nofollow.Root(dir), path, []byte(content), 0o600)
}
