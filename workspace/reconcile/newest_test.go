package reconcile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// dated is a task with handoffs of one date, whose names leave their order open.
type dated struct {
	*testing.T
	root  string
	store *artifact.Store
}

const datedTask = "specs/259_prove"

func newDated(t *testing.T, metadata string) *dated {
	d := &dated{T: t, root: t.TempDir()}
	put(t, d.root, datedTask+"/.return-meta.json", []byte(metadata))
	var err error
	if d.store, err = artifact.Open(d.root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.store.Close() })
	return d
}

func (d *dated) path(phase string) string {
	return datedTask + "/handoffs/phase-" + phase + "-handoff-20260213.md"
}

func (d *dated) write(phase string) {
	put(d.T, d.root, d.path(phase), []byte("# Handoff\n\n## Immediate Next Action\nApply `"+phase+"`.\n"))
}

// age sets the time at which a file was changed.
func (d *dated) age(name string, before time.Duration) {
	d.Helper()
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).Add(-before)
	if err := os.Chtimes(filepath.Join(d.root, name), at, at); err != nil {
		d.Fatal(err)
	}
}

func (d *dated) git(at string, args ...string) {
	d.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	c.Dir = d.root
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_DATE="+at)
	if out, err := c.CombinedOutput(); err != nil {
		d.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// wants reconciles twice: handoff_path names the phase, or nothing does and
// there is a problem.
func (d *dated) wants(phase string) {
	d.Helper()
	plan := sync(d.T, d.root, d.store)
	src, err := os.ReadFile(filepath.Join(d.root, datedTask, ".return-meta.json"))
	if err != nil {
		d.Fatal(err)
	}
	_, after, _ := strings.Cut(string(src), `"handoff_path": "`)
	got, _, _ := strings.Cut(after, `"`)
	switch {
	case phase == "" && (got != "" || len(plan.Problems) != 1 || !strings.Contains(plan.Problems[0].Text, "cannot tell")):
		d.Errorf("handoff_path is %q, %v", got, plan.Problems)
	case phase != "" && got != d.path(phase):
		d.Errorf("handoff_path is %q, want that of phase %s: %v", got, phase, plan.Problems)
	}
	if again := sync(d.T, d.root, d.store); !again.Empty() {
		d.Errorf("a second time: %v", again.Changes)
	}
}

// TestNewestByFile orders handoffs by the times of their files, unless a
// checkout may have written them together.
func TestNewestByFile(t *testing.T) {
	for name, tt := range map[string]struct {
		one time.Duration // how long before phase 4 that of phase 1 was written
		how string
	}{
		"together":        {2 * time.Second, ""},
		"earlier phase":   {time.Hour, "4"},
		"back to a phase": {-time.Hour, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDated(t, `{"status": "partial"}`)
			d.write("1")
			d.write("4")
			d.age(d.path("4"), 24*time.Hour)
			d.age(d.path("1"), 24*time.Hour+tt.one)
			d.wants(tt.how)
		})
	}
}

// TestNewestByCommit asks git if names leave the order open, and prefers it to
// file times, which a checkout changes.
func TestNewestByCommit(t *testing.T) {
	needs.Tool(t, "git")
	d := newDated(t, `{"status": "partial"}`)
	d.git("", "init", "-q")
	for i, phase := range []string{"2", "4", "1"} { // as agents went, in a real task
		d.write(phase)
		d.age(d.path(phase), time.Duration(i)*time.Hour)
		d.git("2026-02-13T0"+string(rune('1'+i))+":00:00Z", "add", "-A")
		d.git("2026-02-13T0"+string(rune('1'+i))+":00:00Z", "commit", "-q", "-m", phase)
	}
	d.wants("1")
}

// TestNewestNotCommitted takes a handoff that git does not have for the newest.
func TestNewestNotCommitted(t *testing.T) {
	needs.Tool(t, "git")
	d := newDated(t, `{"status": "partial"}`)
	d.git("", "init", "-q")
	d.write("4")
	d.git("2026-02-13T01:00:00Z", "add", "-A")
	d.git("2026-02-13T01:00:00Z", "commit", "-q", "-m", "x")
	d.write("1")
	d.wants("1")
}

// TestTakenByCommit leaves metadata alone that git got after the handoff and
// that does not name it: an agent continued, and stopped without a handoff.
func TestTakenByCommit(t *testing.T) {
	needs.Tool(t, "git")
	for name, tt := range map[string]struct {
		order []string // of the commits
		waits bool
	}{
		"metadata later": {[]string{"handoff", "metadata"}, false},
		"handoff later":  {[]string{"metadata", "handoff"}, true},
		"together":       {[]string{"."}, true},
		"handoff new":    {[]string{"metadata"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDated(t, `{"status": "partial", "partial_progress": {"stage": "phase_2_baseline", "details": "Restored."}}`)
			d.write("2")
			d.git("", "init", "-q")
			paths := map[string]string{"handoff": d.path("2"), "metadata": datedTask + "/.return-meta.json", ".": "."}
			for i, what := range tt.order {
				at := "2026-02-13T0" + string(rune('1'+i)) + ":00:00Z"
				d.git(at, "add", paths[what])
				d.git(at, "commit", "-q", "-m", what)
			}
			sync(t, d.root, d.store)
			src, err := os.ReadFile(filepath.Join(d.root, datedTask, ".return-meta.json"))
			if waits := strings.Contains(string(src), "handoff_path"); err != nil || waits != tt.waits {
				t.Errorf("%v:\n%s", err, src)
			}
		})
	}
}

// TestRecordedByFile keeps a recorded pointer if another file is younger; it
// reports doubt if that file is also younger than the metadata.
func TestRecordedByFile(t *testing.T) {
	const metadata = `{"status": "partial", "partial_progress": {"stage": "context_exhaustion_handoff", "details": "d", "handoff_path": "` +
		datedTask + `/handoffs/phase-4-handoff-20260213.md", "phases_completed": 3, "phases_total": 5}}`
	d := newDated(t, metadata)
	d.write("1")
	d.write("4")
	d.age(d.path("4"), 3*time.Hour)
	d.age(d.path("1"), 2*time.Hour)
	d.age(datedTask+"/.return-meta.json", time.Hour)
	d.wants("4")

	d = newDated(t, metadata)
	d.write("1")
	d.write("4")
	d.age(d.path("4"), 3*time.Hour)
	d.age(datedTask+"/.return-meta.json", 2*time.Hour)
	d.age(d.path("1"), time.Hour)
	plan := sync(t, d.root, d.store)
	if len(plan.Problems) != 1 || !strings.Contains(plan.Problems[0].Text, "cannot tell whether phase-1-handoff-20260213.md is newer") {
		t.Errorf("%+v", plan.Problems)
	}
}

// TestWaitsByFile believes the files where a date and an hour of that day leave
// open which came first, and then only for a handoff that came later.
func TestWaitsByFile(t *testing.T) {
	const metadata = `{"status": "in_progress", "started_at": "2026-02-13T09:00:00Z", "partial_progress": {"stage": "initializing", "details": "Agent started", "phases_completed": 1, "phases_total": 3}}`
	for name, tt := range map[string]struct {
		metadata time.Duration // its age; the handoff's is an hour
		want     string
	}{
		"handoff later":  {2 * time.Hour, "2"},
		"metadata later": {time.Minute, ""},
		"together":       {time.Hour + time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) { wantsAtAge(t, metadata, tt.metadata, tt.want) })
	}
}

