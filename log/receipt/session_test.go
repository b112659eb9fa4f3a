package receipt

import (
	"errors"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
)

func once(s Session) func(Moment) Decision {
	return func(m Moment) Decision { return m.DeliverOnce(s) }
}

func again(s Session, lost time.Time) func(Moment) Decision {
	return func(m Moment) Decision { return m.DeliverAgain(s, "", lost) }
}

// TestDeliverOnce: from each state, a session gets the handoff if it waits.
func TestDeliverOnce(t *testing.T) {
	a, b := Session{"claude", "a"}, Session{"codex", "b"}
	for _, c := range []struct {
		name   string
		before func(o *scene)
		gets   bool
		state  State
	}{
		{"waiting", func(*scene) {}, true, Delivered},
		{"delivered to it", func(o *scene) { o.must(once(a)) }, false, Delivered},
		{"delivered to another", func(o *scene) { o.must(once(b)) }, false, Delivered},
		{"shown to somebody by name", func(o *scene) { o.must(func(m Moment) Decision { return m.Deliver("ann", "") }) }, false, Delivered},
		{"acknowledged", func(o *scene) { o.must(func(m Moment) Decision { return m.Acknowledge("ann", "", false) }) }, false, Acknowledged},
		{"claimed", func(o *scene) { o.claim("ann") }, false, Claimed},
		{"released", func(o *scene) { o.must(release(o.claim("ann"))) }, true, Delivered},
		{"released after a delivery", func(o *scene) { o.must(once(b)); o.must(release(o.claim("ann"))) }, true, Delivered},
		{"expired", func(o *scene) { o.claim("ann"); o.now = o.now.Add(time.Hour) }, true, Delivered},
		{"expired and delivered", func(o *scene) { o.claim("ann"); o.now = o.now.Add(time.Hour); o.must(once(b)) }, false, Delivered},
		{"done", func(o *scene) { o.must(finish(o.claim("ann"))) }, false, Done},
	} {
		o := &scene{t: t, now: noon}
		c.before(o)
		n := len(o.life.Steps)
		err := o.do(once(a))
		if got := err == nil; got != c.gets || !c.gets && (!errors.Is(err, ErrRefused) || len(o.life.Steps) != n) || o.life.State(o.now) != c.state {
			t.Errorf("%s: %v, %s; want %v, %s", c.name, err, o.life.State(o.now), c.gets, c.state)
		}
		if c.gets && (o.life.DeliveredTo(a) == nil || o.life.DeliveredTo(b) != nil || o.life.Last().By != "claude a") {
			t.Errorf("%s: %+v", c.name, o.life.Last())
		}
	}
}

// A lease recorded as expired by a delivery can still be renewed, unless the
// handoff was claimed since.
func TestRenewAfterDelivery(t *testing.T) {
	o := &scene{t: t, now: noon}
	id := o.claim("ann")
	o.now = o.now.Add(time.Hour)
	o.must(once(Session{"claude", "a"}))
	o.must(renew(id))
	if o.life.State(o.now) != Claimed {
		t.Error(o.life.State(o.now))
	}
}

func TestDeliverAgain(t *testing.T) {
	a, b := Session{"claude", "a"}, Session{"codex", "b"}
	o := &scene{t: t, now: noon}
	if err := o.do(again(a, noon)); !errors.Is(err, ErrRefused) {
		t.Errorf("before a delivery: %v", err)
	}
	o.must(once(a))
	o.claim("ann") // the session itself, by a name
	lost := noon.Add(time.Minute)
	o.now = lost.Add(time.Second)
	o.must(again(a, lost))
	if o.life.State(o.now) != Claimed {
		t.Errorf("state %s", o.life.State(o.now))
	}
	for _, s := range []Session{a, b, {"claude", ""}} {
		if err := o.do(again(s, lost)); !errors.Is(err, ErrRefused) {
			t.Errorf("%s a second time: %v", s, err)
		}
	}
	o.now = o.now.Add(time.Minute)
	o.must(again(a, o.now))
	o.must(finish(o.life.Claim.ID))
	if err := o.do(again(a, o.now.Add(time.Hour))); !errors.Is(err, ErrRefused) {
		t.Errorf("finished: %v", err)
	}
}

// The holder of a claim was shown the handoff in its prompt, not by a hook.
func TestDeliverAgainToHolder(t *testing.T) {
	o := &scene{t: t, now: noon}
	id, a := o.claim("claude"), Session{"claude", "a"}
	held := func(claim string) func(Moment) Decision {
		return func(m Moment) Decision { return m.DeliverAgain(a, claim, noon) }
	}
	o.must(held(id))
	if last := o.life.Last(); last.Claim != id || last.Token != 1 || o.life.State(o.now) != Claimed {
		t.Errorf("%+v", last)
	}
	for _, claim := range []string{id, "0123456789abcdef.1.r"} {
		if err := o.do(held(claim)); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", claim, err)
		}
	}
}

