package receipt

import (
	"errors"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
)

const doc = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"

var noon = time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC)

// scene is a life to which decisions are applied at moments of a clock.
type scene struct {
	t    *testing.T
	life Life
	now  time.Time
}

func (o *scene) do(decide func(Moment) Decision) error {
	o.t.Helper()
	steps, err := decide(Moment{Now: o.now})(doc, &o.life)
	if err != nil {
		return err
	}
	if _, err := o.life.add(doc, steps); err != nil {
		o.t.Fatal(err)
	}
	return nil
}

func (o *scene) must(decide func(Moment) Decision) {
	o.t.Helper()
	if err := o.do(decide); err != nil {
		o.t.Fatal(err)
	}
}

func (o *scene) claim(by string) string {
	o.t.Helper()
	o.must(claim(by, false, ""))
	return o.life.Claim.ID
}

func claim(by string, force bool, why string) func(Moment) Decision {
	return func(m Moment) Decision {
		return m.Claim(ClaimRequest{By: by, TTL: time.Hour, ID: func() string { return "r" }, Force: force, Why: why})
	}
}

func release(claim string) func(Moment) Decision {
	return func(m Moment) Decision { return m.Release(claim, "") }
}
func renew(claim string) func(Moment) Decision {
	return func(m Moment) Decision { return m.Renew(claim, time.Hour) }
}
func finish(claim string) func(Moment) Decision {
	return func(m Moment) Decision { return m.Finish("ann", claim) }
}
func acknowledge(by, claim string) func(Moment) Decision {
	return func(m Moment) Decision { return m.Acknowledge(by, claim, true) }
}
func deliver(to, claim string) func(Moment) Decision {
	return func(m Moment) Decision { return m.Deliver(to, claim) }
}
func supersede(claim string) func(Moment) Decision {
	return func(m Moment) Decision { return m.Supersede(claim, "next.md") }
}

