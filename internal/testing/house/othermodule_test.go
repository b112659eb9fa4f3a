package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestOtherModule runs the program of docs/build-on.md by the commands there, in a module of its own, and compiles the
// examples of all public packages in it.
func TestOtherModule(t *testing.T) {
	needs.Tool(t, "sh")
	checkout, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/build-on.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		m := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)\n```\n").FindSubmatch(page)
		if m == nil {
			t.Fatalf("docs/build-on.md has no block of %s", language)
		}
		return string(m[1])
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "main.go"), block("go"))
	for _, path := range publicPaths(t) {
		example, err := os.ReadFile(strings.TrimPrefix(path, "handoff/") + "/example_test.go")
		if err != nil {
			t.Error(err)
		}
		put(t, filepath.Join(dir, path, "example_test.go"), string(example))
	}
	run := exec.Command("sh", "-ec", block("sh")+"\ngo vet ./...")
	run.Dir = dir
	run.Env = append(os.Environ(), "CHECKOUT="+checkout, "GOWORK=off")
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Run the tests of parse.") || !strings.Contains(string(out), "line 4: vague-next-action") {
		t.Errorf("%v\n%s", err, out)
	}
}
