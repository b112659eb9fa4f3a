package receipt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

func openStore(t testing.TB, root string) *Store {
	t.Helper()
	p, err := Locate(root)
	if err != nil {
		t.Fatal(err)
	}
	s := Open(p)
	s.Unchecked = true
	return s
}

func record(t testing.TB, s *Store, path string, d Decision) Life {
	t.Helper()
	l, err := s.Record(context.Background(), path, d)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestFile is the format that docs/receipts.md shows, byte for byte.
func TestFile(t *testing.T) {
	s := openStore(t, realTemp(t))
	m := Moment{Now: noon.Add(1234567 * time.Nanosecond), SHA256: "ab"}
	record(t, s, doc, m.Deliver("a<b", ""))
	l := record(t, s, doc, claim("codex", false, "")(m))
	record(t, s, doc, m.Acknowledge("", l.Claim.ID, true))
	l = record(t, s, doc, claim("ann", true, "it hangs")(m))
	record(t, s, doc, m.Supersede(l.Claim.ID, "specs/x.md"))
	key := keyOf(doc)
	begin := func(seq int, step string) string {
		return fmt.Sprintf(`{"seq":%d,"at":"2026-02-12T12:00:00.001Z","step":"%s","handoff":"%s","sha256":"ab",`, seq, step, doc)
	}
	want := begin(0, "delivered") + `"by":"a<b"}` + "\n" +
		begin(1, "claimed") + `"by":"codex","claim":"` + key + `.1.r","token":1,"until":"2026-02-12T13:00:00.001Z"}` + "\n" +
		begin(2, "acknowledged") + `"by":"codex","claim":"` + key + `.1.r","token":1,"first_action_matched":true}` + "\n" +
		begin(3, "claimed") + `"by":"ann","claim":"` + key + `.2.r","token":2,"until":"2026-02-12T13:00:00.001Z","took":"` + key + `.1.r","why":"it hangs"}` + "\n" +
		begin(4, "superseded") + `"by":"ann","claim":"` + key + `.2.r","token":2,"superseded_by":"specs/x.md"}` + "\n"
	got, err := os.ReadFile(s.file(key))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	path, l, err := s.Claimed(t.Context(), l.Claim.ID)
	if err != nil || path != doc || l.State(noon) != Superseded || len(l.Steps) != 5 {
		t.Errorf("read again: %s %+v %v", path, l, err)
	}
}

// TestLifeOfNothing: looking creates no file, and neither does a refusal.
func TestLifeOfNothing(t *testing.T) {
	root := realTemp(t)
	s := openStore(t, root)
	if l, err := s.Life(doc); err != nil || l.State(noon) != Waiting {
		t.Errorf("%+v, %v", l, err)
	}
	var unknown *UnknownClaimError
	if _, _, err := s.Claimed(t.Context(), claimID(doc, 1, "r")); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if _, err := s.Record(context.Background(), doc, renew(claimID(doc, 1, "r"))(Moment{Now: noon})); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(root); len(entries) > 0 {
		t.Errorf("%v was created", entries)
	}
}

// TestFirstClaim has goroutines claim a handoff that has no receipts yet: one
// of them gets it.
func TestFirstClaim(t *testing.T) {
	for range 20 {
		s := openStore(t, realTemp(t))
		var wg sync.WaitGroup
		got := make([]error, 8)
		for i := range got {
			wg.Go(func() {
				_, got[i] = s.Record(context.Background(), doc, claim(fmt.Sprint("p", i), false, "")(Moment{Now: noon}))
			})
		}
		wg.Wait()
		claims := 0
		for _, err := range got {
			if err == nil {
				claims++
			} else if !errors.As(err, new(*HeldError)) {
				t.Fatal(err)
			}
		}
		if claims != 1 {
			t.Fatalf("%d claims", claims)
		}
	}
}

// TestDamage: a torn last line is set aside; any other damage is an error that
// names the line, for this handoff only.
func TestDamage(t *testing.T) {
	s := openStore(t, realTemp(t))
	l := record(t, s, doc, claim("a", false, "")(Moment{Now: noon}))
	other := "specs/2_other/handoffs/x.md"
	record(t, s, other, claim("a", false, "")(Moment{Now: noon}))
	file := s.file(keyOf(doc))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var moved []string
	s.Healed = func(to string) { moved = append(moved, to) }
	write(string(whole) + `{"seq":1,"at":"2026`)
	if l, err := s.Life(doc); err != nil || len(l.Steps) != 1 {
		t.Errorf("torn: %+v, %v", l, err)
	}
	record(t, s, doc, renew(l.Claim.ID)(Moment{Now: noon}))
	if len(moved) != 1 {
		t.Fatalf("the torn line was moved to %q", moved)
	}
	if torn, err := os.ReadFile(moved[0]); err != nil || len(torn) != 19 {
		t.Errorf("%q, %v", torn, err)
	}
	for text, want := range map[string]string{
		strings.Replace(string(whole), `"seq":0`, `"seq":5`, 1):                                   "number 5",
		string(whole) + "rubbish\n" + strings.Replace(string(whole), `"seq":0`, `"seq":2`, 1):     ":2: invalid character",
		strings.Replace(string(whole), "claimed", "celebrated", 1):                                `:1: unknown step "celebrated"`,
		strings.Replace(string(whole), "specs/1_first", "specs/2_first", 1):                       "is about",
		string(whole) + strings.Replace(string(whole), `"seq":0`, `"seq":1`, 1) + "{\"seq\":2}\n": `:3: unknown step ""`,
	} {
		write(text)
		_, err := s.Life(doc)
		_, toRecord := s.Record(context.Background(), doc, renew(l.Claim.ID)(Moment{Now: noon}))
		for _, err := range []error{err, toRecord} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
		if now, _ := os.ReadFile(file); string(now) != text {
			t.Errorf("%q became %q", text, now)
		}
	}
	if _, err := s.Life(other); err != nil {
		t.Error(err)
	}
}

// TestLinksAreNotFollowed: receipts are neither read nor written through a
// symbolic link below the trusted folder.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := realTemp(t)
	for _, link := range []string{".handoff", ".handoff/receipts", ".handoff/receipts/" + keyOf(doc) + ".jsonl"} {
		root := realTemp(t)
		at := filepath.Join(root, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		needs.Symlink(t, outside, at)
		_, err := openStore(t, root).Record(context.Background(), doc, claim("a", false, "")(Moment{Now: noon}))
		if err == nil {
			t.Errorf("%s was followed", link)
		}
	}
	// The lock of a journal that exists, and a journal that is replaced.
	for _, name := range []string{keyOf(doc) + ".jsonl.lock", keyOf(doc) + ".jsonl"} {
		s := openStore(t, realTemp(t))
		l := record(t, s, doc, claim("a", false, "")(Moment{Now: noon}))
		at, target := filepath.Join(s.place.Dir, name), filepath.Join(realTemp(t), "target")
		content, err := os.ReadFile(s.file(keyOf(doc)))
		if err == nil {
			err = os.WriteFile(target, content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(at)
		needs.Symlink(t, target, at)
		if _, err := s.Record(context.Background(), doc, renew(l.Claim.ID)(Moment{Now: noon})); err == nil {
			t.Errorf("%s was followed", name)
		}
		if now, err := os.ReadFile(target); err != nil || string(now) != string(content) {
			t.Errorf("%s: the target became %q, %v", name, now, err)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("%v was written", entries)
	}
}

// BenchmarkLife reads a life of four steps, as next does for each handoff.
func BenchmarkLife(b *testing.B) {
	s := openStore(b, realTemp(b))
	m := Moment{Now: noon}
	l := record(b, s, doc, claim("a", false, "")(m))
	record(b, s, doc, m.Acknowledge("", l.Claim.ID, true))
	record(b, s, doc, release(l.Claim.ID)(m))
	record(b, s, doc, claim("b", false, "")(m))
	for b.Loop() {
		if l, err := s.Life(doc); err != nil || len(l.Steps) != 4 {
			b.Fatal(l, err)
		}
	}
}

// BenchmarkNoLife is that of a handoff without receipts.
func BenchmarkNoLife(b *testing.B) {
	s := openStore(b, realTemp(b))
	for b.Loop() {
		if _, err := s.Life(doc); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClaim claims by force, again and again: one flush each.
func BenchmarkClaim(b *testing.B) {
	s := openStore(b, realTemp(b))
	for b.Loop() {
		l := record(b, s, doc, claim("a", true, "again")(Moment{Now: noon}))
		record(b, s, doc, release(l.Claim.ID)(Moment{Now: noon}))
	}
}

// TestLives: reading many histories finds the receipts of each, with a listing
// and without one.
func TestLives(t *testing.T) {
	s := openStore(t, realTemp(t))
	paths := make([]string, 2*few)
	for i := range paths {
		paths[i] = fmt.Sprintf("specs/%d_a/handoffs/x.md", i)
	}
	check := func(handoffs, recorded int) {
		t.Helper()
		lives := s.Lives(handoffs)
		for i, path := range paths {
			l, err := lives.Life(path)
			if err != nil || len(l.Steps) > 0 != (i < recorded) {
				t.Errorf("of %d handoffs, %s: %d steps, %v", handoffs, path, len(l.Steps), err)
			}
		}
	}
	check(len(paths), 0)
	for recorded := range 3 {
		record(t, s, paths[recorded], claim("ann", false, "")(Moment{Now: noon}))
		check(len(paths), recorded+1)
	}
	check(1, 3)
	for i := range 4*few + 1 { // more receipts than are listed
		if err := os.WriteFile(s.file(fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check(few, 3)
	if lives := s.Lives(few); lives.listed != nil {
		t.Errorf("%d files were listed", len(lives.listed))
	}
	if lives := s.Lives(len(paths)); len(lives.listed) < 3 {
		t.Errorf("%d files were listed", len(lives.listed))
	}
}

// TestBoundedLease reads leases that no machine of ours gives: they end all the same.
func TestBoundedLease(t *testing.T) {
	far := time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		at, until time.Time
		last      time.Time // the last moment at which it is held
	}{
		"for long":       {noon, far, noon.Add(31 * 24 * time.Hour)},
		"in the future":  {far, far.Add(time.Hour), noon.Add(-time.Second)},
		"a wrong clock":  {noon.Add(time.Hour), noon.Add(2 * time.Hour), noon.Add(2 * time.Hour)},
		"the longest":    {noon, noon.Add(maxTTL), noon.Add(maxTTL)},
		"of a past step": {noon.Add(-time.Hour), far, noon.Add(-time.Hour + maxTTL)},
	} {
		var claimed, renewed Life
		step := Step{Kind: StepClaimed, At: c.at, By: "a", Claim: "k.1.r", Token: 1, Until: c.until}
		claimed.Apply(step)
		renewed.Apply(Step{Kind: StepClaimed, At: noon.Add(-time.Minute), By: "a", Claim: "k.1.r", Token: 1, Until: noon})
		step.Kind = StepRenewed
		renewed.Apply(step)
		for _, l := range []*Life{&claimed, &renewed} {
			if state := l.State(c.last.Add(time.Second)); state != Expired {
				t.Errorf("%s: %s after %s", name, state, c.last)
			}
			if now := c.last.Add(-time.Second); !now.Before(noon) && l.State(now) != Claimed {
				t.Errorf("%s: %s at %s", name, l.State(now), now)
			}
			if since := l.Since(noon.Add(40 * 24 * time.Hour)); since.After(noon.Add(40 * 24 * time.Hour)) {
				t.Errorf("%s: since %s", name, since)
			}
		}
	}
}

// TestEpochs: the epoch grows with each claim, whatever the clock does, and also where the token
// does not, because the receipts were restored from a backup or deleted. A claim that was lost in
// this way is refused, although its token comes again.
func TestEpochs(t *testing.T) {
	s := openStore(t, realTemp(t))
	file := s.file(keyOf(doc))
	r, n := Life{}, 0
	next := func(after time.Duration) Claim {
		n++
		m := Moment{Now: noon.Add(after)}
		before := r.Claim
		r = record(t, s, doc, m.Claim(ClaimRequest{By: "ann", TTL: time.Hour, Force: true, Why: "test", ID: func() string { return fmt.Sprint("r", n) }}))
		if r.Claim.Epoch <= before.Epoch {
			t.Errorf("claim %d has epoch %d, after %d", n, r.Claim.Epoch, before.Epoch)
		}
		return r.Claim
	}
	next(0)
	next(0) // in the same millisecond
	backup, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lost := next(-time.Hour)
	for name, restore := range map[string]func() error{
		"restored": func() error { return os.WriteFile(file, backup, 0o600) },
		"deleted":  func() error { return os.Remove(file) },
	} {
		if err := restore(); err != nil {
			t.Fatal(err)
		}
		if again := next(time.Minute * time.Duration(n)); again.Token > lost.Token || again.ID == lost.ID {
			t.Errorf("%s: %+v after %+v", name, again, lost)
		}
		if _, l, err := s.Current(t.Context(), lost.ID); err != nil || !errors.As(l.Check(doc, lost.ID), new(*UnknownClaimError)) {
			t.Errorf("%s: the lost claim is not refused: %v", name, err)
		}
	}
}