// TestStates follows a handoff through its life.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(o *scene)
		want State
	}{
		{"nothing happened", func(o *scene) {}, Waiting},
		{"delivered", func(o *scene) { o.must(deliver("a", "")) }, Delivered},
		{"acknowledged", func(o *scene) { o.must(acknowledge("a", "")) }, Acknowledged},
		{"delivered again", func(o *scene) { o.must(acknowledge("a", "")); o.must(deliver("b", "")) }, Acknowledged},
		{"claimed", func(o *scene) { o.claim("a") }, Claimed},
		{"delivered to the holder", func(o *scene) { o.must(deliver("", o.claim("a"))) }, Claimed},
		{"acknowledged by the holder", func(o *scene) { o.must(acknowledge("", o.claim("a"))) }, Claimed},
		{"a moment before the end of the lease", func(o *scene) { o.claim("a"); o.now = o.now.Add(time.Hour - 1) }, Claimed},
		{"at the end of the lease", func(o *scene) { o.claim("a"); o.now = o.now.Add(time.Hour) }, Expired},
		{"renewed after the lease ended", func(o *scene) { c := o.claim("a"); o.now = o.now.Add(2 * time.Hour); o.must(renew(c)) }, Claimed},
		{"released", func(o *scene) { o.must(release(o.claim("a"))) }, Released},
		{"delivered after a release", func(o *scene) { o.must(release(o.claim("a"))); o.must(deliver("b", "")) }, Delivered},
		{"done", func(o *scene) { o.must(finish(o.claim("a"))) }, Done},
		{"done by a person", func(o *scene) { o.must(finish("")) }, Done},
		{"superseded", func(o *scene) { o.must(supersede(o.claim("a"))) }, Superseded},
		{"done after it was superseded", func(o *scene) { c := o.claim("a"); o.must(supersede(c)); o.must(finish(c)) }, Superseded},
		{"reopened", func(o *scene) { o.must(finish(o.claim("a"))); o.must(claim("b", true, "not done")) }, Claimed},
	} {
		o := &scene{t: t, now: noon}
		c.do(o)
		if got := o.life.State(o.now); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestRefusals: each refusal is an ErrRefused with its reason, and records nothing.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(o *scene) error
		want string
	}{
		{"a second claim", func(o *scene) error { o.claim("a"); return o.do(claim("b", false, "")) }, "is held by a until 2026-02-12T13:00:00Z"},
		{"an ack without the claim", func(o *scene) error { o.claim("a"); return o.do(acknowledge("b", "")) }, "is held by a"},
		{"done without the claim", func(o *scene) error { o.claim("a"); return o.do(finish("")) }, "is held by a"},
		{"a claim of what is done", func(o *scene) error { o.must(finish(o.claim("a"))); return o.do(claim("b", false, "")) }, "is done (a, 2026-02-12T12:00:00Z)"},
		{"a claim of what is superseded", func(o *scene) error { o.must(supersede(o.claim("a"))); return o.do(claim("b", false, "")) }, "is superseded by next.md"},
		{"a renewal of what is done", func(o *scene) error { c := o.claim("a"); o.must(finish(c)); return o.do(renew(c)) }, "is done"},
		{"a renewal after a release", func(o *scene) error { c := o.claim("a"); o.must(release(c)); return o.do(renew(c)) }, "was released (token 1); claim it again"},
		{"a claim that was never made", func(o *scene) error { o.claim("a"); return o.do(renew("0000000000000000.1.x")) }, "unknown claim"},
	} {
		o := &scene{t: t, now: noon}
		err := c.do(o)
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestStaleClaims replaces a claim in every way; every step with the old one is
// refused, and one with the new one is not.
func TestStaleClaims(t *testing.T) {
	for name, replace := range map[string]func(o *scene, old string){
		"force":   func(o *scene, _ string) { o.must(claim("a", true, "it hangs")) },
		"expired": func(o *scene, _ string) { o.now = o.now.Add(time.Hour); o.claim("a") },
		"release": func(o *scene, old string) { o.must(release(old)); o.claim("a") },
		"reopen":  func(o *scene, old string) { o.must(finish(old)); o.must(claim("a", true, "not done")) },
	} {
		for i, step := range []func(string) func(Moment) Decision{renew, release, finish, supersede,
			func(c string) func(Moment) Decision { return acknowledge("", c) },
			func(c string) func(Moment) Decision { return deliver("", c) }} {
			o := &scene{t: t, now: noon}
			old := o.claim("a") // the same name each time: only the claim counts
			replace(o, old)
			before := len(o.life.Steps)
			var stale *StaleError
			if err := o.do(step(old)); !errors.As(err, &stale) || stale.Token != 1 || stale.Latest.Token != 2 {
				t.Errorf("%s: step %d with the old claim: %v", name, i, err)
			}
			if len(o.life.Steps) != before {
				t.Errorf("%s: step %d was recorded", name, i)
			}
			if err := o.do(step(o.life.Claim.ID)); err != nil {
				t.Errorf("%s: step %d with the new claim: %v", name, i, err)
			}
		}
	}
}

// TestRepeatedSteps: a caller that lost the answer asks again.
func TestRepeatedSteps(t *testing.T) {
	for i, step := range []func(string) func(Moment) Decision{release, finish, supersede,
		func(c string) func(Moment) Decision { return deliver("", c) },
		func(c string) func(Moment) Decision { return acknowledge("", c) }} {
		o := &scene{t: t, now: noon}
		c := o.claim("a")
		o.must(step(c))
		want := len(o.life.Steps)
		o.now = o.now.Add(time.Minute)
		o.must(step(c))
		if len(o.life.Steps) != want {
			t.Errorf("step %d: repeated, it was recorded again", i)
		}
	}
}

// TestTakeover: the expiry is recorded before the claim that follows it, and a
// forced claim with the claim that it replaced and the reason.
func TestTakeover(t *testing.T) {
	o := &scene{t: t, now: noon}
	o.claim("a")
	o.now = o.now.Add(2 * time.Hour)
	second := o.claim("b")
	o.must(claim("c", true, "b is gone"))
	var kinds []string
	for _, s := range o.life.Steps {
		kinds = append(kinds, string(s.Kind)+" "+s.By)
	}
	if got := strings.Join(kinds, ", "); got != "claimed a, expired a, claimed b, claimed c" {
		t.Error(got)
	}
	if last := o.life.Last(); last.Took != second || last.Why != "b is gone" || last.Token != 3 {
		t.Errorf("%+v", last)
	}
}

// TestSince: a state has the time at which it began.
func TestSince(t *testing.T) {
	o := &scene{t: t, now: noon}
	if !o.life.Since(noon).IsZero() {
		t.Error("nothing happened yet")
	}
	c := o.claim("a")
	o.now = noon.Add(time.Minute)
	o.must(acknowledge("", c))
	if got := o.life.Since(o.now); !got.Equal(noon) {
		t.Errorf("claimed since %s", got)
	}
	if got := o.life.Since(noon.Add(3 * time.Hour)); !got.Equal(noon.Add(time.Hour)) {
		t.Errorf("expired since %s", got)
	}
	o.must(release(c))
	if got := o.life.Since(o.now); !got.Equal(o.now) {
		t.Errorf("released since %s", got)
	}
}

// TestAcknowledgedByTheSuccessor: an acknowledgement counts for the claim that
// follows it, if both are by the same name.
func TestAcknowledgedByTheSuccessor(t *testing.T) {
	for _, by := range []string{"a", "b"} {
		o := &scene{t: t, now: noon}
		o.must(acknowledge("a", ""))
		o.claim(by)
		if got := o.life.Acknowledged != nil; got != (by == "a") {
			t.Errorf("claimed by %s: acknowledged %v", by, got)
		}
	}
}

// TestInvalidRequests are mistakes of the caller, which no retry puts right.
func TestInvalidRequests(t *testing.T) {
	o := &scene{t: t, now: noon}
	ttl := func(d time.Duration) func(Moment) Decision {
		return func(m Moment) Decision { return m.Claim(ClaimRequest{By: "a", TTL: d}) }
	}
	for want, decide := range map[string]func(Moment) Decision{
		"--as is missing":           claim(" ", false, ""),
		"want one line of text":     claim("a\nb", false, ""),
		"want at most 500":          claim(strings.Repeat("x", 501), false, ""),
		"--why is missing":          claim("a", true, ""),
		"--ttl 0s: want 1s to 744h": ttl(0),
		"--ttl 745h0m0s: want 1s":   ttl(745 * time.Hour),
		"--as is missing ":          deliver("", ""),
	} {
		err := o.do(decide)
		if !errors.Is(err, handoff.ErrInvalid) || errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, id := range []string{"", "x", "3f9a0c1d2e4b5a67", "3f9a0c1d2e4b5a67.1", "3f9a0c1d2e4b5a67.1.", "3f9a0c1d2e4b5a67.x.r", "../../../../etc/pa.1.r", "3F9A0C1D2E4B5A67.1.r"} {
		if _, _, err := ParseClaim(id); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("ParseClaim(%q): %v", id, err)
		}
	}
	if key, token, err := ParseClaim(claimID(doc, 7, "r.s")); err != nil || key != keyOf(doc) || token != 7 {
		t.Errorf("%s %d %v", key, token, err)
	}
}

// A handoff is replaced by somebody without a claim if nobody holds it and it is not finished;
// repeating that has no further effect.
func TestReplace(t *testing.T) {
	at := Moment{Now: time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)}
	apply := func(l *Life, d Decision) error {
		steps, err := d("a.md", l)
		for _, s := range steps {
			l.Apply(s)
		}
		return err
	}
	claim := at.Claim(ClaimRequest{By: "ann", TTL: time.Hour, ID: func() string { return "x" }})
	for name, c := range map[string]struct {
		before Decision
		want   bool
	}{"waiting": {nil, true}, "shown": {at.Deliver("bob", ""), true}, "held": {claim, false}, "done": {at.Finish("ann", ""), false}, "replaced": {at.Replace("bob", "c.md"), false}} {
		var l Life
		if c.before != nil {
			if err := apply(&l, c.before); err != nil {
				t.Fatal(err)
			}
		}
		n := len(l.Steps)
		for range 2 {
			if err := apply(&l, at.Replace("handoff new", "b.md")); (err == nil) != c.want || err != nil && !errors.Is(err, ErrRefused) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := len(l.Steps) - n; c.want && (got != 1 || l.State(at.Now) != Superseded || l.Last().Next != "b.md") || !c.want && got != 0 {
			t.Errorf("%s: %d steps, %s", name, got, l.State(at.Now))
		}
	}
}
