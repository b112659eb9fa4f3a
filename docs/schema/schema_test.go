package schema

import (
	"slices"
	"testing"
)

// TestNames: each schema of the folder is listed by its name.
func TestNames(t *testing.T) {
	files, err := FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := Names()
	if len(files) == 0 || len(names) != len(files) {
		t.Errorf("%d schemas, listed are %q", len(files), names)
	}
	for _, f := range files {
		if !slices.ContainsFunc(names, func(n string) bool { return n+".schema.json" == f.Name() }) {
			t.Errorf("%s is not listed: %q", f.Name(), names)
		}
	}
}
