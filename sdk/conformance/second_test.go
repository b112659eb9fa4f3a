package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/sdk/conformance"
)

// TestSecond asks all vectors of an implementation in another language, which was written from docs/spec. What it
// cannot know is missing in the specification.
func TestSecond(t *testing.T) {
	needs.Tool(t, "python3")
	if lacks := ask(t, "python3", "-B", "second/second.py"); len(lacks) > 0 {
		t.Errorf("it does not have %v", lacks)
	}
}

// TestSecondIsSmall holds the second implementation of names, documents, receipts, threads and tapes to 400 lines of
// code: a format that needs more to read is too complicated.
func TestSecondIsSmall(t *testing.T) {
	code := 0
	for _, name := range []string{"second.py", "formats.py"} {
		code += codeLines(t, filepath.Join("second", name))
	}
	if code > 400 {
		t.Errorf("%d lines of code, at most 400", code)
	}
	codeLines(t, filepath.Join("second", "derived.py"))
}

// codeLines counts the lines of a Python file that are not blank, a comment or a documentation string, and refuses
// lines that are too long to read.
func codeLines(t *testing.T, path string) (n int) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	documentation := false
	for i, line := range strings.Split(string(src), "\n") {
		text := strings.TrimSpace(line)
		if len([]rune(line)) > 120 {
			t.Errorf("%s:%d: longer than 120 characters", path, i+1)
		}
		switch opens := strings.HasPrefix(text, `"""`); {
		case documentation:
			documentation = !strings.HasSuffix(text, `"""`)
		case opens:
			documentation = strings.Count(text, `"""`) == 1
		case text != "" && !strings.HasPrefix(text, "#"):
			n++
		}
	}
	return n
}

// TestProgramOfTheDocs runs the program that docs/build-on.md shows to authors of an implementation.
func TestProgramOfTheDocs(t *testing.T) {
	needs.Tool(t, "node")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "build-on.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```js\n")
	program, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("docs/build-on.md shows no program")
	}
	file := filepath.Join(t.TempDir(), "mine.mjs")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if lacks := ask(t, "node", file); lacks["name.write"] || !lacks["name.read"] {
		t.Errorf("it lacks %v", lacks)
	}
}

// ask asks a program all vectors, reports wrong answers, and returns the operations that it does not have.
func ask(t *testing.T, name string, args ...string) (lacks map[string]bool) {
	t.Helper()
	suites, err := conformance.Suites()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(name, args...)
	program.Stderr = os.Stderr
	to, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := program.StdoutPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lacks = map[string]bool{}
	err = conformance.Run(suites, func(string) bool { return true }, conformance.Over(to, from), func(r conformance.Result) error {
		switch operation, _, _ := strings.Cut(r.ID, "/"); r.Verdict {
		case conformance.Passed:
		case conformance.Unsupported:
			lacks[operation] = true
		default:
			t.Errorf("%s (%s): %s\n in %s\nwant %s\n got %s", r.ID, r.Spec, r.Verdict, r.In, r.Want, r.Got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	to.Close()
	if err := program.Wait(); err != nil {
		t.Error(err)
	}
	return lacks
}
