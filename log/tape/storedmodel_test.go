package tape

import (
	"errors"
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"

	"handoff/log/engine/enginetest"
)

// TestModelInStore is TestModel for the tapes of a store on two machines, each of which
// carries out half of the operations. HANDOFF_MODEL=full tries 100, as TestModel then does.
func TestModelInStore(t *testing.T) {
	if os.Getenv("HANDOFF_MODEL") != "full" {
		checks := flag.Lookup("rapid.checks")
		defer checks.Value.Set(checks.Value.String())
		checks.Value.Set("4")
	}
	rapid.Check(t, func(rt *rapid.T) {
		store := &enginetest.Memory{}
		m := &machine{model: map[string]*modelTape{}}
		for range 2 {
			m.both = append(m.both, openCopy(t, store, t.TempDir()))
			defer m.both[len(m.both)-1].Close()
		}
		m.w = m.both[0]
		if err := m.w.tape(Main).Ensure(ctx); err != nil {
			rt.Fatal(err)
		}
		m.model[Main] = &modelTape{entries: []string{"@session/start"}, own: 1}
		on := func(action func(*rapid.T)) func(*rapid.T) {
			return func(rt *rapid.T) {
				m.w = rapid.SampledFrom(m.both).Draw(rt, "machine")
				synced(t, m.w) // as at the start of each command
				action(rt)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"append": on(m.append), "append more": on(m.append), "handoff": on(m.handoff), "fork": on(m.fork), "merge": on(m.merge),
			"discard": on(m.discard), "reset": on(m.reset), "": m.check,
		})
		sameCopies(t, store, m.both...)
	})
}

// refused reports whether a reset must be refused: the entries of a store are never
// destroyed.
func (m *machine) refused(r ResetRequest, err error) bool {
	return m.w.engine != nil && r.NoArchive && errors.Is(err, ErrCopy)
}