// TestWorkingByFile leaves metadata alone that has no time and was changed after
// the handoff, because a successor working on the same phase may have written it.
func TestWorkingByFile(t *testing.T) {
	const metadata = `{"status": "in_progress", "partial_progress": {"stage": "phase_2_in_progress", "details": "mine"}}`
	for name, tt := range map[string]struct {
		metadata time.Duration // its age; the handoff's is an hour
		want     string
	}{
		"handoff later":  {2 * time.Hour, "2"},
		"metadata later": {time.Minute, ""},
		"together":       {time.Hour + time.Second, "2"},
	} {
		t.Run(name, func(t *testing.T) { wantsAtAge(t, metadata, tt.metadata, tt.want) })
	}
}

// wantsAtAge syncs metadata of some age beside a handoff that is an hour old.
func wantsAtAge(t *testing.T, metadata string, age time.Duration, want string) {
	t.Helper()
	d := newDated(t, metadata)
	d.write("2")
	d.age(d.path("2"), time.Hour)
	d.age(datedTask+"/.return-meta.json", age)
	d.wants(want)
}

// TestWordsByFile replaces an agent's text if the metadata's file time and its
// own time are older than the handoff.
func TestWordsByFile(t *testing.T) {
	for name, tt := range map[string]struct {
		metadata time.Duration // before noon of 2026-11-01; the handoff is of 11:00 by its name
		file     time.Duration // of the handoff
		want     string
	}{
		"older":             {2 * time.Hour, time.Hour, "Apply `omega`."},
		"written after":     {30 * time.Minute, time.Hour, "mine"},
		"a name that lies":  {2 * time.Hour, 3 * time.Hour, "mine"},
		"a file that moved": {30 * time.Minute, 10 * time.Minute, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDated(t, `{"status": "partial", "partial_progress": {"stage": "phase_2", "details": "mine", "phases_completed": 1, "phases_total": 3}}`)
			const doc = datedTask + "/handoffs/phase-2-handoff-20261101T110000Z.md"
			put(t, d.root, doc, []byte("# Handoff\n\n## Immediate Next Action\nApply `omega`.\n"))
			d.age(doc, tt.file)
			d.age(datedTask+"/.return-meta.json", tt.metadata)
			sync(t, d.root, d.store)
			src, err := os.ReadFile(filepath.Join(d.root, datedTask, ".return-meta.json"))
			if err != nil || !strings.Contains(string(src), `"details": "`+tt.want+`"`) {
				t.Errorf("%v, want %q:\n%s", err, tt.want, src)
			}
		})
	}
}

