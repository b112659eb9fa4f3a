package replica_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/journal"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/replica"
)

// member is a side that belongs to a project, "" for a shallow clone.
func member(t *testing.T, e engine.Engine, dir, project string) *side {
	s := &side{t: t, dir: dir}
	own := engine.Identity{Store: "id of " + project + filepath.Base(dir)}
	if project != "" {
		own.Project = []string{project}
	}
	owns := func(path string) bool {
		return strings.HasPrefix(path, "threads/") && strings.HasSuffix(path, ".jsonl")
	}
	s.r = replica.New(e, replica.Folder{Root: nofollow.Root(dir), Dir: dir, Owns: owns, Identity: func(context.Context) engine.Identity { return own }},
		func(line string) { s.said = append(s.said, line) })
	return s
}

func (s *side) isOther(err error) bool {
	s.t.Helper()
	return errors.As(err, new(*engine.ProjectError))
}

// TestTwoProjects: the first append to an empty store decides whose it is. A second project gets
// an error and neither reads nor writes anything, also one that had looked at the store before.
func TestTwoProjects(t *testing.T) {
	store := &enginetest.Memory{}
	before := member(t, store, t.TempDir(), "B")
	must(t, before.r.Sync(t.Context()))
	one := member(t, store, t.TempDir(), "A")
	must(t, one.create("first"))
	_, err := before.append(journal.Any(), "x")
	for what, err := range map[string]error{
		"a new workspace":     member(t, store, t.TempDir(), "B").r.Sync(t.Context()),
		"a first append":      member(t, store, t.TempDir(), "B").create("x"),
		"one that had looked": before.create("x"), "an append of it": err, "a sync of it": before.r.Sync(t.Context()),
		"its next process": member(t, store, before.dir, "B").r.Sync(t.Context()),
	} {
		if !one.isOther(err) && !(what == "an append of it" && errors.Is(err, os.ErrNotExist)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := os.Stat(before.path()); err == nil {
		t.Error("the other project has the log")
	}
	want(t, content(t, store), "0 first\n")
	for _, project := range []string{"A", ""} { // another clone, and one that cannot know
		s := member(t, store, t.TempDir(), project)
		must(t, s.r.Sync(t.Context()))
		want(t, s.file(), "0 first\n")
		must(t, second(s.append(journal.Any(), "more")))
		must(t, second(s.append(journal.Any(), "back")))
		store = &enginetest.Memory{}
		must(t, member(t, store, t.TempDir(), "A").create("first"))
	}
}

// TestStoreWithoutIdentity: a store of an older version has none, and gets none by being used:
// the first to come may be of the wrong project.
func TestStoreWithoutIdentity(t *testing.T) {
	store := &enginetest.Memory{}
	must(t, store.Append(t.Context(), engine.Batch{Log: log, Records: [][]byte{[]byte("0 first")}}))
	for _, project := range []string{"B", "A"} {
		dir := t.TempDir()
		for range 2 {
			s := member(t, store, dir, project)
			must(t, s.r.Sync(t.Context()))
			must(t, second(s.append(journal.Any(), project)))
		}
	}
	if _, ok, err := engine.ReadIdentity(t.Context(), store); ok || err != nil {
		t.Fatal(ok, err)
	}
	// `store copy` decides. Those of the other project are told at their next sync.
	long := member(t, store, t.TempDir(), "B")
	must(t, long.r.Sync(t.Context()))
	_, err := engine.Identify(t.Context(), store, engine.Identity{Store: "id", Project: []string{"A"}})
	must(t, err)
	if err := long.r.Sync(t.Context()); !long.isOther(err) {
		t.Fatal(err)
	}
	if _, err := long.append(journal.Any(), "x"); !long.isOther(err) {
		t.Fatal(err)
	}
}

// TestIdentityAtOnce: of many that use an empty store at the same time, one names it.
func TestIdentityAtOnce(t *testing.T) {
	store := &enginetest.Memory{}
	var all sync.WaitGroup
	errs := make([]error, 8)
	for n := range errs {
		s := member(t, store, t.TempDir(), string(rune('A'+n%2)))
		all.Go(func() { errs[n] = s.create("first") })
	}
	all.Wait()
	i, ok, err := engine.ReadIdentity(t.Context(), store)
	if err != nil || !ok || len(i.Project) != 1 {
		t.Fatal(i, err)
	}
	for n, err := range errs {
		if other := i.Project[0] != string(rune('A'+n%2)); errors.As(err, new(*engine.ProjectError)) != other {
			t.Errorf("%d: %v in the store of %s", n, err, i.Project)
		}
	}
}

// TestCreatedAgain: a store that was deleted and created again is noticed. What it lost is left
// alone, all else is used; what `store copy` has added is used again.
func TestCreatedAgain(t *testing.T) {
	for name, records := range map[string][][]byte{"empty": nil, "shorter": {[]byte("0 first")}, "another": {[]byte("0 other"), []byte("1 log")}} {
		t.Run(name, func(t *testing.T) {
			old := &enginetest.Memory{}
			s := member(t, old, t.TempDir(), "A")
			must(t, s.create("first", "second", "third"))
			must(t, s.r.Sync(t.Context()))
			again := &enginetest.Memory{}
			must(t, member(t, again, t.TempDir(), "A").r.Sync(t.Context()))
			if records != nil {
				_, err := engine.Identify(t.Context(), again, engine.Identity{Store: "again", Project: []string{"A"}})
				must(t, err)
				must(t, again.Append(t.Context(), engine.Batch{Log: log, Records: records}))
			}
			// It is noticed also if the first comparison with it ends early.
			if err := member(t, unreadable{again}, s.dir, "A").r.Sync(t.Context()); !errors.Is(err, engine.ErrUnavailable) {
				t.Fatal(err)
			}
			for range 2 {
				s = member(t, again, s.dir, "A")
				if err := s.r.Sync(t.Context()); !replica.AboutLogs(err) || !s.r.Adopted() {
					t.Fatal(err)
				}
				if _, err := s.append(journal.Any(), "x"); !errors.As(err, new(*replica.NotCopyError)) {
					t.Fatal(err)
				}
				want(t, s.file(), "0 first\n1 second\n2 third\n")
			}
			if name == "another" {
				return
			}
			must(t, again.Append(t.Context(), engine.Batch{Log: log, Expected: uint64(len(records)), Records: [][]byte{[]byte("0 first"), []byte("1 second"), []byte("2 third")}[len(records):]}))
			must(t, s.r.Sync(t.Context()))
			must(t, second(s.append(journal.Any(), "fourth")))
			want(t, s.file(), content(t, again))
		})
	}
}

// unreadable is a store that tells its identity and lists its logs, and then no longer answers.
type unreadable struct{ engine.Engine }

func (u unreadable) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	if log == engine.IdentityLog {
		return u.Engine.Read(ctx, log, from)
	}
	return func(yield func(engine.Record, error) bool) { yield(engine.Record{}, engine.ErrUnavailable) }
}

func (unreadable) Len(context.Context, string) (uint64, error) { return 0, engine.ErrUnavailable }
