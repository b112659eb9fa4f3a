package needs

import (
	"os"
	"os/exec"
	"testing"
)

// Chromium returns the program of a Chromium or Chrome: the one that HANDOFF_CHROMIUM
// names, or one in PATH. .ci/chromium installs it.
func Chromium(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("HANDOFF_CHROMIUM"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			t.Fatalf("HANDOFF_CHROMIUM=%s is not a program (%v)", path, err)
		}
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "chromium", "it is not installed (.ci/chromium installs it)")
	return ""
}

// File returns the content of the file that an environment variable names. If the variable
// does not name a file, the test fails.
func File(t testing.TB, variable string) []byte {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		Missing(t, variable, "the variable is not set")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%s=%s is not a file (%v)", variable, path, err)
	}
	return text
}
