package agents_test

import (
	"reflect"
	"testing"

	"handoff/agents"
)

// TestKeeping: the short way to read where transcripts are gives what the whole table has.
func TestKeeping(t *testing.T) {
	short := map[string]agents.Transcripts{}
	for _, a := range agents.Keeping() {
		short[a.Name] = a.Transcripts
	}
	if len(short) < 5 {
		t.Errorf("%d agents keep transcripts", len(short))
	}
	for _, name := range agents.Names() {
		a, err := agents.Builtin(name)
		if err != nil || !reflect.DeepEqual(a.Transcripts, short[name]) {
			t.Errorf("%s: %+v, want %+v (%v)", name, short[name], a.Transcripts, err)
		}
	}
}

func BenchmarkKeeping(b *testing.B) {
	for b.Loop() {
		agents.Keeping()
	}
}