func TestClaimedIn(t *testing.T) {
	a := Session{"claude", "a"}
	o := &scene{t: t, now: noon}
	in := func(s Session, force bool) func(Moment) Decision {
		return func(m Moment) Decision {
			return m.Claim(ClaimRequest{By: "claude", TTL: time.Hour, ID: func() string { return "r" }, Force: force, Why: "x", Session: s})
		}
	}
	o.must(in(a, false))
	if !o.life.ClaimedIn(a) || o.life.ClaimedIn(Session{"codex", "a"}) || o.life.ClaimedIn(Session{}) {
		t.Errorf("%+v", o.life.Last())
	}
	o.must(in(Session{}, true))
	if o.life.ClaimedIn(a) || o.life.ClaimedIn(Session{}) {
		t.Errorf("after another claim: %+v", o.life.Last())
	}
	if err := o.do(in(Session{"claude", "a\nb"}, true)); !errors.Is(err, handoff.ErrInvalid) {
		t.Error(err)
	}
}

// Hosts choose the ids, so that one may hold anything.
func TestSessionOfAnyForm(t *testing.T) {
	for _, s := range []Session{{"", "a"}, {"claude", "a\nb"}, {"claude", strings.Repeat("x", 600)}, {"claude", "\x1b[2J"}} {
		o := &scene{t: t, now: noon}
		if err := o.do(once(s)); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", s, err)
		}
	}
	o := &scene{t: t, now: noon}
	o.must(once(Session{Host: "kiro"}))
	if o.life.DeliveredTo(Session{Host: "kiro"}) != nil {
		t.Error("two sessions without an id are not known to be one")
	}
}

// TestGiveBack: a session gives back what it was shown, if nothing else happened to the
// handoff since.
func TestGiveBack(t *testing.T) {
	a, b := Session{"claude", "a"}, Session{"codex", "b"}
	back := func(m Moment) Decision { return m.GiveBack(a, "its session ended") }
	for _, c := range []struct {
		name   string
		before func(o *scene)
		ok     bool
	}{
		{"delivered", func(o *scene) { o.must(once(a)) }, true},
		{"released before", func(o *scene) { o.must(release(o.claim("ann"))); o.must(once(a)) }, true},
		{"twice", func(o *scene) { o.must(once(a)); o.must(back) }, false},
		{"waiting", func(*scene) {}, false},
		{"delivered to another", func(o *scene) { o.must(once(b)) }, false},
		{"acknowledged", func(o *scene) {
			o.must(once(a))
			o.must(func(m Moment) Decision { return m.Acknowledge("ann", "", false) })
		}, false},
		{"acknowledged by itself", func(o *scene) {
			o.must(once(a))
			o.must(func(m Moment) Decision { return m.Acknowledge("claude", "", true) })
		}, true},
		{"claimed", func(o *scene) { o.must(once(a)); o.claim("ann") }, false},
	} {
		o := &scene{t: t, now: noon}
		c.before(o)
		before := o.life.State(o.now)
		err := o.do(back)
		if (err == nil) != c.ok || !c.ok && (!errors.Is(err, ErrRefused) || o.life.State(o.now) != before) {
			t.Errorf("%s: %v, %s", c.name, err, o.life.State(o.now))
		}
		if last := o.life.Last(); c.ok && (o.life.State(o.now) != Released || last.Session != "a" || last.Why != "its session ended") {
			t.Errorf("%s: %+v", c.name, last)
		}
		if c.ok {
			o.must(once(b))
		}
	}
}

// A claim whose lease ended before the showing can still be renewed when the handoff waits again.
func TestGiveBackKeepsClaim(t *testing.T) {
	o := &scene{t: t, now: noon}
	claim := o.claim("ann")
	o.now = o.now.Add(time.Hour)
	o.must(once(Session{"claude", "a"}))
	o.must(func(m Moment) Decision { return m.GiveBack(Session{"claude", "a"}, "its session ended") })
	if got := o.life.State(o.now); got != Expired {
		t.Errorf("%s, want expired", got)
	}
	o.must(func(m Moment) Decision { return m.Renew(claim, time.Hour) })
}

// TestLapse: whoever was shown a handoff loses it, unless something was recorded since.
func TestLapse(t *testing.T) {
	o := &scene{t: t, now: noon}
	lapse := func(at time.Time) func(Moment) Decision {
		return func(m Moment) Decision { return m.Lapse(at, "nothing was heard of it") }
	}
	o.must(func(m Moment) Decision { return m.Deliver("ann", "") })
	judged := o.life.Last().At
	o.now = o.now.Add(time.Minute)
	o.must(func(m Moment) Decision { return m.Acknowledge("bob", "", false) })
	if err := o.do(lapse(judged)); !errors.Is(err, ErrRefused) {
		t.Errorf("bob acknowledged it since: %v", err)
	}
	o.must(lapse(o.life.Last().At))
	if last := o.life.Last(); last.By != "bob" || o.life.State(o.now) != Released {
		t.Errorf("%+v", last)
	}
	if err := o.do(lapse(o.now)); !errors.Is(err, ErrRefused) {
		t.Errorf("twice: %v", err)
	}
}
