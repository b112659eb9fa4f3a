package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/waittest"
)

// TestBelowAStranger: a project in a folder of another user, who has put a workspace there.
// Commands and hooks do not find it, whether the project has a repository, an empty folder
// .git, or nothing. In his folder itself they read it as data.
func TestBelowAStranger(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	c := hostileClone(t)
	const him = 4711
	err := filepath.WalkDir(c.dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, him, him)
	})
	if err != nil {
		t.Skip(err)
	}
	shared := c.dir
	for _, name := range []string{"proj", "proj/.git", "bare"} {
		if err := os.Mkdir(filepath.Join(shared, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	session := func() (answer, said string) {
		w, log := c.process(t, t.TempDir(), `{"session_id":"a","source":"startup"}`)
		run(waittest.Context(t), w, []string{"hook", "session-start", "--host", "claude"})
		return w.Stdout.(*bytes.Buffer).String(), log.String()
	}
	for _, name := range []string{"proj", "bare", "."} {
		c.dir = filepath.Join(shared, name)
		if answer, said := session(); answer != "" || said != "" {
			t.Errorf("%s: the hook delivers %s%s", name, answer, said)
		}
		for _, line := range []string{"next", "ls", "verify --claims", "brief latest"} {
			w, said := c.process(t, t.TempDir(), "")
			run(waittest.Context(t), w, strings.Fields(line))
			if found := strings.Contains(w.Stdout.(*bytes.Buffer).String(), "specs/3_claims"); found && name != "." {
				t.Errorf("%s: %s finds the stranger's handoffs", name, line)
			}
			if name == "." && !strings.Contains(said.String(), "belongs to another user (4711)") {
				t.Errorf("%s in his folder says\n%s", line, said)
			}
		}
		c.check(t, name)
	}
}
