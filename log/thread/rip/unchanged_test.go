package rip

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func frame(stream, kind, more string, seq int) string {
	return fmt.Sprintf(`{"id":"%s-%d","session_id":"%[1]s","timestamp_ms":%[2]d,"seq":%[2]d,"type":"%s"%s}`+"\n", stream, seq, kind, more)
}

// streamOfFrames is a stream of that many frames; a name that begins with r is
// that of a run.
func streamOfFrames(name string, n int) (lines []string) {
	for seq := range n {
		switch {
		case name[0] == 'r' && seq == 0:
			lines = append(lines, frame(name, "session_started", `,"input":"x"`, seq))
		case name[0] == 'r':
			lines = append(lines, frame(name, "output_text_delta", `,"delta":"said \"é\""`, seq))
		case seq == 0:
			lines = append(lines, frame(name, "continuity_created", `,"workspace":"/w","title":null`, seq))
		default:
			lines = append(lines, frame(name, "continuity_tool_side_effects", `,"run_session_id":"r","tool_id":"t","tool_name":"write","affected_paths":null,"checkpoint_id":null,"actor_id":"u","origin":"o"`, seq))
		}
	}
	return lines
}

// TestImportInParts takes a store in as far as it goes at some moment, and then
// the whole: all is as if it had been taken in at once, whatever is in between.
func TestImportInParts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		left := map[string][]string{}
		for _, name := range []string{"a", "b", "r1", "r2"} {
			if n := rapid.IntRange(0, 12).Draw(rt, name); n > 0 {
				left[name] = streamOfFrames(name, n)
			}
		}
		var log []string
		for len(left) > 0 {
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(left))).Draw(rt, "next")
			log = append(log, left[name][0])
			if left[name] = left[name][1:]; len(left[name]) == 0 {
				delete(left, name)
			}
		}
		if len(log) > 0 && rapid.Bool().Draw(rt, "one is changed") {
			i := rapid.IntRange(0, len(log)-1).Draw(rt, "which")
			log[i] = rapid.SampledFrom([]string{"{\n", "\n", log[i] + log[i], strings.Replace(log[i], `"seq"`, `"sqe"`, 1)}).Draw(rt, "to")
		}
		place := newPlace(t)
		atOnce, inParts := newOurs(t), newOurs(t)
		write(t, place.events(), strings.Join(log[:rapid.IntRange(0, len(log)).Draw(rt, "first part")], ""))
		inParts.take(place)
		write(t, place.events(), strings.Join(log, ""))
		parts, once := inParts.take(place), atOnce.take(place)
		again := inParts.take(place)
		got, want := files(t, inParts.root), files(t, atOnce.root)
		for _, tree := range []map[string]string{got, want} {
			delete(tree, ".handoff/threads.jsonl") // it contains the time of the import
		}
		if !maps.Equal(got, want) {
			rt.Fatalf("\n got %q\nwant %q", got, want)
		}
		if fmt.Sprint(parts.Problems) != fmt.Sprint(once.Problems) || fmt.Sprint(again.Problems) != fmt.Sprint(once.Problems) || len(again.Streams) > 0 {
			rt.Fatalf("\n got %v\nagain %v, %v\nwant %v", parts.Problems, again.Problems, again.Streams, once.Problems)
		}
	})
}

// TestUnchangedIsNotRead imports a store again of which nothing is new: the cost
// of an event is that of comparing its bytes.
func TestUnchangedIsNotRead(t *testing.T) {
	const events = 4000
	place := newPlace(t)
	write(t, place.events(), strings.Join(append(streamOfFrames("a", events/2), streamOfFrames("r1", events/2)...), ""))
	o := newOurs(t)
	if r := o.take(place); len(r.Streams) != 2 {
		t.Fatalf("%+v", r)
	}
	if allocs := testing.AllocsPerRun(3, func() {
		if r := o.take(place); r.Same != 2 || len(r.Streams)+len(r.Problems) > 0 {
			t.Errorf("%+v", r)
		}
	}); allocs > events {
		t.Errorf("%.1f allocations an event", allocs/events)
	}
}
