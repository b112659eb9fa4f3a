package needs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestMissing requires things that are missing, in a process of its own: the test
// is skipped here and fails in CI, unless the machine is known to lack them.
func TestMissing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ env, tool, folder string }{
		{"HANDOFF_CI=", "SKIP", "SKIP"},
		{"HANDOFF_CI=1", "FAIL", "FAIL"},
		{"HANDOFF_CI=1 HANDOFF_WITHOUT=NEEDS_TEST_FOLDER", "FAIL", "SKIP"},
		{"HANDOFF_CI=1 HANDOFF_WITHOUT=x,no-such-tool,NEEDS_TEST_FOLDER", "SKIP", "SKIP"},
		{"HANDOFF_CI=1 NEEDS_TEST_FOLDER=/no/such", "FAIL", "FAIL"},
		{"HANDOFF_CI= NEEDS_TEST_FOLDER=/no/such", "SKIP", "FAIL"},
		{"HANDOFF_CI=1 NEEDS_TEST_FOLDER=.", "FAIL", "PASS"},
	} {
		cmd := exec.Command(self, "-test.run", "^TestAsked", "-test.v")
		cmd.Env = append(os.Environ(), "NEEDS_TEST=1", "HANDOFF_WITHOUT=", "NEEDS_TEST_FOLDER=")
		for _, v := range strings.Fields(c.env) {
			cmd.Env = append(cmd.Env, strings.ReplaceAll(v, ",", " "))
		}
		out, _ := cmd.CombinedOutput() // it fails where a test in it does
		for _, want := range []string{c.tool + ": TestAskedTool", c.folder + ": TestAskedFolder", "PASS: TestAskedUnix"} {
			if !strings.Contains(string(out), "--- "+want+" ") {
				t.Errorf("%s: no %s in\n%s", c.env, want, out)
			}
		}
	}
}

// TestGitForgetsRepository sets the variables that git sets in a hook. A test that
// requires git must not see them, and they are restored after it.
func TestGitForgetsRepository(t *testing.T) {
	outer := t.TempDir()
	hook := map[string]string{"GIT_DIR": filepath.Join(outer, ".git"), "GIT_WORK_TREE": outer, "GIT_INDEX_FILE": filepath.Join(outer, "index")}
	for name, value := range hook {
		t.Setenv(name, value)
	}
	t.Run("test", func(t *testing.T) {
		needs.Tool(t, "git")
		dir := t.TempDir()
		init := exec.Command("git", "init", "-q", "--bare")
		init.Dir = dir
		if out, err := init.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
			t.Error(err)
		}
	})
	if left, err := os.ReadDir(outer); err != nil || len(left) > 0 {
		t.Errorf("the outer repository was changed: %v, %v", left, err)
	}
	for name, value := range hook {
		if got := os.Getenv(name); got != value {
			t.Errorf("%s is %q afterwards, want %q", name, got, value)
		}
	}
}

// asked reports whether this is the process that TestMissing started.
func asked() bool { return os.Getenv("NEEDS_TEST") != "" }

func TestAskedTool(t *testing.T) {
	if asked() {
		needs.Tool(t, "no-such-tool")
	}
}

func TestAskedFolder(t *testing.T) {
	if asked() {
		needs.Folder(t, "NEEDS_TEST_FOLDER")
	}
}

func TestAskedUnix(t *testing.T) {
	if asked() && os.PathSeparator == '/' {
		needs.Unix(t, "")
	}
}

// TestNotRoot checks that a file without read permission cannot be read.
func TestNotRoot(t *testing.T) {
	needs.Unix(t, "files without a mode for reading")
	t.Run("with a subtest", func(t *testing.T) {
		needs.NotRoot(t, func() {
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, nil, 0); err != nil {
				t.Fatal(err)
			}
			if _, err := os.ReadFile(path); !os.IsPermission(err) {
				t.Errorf("it was read: %v", err)
			}
		})
	})
}