// TestFreshBesideMetadata trusts the metadata only if it may have been written
// after a handoff that was written just now.
func TestFreshBesideMetadata(t *testing.T) {
	for name, tt := range map[string]struct {
		metadata time.Duration // how long after the handoff it was written
		flips    bool
	}{
		"before":   {-time.Second, true},
		"together": {0, true},
		"after":    {time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDated(t, `{"status": "in_progress", "started_at": "2026-02-20T09:00:00Z", "partial_progress": {"stage": "initializing", "details": "Agent started"}}`)
			d.write("2")
			d.age(d.path("2"), time.Hour)
			d.age(datedTask+"/.return-meta.json", time.Hour-tt.metadata)
			sync(t, d.root, d.store, d.path("2"))
			src, err := os.ReadFile(filepath.Join(d.root, datedTask, ".return-meta.json"))
			if flips := strings.Contains(string(src), `"status": "partial"`); err != nil || flips != tt.flips {
				t.Errorf("%v:\n%s", err, src)
			}
		})
	}
}

// TestFreshTogetherWithItsMetadata has an agent write a handoff and metadata that names it
// so quickly that their file times are equal: its words stay.
func TestFreshTogetherWithItsMetadata(t *testing.T) {
	for _, metadata := range []string{
		`{"status": "partial", "partial_progress": {"stage": "context_exhaustion_handoff", "details": "mine", "handoff_path": "` + datedTask + `/handoffs/phase-2-handoff-20260213.md"}}`,
		`{"status": "in_progress", "started_at": "2026-11-01T11:00:00Z", "partial_progress": {"stage": "initializing", "details": "mine"}}`, // and the next one begins
	} {
		d := newDated(t, metadata)
		d.write("2")
		d.age(d.path("2"), time.Hour)
		d.age(datedTask+"/.return-meta.json", time.Hour)
		sync(t, d.root, d.store, d.path("2"))
		src, err := os.ReadFile(filepath.Join(d.root, datedTask, ".return-meta.json"))
		if err != nil || !strings.Contains(string(src), `"details": "mine"`) {
			t.Errorf("%v:\n%s", err, src)
		}
	}
}

// TestStageCloses: a phase is closed by the word after its number, not by one
// that speaks of a part of it. The stages are of the kinds that agents write.
func TestStageCloses(t *testing.T) {
	for stage, closed := range map[string]bool{
		"phase_2_complete":                   true,
		"phase_2_completed":                  true,
		"Phase 2 done":                       true,
		"phase2-finished":                    true,
		"phase_2_complete_phase_3_blocked":   true,
		"phase_3_in_progress":                true,
		"phase_2_analysis_complete":          false,
		"phase_2_iteration_2_complete":       false,
		"phase_2_membership_proofs_complete": false,
		"phase_2a_complete":                  false,
		"phase_2_closure_proofs":             false,
		"phase_2_incomplete":                 false,
		"phase_2":                            false,
		"phase_1_complete":                   false,
	} {
		t.Run(stage, func(t *testing.T) {
			d := newDated(t, `{"status": "partial", "partial_progress": {"stage": "`+stage+`", "details": "mine"}}`)
			d.write("2")
			d.age(d.path("2"), time.Hour)
			d.age(datedTask+"/.return-meta.json", time.Hour)
			sync(t, d.root, d.store)
			src, err := os.ReadFile(filepath.Join(d.root, datedTask, ".return-meta.json"))
			if waits := strings.Contains(string(src), `"handoff_path"`); err != nil || waits == closed {
				t.Errorf("%v:\n%s", err, src)
			}
		})
	}
}

// TestReplacedDetailsAreSaid expects a change to be reported if it replaces an
// agent's text.
func TestReplacedDetailsAreSaid(t *testing.T) {
	for metadata, said := range map[string]bool{
		`{"status": "in_progress", "partial_progress": {"stage": "initializing", "details": "Agent started"}}`: true,
		`{"status": "in_progress", "partial_progress": {"stage": "initializing"}}`:                             false,
	} {
		d := newDated(t, metadata)
		d.write("2")
		d.age(d.path("2"), time.Hour)
		d.age(datedTask+"/.return-meta.json", time.Hour)
		state, err := new(reconcile.Loader).Load(t.Context(), d.root, d.store, datedTask)
		if err != nil {
			t.Fatal(err)
		}
		state.Fresh = []string{d.path("2")}
		if plan := reconcile.Make(state); slices.Contains(plan.Changes, "details replaced") != said {
			t.Errorf("%s: %v", metadata, plan.Changes)
		}
	}
}
