// Package enginetest has the tests that each engine must pass: [Run].
//
// It also has [Memory], an engine without a disk for tests of what uses one, whose
// appends can be made to fail in the ways in which a network fails.
package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"handoff/internal/testing/waittest"
	"handoff/log/engine"
)

// Supports is what an engine has of the contract, and how much of it a test can
// afford. What an engine does not support must fail with engine.ErrUnsupported.
type Supports struct {
	Batches bool // an append to several logs
	Blobs   bool

	// MaxRecord is the size of the largest record in bytes. A larger one must fail
	// with engine.ErrTooLarge. 0: no limit up to 3 MiB, the most that the tests try.
	MaxRecord int

	// Another opens the store of an engine again, as another process does. Nil if an
	// engine cannot be shared.
	Another func(t *testing.T, first engine.Engine) engine.Engine

	// Racers is the number of goroutines in tests of concurrency, 8 if it is 0;
	// Rounds is how often each of them appends, 20 if it is 0. An engine that needs
	// a second for an append has fewer.
	Racers, Rounds int
}

// Run runs all cases. Each call of open returns an engine for a new and empty store,
// which Run closes.
func Run(t *testing.T, open func(t *testing.T) engine.Engine, has Supports) {
	if has.Racers == 0 {
		has.Racers = 8
	}
	if has.Rounds == 0 {
		has.Rounds = 20
	}
	for _, group := range []struct {
		name  string
		cases []testCase
	}{{"Logs", logCases}, {"Reads", readCases}, {"Changes", changeCases}, {"Watch", watchCases}, {"Concurrency", raceCases}, {"Batches", batchCases(has)}, {"Blobs", blobCases(has)}, {"Claims", claimCases}} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					e := open(t)
					t.Cleanup(func() { e.Close() })
					c.run(&run{T: t, Engine: e, has: has, ctx: waittest.Context(t)})
				})
			}
		})
	}
}

type testCase struct {
	name string
	run  func(*run)
}

// run is one case with its store.
type run struct {
	*testing.T
	engine.Engine
	has    Supports
	ctx    context.Context
	opened []engine.Engine
}

// Name is in both of the embedded types.
func (r *run) Name() string { return r.Engine.Name() }

// handles returns n handles of the store: as many different ones as the engine can
// have, but at most 4, because each may be a connection.
func (r *run) handles(n int) []engine.Engine {
	for 1+len(r.opened) < min(n, 4) && r.has.Another != nil {
		e := r.has.Another(r.T, r.Engine)
		r.Cleanup(func() { e.Close() })
		r.opened = append(r.opened, e)
	}
	all := append([]engine.Engine{r.Engine}, r.opened...)
	for i := 0; len(all) < n; i++ {
		all = append(all, all[i])
	}
	return all[:n]
}

// must appends and ends the case if that fails. It uses engine.Append, because an
// engine may answer ErrUnknown at any time.
func (r *run) must(batches ...engine.Batch) {
	r.Helper()
	if err := engine.Append(r.ctx, r.Engine, waittest.Limit, batches...); err != nil {
		r.Fatalf("append %s: %v", describe(batches), err)
	}
}

func batch(log string, expected uint64, records ...string) engine.Batch {
	b := engine.Batch{Log: log, Expected: expected}
	for _, record := range records {
		b.Records = append(b.Records, []byte(record))
	}
	return b
}

func describe(batches []engine.Batch) string {
	var s bytes.Buffer
	for _, b := range batches {
		fmt.Fprintf(&s, "[%s at %d, %d records]", b.Log, b.Expected, len(b.Records))
	}
	return s.String()
}

// holds ends the case unless a log has exactly these records.
func (r *run) holds(e engine.Logs, log string, want ...string) {
	r.Helper()
	got := r.read(e, log, 0)
	if len(got) != len(want) {
		r.Fatalf("%s has %d records, want %d", log, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			r.Fatalf("%s: record %d is %.80q (%d bytes), want %.80q (%d bytes)", log, i, got[i], len(got[i]), want[i], len(want[i]))
		}
	}
	if n, err := e.Len(r.ctx, log); err != nil || n != uint64(len(want)) {
		r.Fatalf("Len(%s) = %d, %v, want %d", log, n, err, len(want))
	}
}

// read returns the records of a log and checks their numbers.
func (r *run) read(e engine.Logs, log string, from uint64) (all []string) {
	r.Helper()
	for record, err := range e.Read(r.ctx, log, from) {
		if err != nil {
			r.Fatalf("read %s from %d: %v", log, from, err)
		}
		if want := from + uint64(len(all)); record.Number != want {
			r.Fatalf("read %s: record %d has the number %d", log, want, record.Number)
		}
		all = append(all, string(record.Data))
	}
	return all
}
