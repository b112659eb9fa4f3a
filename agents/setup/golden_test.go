package setup_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/agents/host"
	"handoff/document/handoff"
)

var update = flag.Bool("update", false, "write the golden files")

// TestWritten: setup writes these bytes for each host. The texts of the skill, the block and
// OpenCode's plugin, which package skill has, are left out.
func TestWritten(t *testing.T) {
	for _, name := range host.Names() {
		var got txtar.Archive
		for _, user := range []bool{false, true} {
			tr := newTree(t, nil)
			req := tr.request(name)
			req.User = user
			tr.install(req)
			files := tr.files()
			for _, file := range slices.Sorted(maps.Keys(files)) {
				if strings.HasSuffix(file, "/") {
					continue
				}
				text := strings.ReplaceAll(files[file], `"`+handoff.Version+`"`, `"VERSION"`)
				if base := filepath.Base(file); strings.Contains(file, "/commands/") || base == "SKILL.md" || base == "AGENTS.md" || base == "handoff.ts" {
					text = "…\n"
				}
				got.Files = append(got.Files, txtar.File{Name: file, Data: []byte(text)})
			}
		}
		golden := filepath.Join("testdata", name+".txtar")
		if *update {
			if err := os.WriteFile(golden, txtar.Format(&got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != string(txtar.Format(&got)) {
			t.Errorf("%s: %v: writes\n%s\nwant\n%s", name, err, txtar.Format(&got), want)
		}
	}
}
