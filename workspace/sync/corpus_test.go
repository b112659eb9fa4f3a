package sync

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/workspace"
	"handoff/workspace/config"
)

// TestCorpusMetadata syncs copies of real trees. The state in the metadata
// changes only where a handoff waits, by the rule that this test implements
// again; what an agent wrote stays, no metadata is created, and a second sync
// writes nothing.
func TestCorpusMetadata(t *testing.T) {
	corpus := needs.Folder(t, "HANDOFF_CORPUS")
	trees, err := filepath.Glob(filepath.Join(corpus, "*", "*", "specs"))
	if err != nil || len(trees) == 0 {
		t.Fatalf("no trees in %s: %v", corpus, err)
	}
	files, changed, waiting := 0, 0, 0
	for _, specs := range trees {
		root := t.TempDir()
		if err := os.CopyFS(filepath.Join(root, "specs"), os.DirFS(specs)); err != nil {
			t.Fatal(err)
		}
		before := metadataIn(t, root)
		syncAll(t, root)
		after := metadataIn(t, root)
		for p, src := range after {
			was, ok := before[p]
			if !ok {
				t.Errorf("%s: %s was made up:\n%s", specs, p, src)
			}
			if was == src {
				continue
			}
			changed++
			if keeps(t, filepath.Join(root, path.Dir(p)), was, src) {
				waiting++
			}
		}
		syncAll(t, root)
		if !reflect.DeepEqual(after, metadataIn(t, root)) {
			t.Errorf("%s: a second sync writes", specs)
		}
		files += len(before)
		os.RemoveAll(root)
	}
	t.Logf("%d trees, %d metadata files, %d changed, in %d of them more than the outputs", len(trees), files, changed, waiting)
}

func syncAll(t *testing.T, root string) {
	t.Helper()
	w := workspace.New(root, config.Default(), workspace.Options{})
	if err := Run(t.Context(), w, Request{}, func(s Result) error { return s.Err }); err != nil {
		t.Fatal(err)
	}
}

// metadataIn reads all metadata below a folder.
func metadataIn(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), "specs", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == handoff.MetadataFile {
			var src []byte
			src, err = os.ReadFile(filepath.Join(root, p))
			found[p] = string(src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// spoken is what a lead acts on.
type spoken struct {
	Status   string `json:"status"`
	Started  string `json:"started_at"`
	Review   bool   `json:"requires_user_review"`
	Progress struct {
		Stage     string `json:"stage"`
		Details   string `json:"details"`
		Path      string `json:"handoff_path"`
		Completed any    `json:"phases_completed"`
		Total     any    `json:"phases_total"`
	} `json:"partial_progress"`
}

// keeps checks the change of one file, and reports whether more than its outputs
// have changed.
func keeps(t *testing.T, dir, before, after string) bool {
	t.Helper()
	var was, is spoken
	if json.Unmarshal([]byte(before), &was) != nil || json.Unmarshal([]byte(after), &is) != nil {
		t.Errorf("%s: not the metadata that was expected\n%s\n%s", dir, before, after)
		return true
	}
	if was == is {
		return false
	}
	if why := whyNot(was, dir, path.Base(is.Progress.Path)); why != "" {
		t.Errorf("%s: no handoff waits: %s\n%s\n%s", dir, why, before, after)
	}
	if was.Progress.Details != "" && was.Progress.Details != is.Progress.Details {
		t.Errorf("%s: the words of an agent were replaced\n%s\n%s", dir, before, after)
	}
	if was.Progress.Path != "" && was.Progress.Path != is.Progress.Path {
		t.Errorf("%s: a recorded pointer was replaced\n%s\n%s", dir, before, after)
	}
	return true
}

var (
	phaseOf   = regexp.MustCompile(`^phase-(\d+)\w?-handoff-(\d{4})(\d\d)(\d\d)`)
	stagePart = regexp.MustCompile(`^phase_(\d+)`)
)

// whyNot returns why a handoff does not wait, "" if it does.
func whyNot(m spoken, dir, name string) string {
	src, err := os.ReadFile(filepath.Join(dir, "handoffs", name))
	n := phaseOf.FindStringSubmatch(name)
	switch {
	case err != nil:
		return err.Error()
	case !strings.Contains(string(src), "## Immediate Next Action"):
		return "it names no next action"
	case m.Status != "partial" && m.Status != "in_progress":
		return "status is " + m.Status
	case m.Review:
		return "a person is asked"
	case strings.Contains(m.Progress.Stage, "block") || strings.Contains(m.Progress.Stage, "impossible"):
		return "stage is " + m.Progress.Stage
	case n == nil:
		return "its name has no phase and date"
	case len(m.Started) >= 10 && m.Started[:10] > n[2]+"-"+n[3]+"-"+n[4]:
		return "an agent started later: " + m.Started
	}
	phase, _ := strconv.Atoi(n[1])
	if s := stagePart.FindStringSubmatch(m.Progress.Stage); s != nil {
		if stage, _ := strconv.Atoi(s[1]); stage > phase {
			return "stage is " + m.Progress.Stage
		}
	}
	if done, ok := m.Progress.Completed.(float64); ok && done >= float64(phase) {
		return "its phase is done"
	}
	return ""
}
