package thread

import (
	"bytes"
	"os"
	"reflect"
	"testing"
)

// The facts that an append passes to the journal are those of the line.
func TestFactsOfEvents(t *testing.T) {
	src, err := os.ReadFile("frame/testdata/frames.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(src) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		e, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := linesOf(e.Kind(), []Event{e})
		if err != nil {
			t.Fatal(err)
		}
		facts, err := format(e.Kind(), e.StreamID).Read(line)
		if err != nil || !reflect.DeepEqual(facts, *lines[0].Facts) {
			t.Errorf("the line has the facts %+v, %v; the event %+v: %s", facts, err, *lines[0].Facts, line)
		}
	}
}
