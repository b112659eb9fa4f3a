package conformance_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/sdk/conformance"
)

// TestSecond asks all vectors of an implementation in another language, which was written from docs/spec. What it
// cannot know, the specification does not say.
func TestSecond(t *testing.T) {
	needs.Tool(t, "python3")
	suites, err := conformance.Suites()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command("python3", "second/second.py")
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
	lacks := map[string]bool{}
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
	for _, operation := range []string{"bundle.write", "metadata.sync", "pinned.compare", "pinned.pack"} {
		delete(lacks, operation)
	}
	if len(lacks) > 0 {
		t.Errorf("it does not have %v", lacks)
	}
	to.Close()
	if err := program.Wait(); err != nil {
		t.Error(err)
	}
}
