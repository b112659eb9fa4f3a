package needs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestMissing asks for what is not there, in a process of its own: what is a
// skip here is an error in CI, unless the machine is known to be without it.
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

// TestNotRoot is what the function is for: a file that cannot be read.
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
