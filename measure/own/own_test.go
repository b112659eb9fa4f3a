package own_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"handoff/measure/own"
	"handoff/sdk/conformance"
)

var update = flag.Bool("update", false, "write the answers of this implementation into the vectors; read the diff before you commit it")

func all(string) bool { return true }

// TestVectors asks this implementation all vectors, and whether each operation has some.
func TestVectors(t *testing.T) {
	suites, err := conformance.Suites()
	if err != nil {
		t.Fatal(err)
	}
	implementation := own.New(t.TempDir())
	if *update {
		write(t, suites, implementation)
	}
	err = conformance.Run(suites, all, implementation.Answer, func(r conformance.Result) error {
		if r.Verdict != conformance.Passed {
			t.Errorf("%s (%s): %s\n in %s\nwant %s\n got %s", r.ID, r.Spec, r.Verdict, r.In, r.Want, r.Got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if asked := conformance.Operations(suites); !slices.Equal(asked, own.Operations()) {
		t.Errorf("vectors for %v, operations %v", asked, own.Operations())
	}
}

func write(t *testing.T, suites []conformance.Suite, implementation *own.Own) {
	for _, s := range suites {
		for i, c := range s.Cases {
			a, err := implementation.Answer(s.Question(c))
			if err != nil {
				t.Fatalf("%s/%s: %v", s.Operation, c.Name, err)
			}
			s.Cases[i].Out = a.Out
		}
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("..", "..", "sdk", "conformance", "vectors", s.Operation+".json"), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("the vectors are written: run the test again")
}
