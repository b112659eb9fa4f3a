//go:build unix

package histories

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"time"
)

const (
	presented = "context_exhaustion_handoff" // the stage of a task whose handoff waits
	nameTime  = "20060102T150405Z"
)

// documentName is the path of a handoff below its task.
func documentName(phase int, at time.Time) string {
	return fmt.Sprintf("handoffs/phase-%d-handoff-%s.md", phase, at.UTC().Format(nameTime))
}

// sections of a handoff as the schema describes it, in pieces as a slow writer appends
// them. n makes the text unique.
func sections(phase int, at time.Time, n int) []string {
	return []string{
		fmt.Sprintf("# Phase %d Handoff - %s\n\n## Immediate Next Action\nAdd case %d to `parseItems` in src/parse.go and run `go test ./src`.\n", phase, at.UTC().Format(nameTime), n),
		fmt.Sprintf("\n## Current State\n- **File**: /srv/project/src/parse.go\n- **Location**: Line %d, after `parseHead`\n- **Goal state**: `TestParse/%d` passes\n", 40+n%50, n),
		fmt.Sprintf("\n## Key Decisions Made\n1. Keep one pass over input %d: A second pass doubles the time\n", n),
		"\n## What NOT to Try\n1. A regular expression: It cannot count brackets\n",
		fmt.Sprintf("\n## Critical Context (max 5 items)\n- Items of kind %d may be nested\n", n),
		"\n## References (read only if stuck)\n- Related file: README.md\n",
	}
}

func document(phase int, at time.Time, n int) string {
	return strings.Join(sections(phase, at, n), "")
}

// member is a member of a JSON object, in the order in which an agent writes it.
type member struct {
	name  string
	value any // object for an object in this order
}

type object []member

// set returns the object with a member replaced or added.
func (o object) set(name string, value any) object {
	out := append(object{}, o...)
	for i := range out {
		if out[i].name == name {
			out[i].value = value
			return out
		}
	}
	return append(out, member{name, value})
}

func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s%q:%s", map[bool]string{true: ",", false: ""}[i > 0], m.name, value)
	}
	return []byte("{" + b.String() + "}"), nil
}

// text prints the object in one of the styles that agents use.
func (o object) text(r *rand.Rand) string {
	indent := []string{"  ", "  ", "    ", "\t", ""}[r.IntN(5)]
	src, err := json.Marshal(o)
	if indent != "" {
		src, err = json.MarshalIndent(o, "", indent)
	}
	if err != nil {
		panic(err)
	}
	return string(src) + []string{"\n", "\n", ""}[r.IntN(3)]
}

// own are members that an agent writes for itself, which nobody else may change.
func own(r *rand.Rand, n int) (o object) {
	all := object{
		{"session_id", fmt.Sprintf("sess_%d", n)},
		{"confidence", json.RawMessage("0.50")},
		{"delegation_path", []string{"lead", "implement"}},
		{"notes", "Größe ≤ 3 ✓ <b>&</b>"},
		{"limits", object{{"tokens", json.RawMessage("1e5")}, {"n", n}}},
		{"next_steps", "Continue with the parser."},
	}
	for _, i := range r.Perm(len(all))[:1+r.IntN(3)] {
		o = append(o, all[i])
	}
	return o
}

// output is what the schema has an agent record for a handoff.
func output(document string) object {
	return object{{"type", "handoff"}, {"path", document}, {"summary", "Context exhaustion handoff: " + path.Base(document)}}
}

// working is the metadata of an agent that has begun a phase. at is zero for agents
// that write no times.
func working(r *rand.Rand, n, phase int, at time.Time) object {
	stage := fmt.Sprintf("phase_%d_in_progress", phase)
	if r.IntN(4) == 0 {
		stage = "initializing"
	}
	o := object{{"status", "in_progress"}}
	if !at.IsZero() {
		o = append(o, member{"started_at", at.UTC().Format(time.RFC3339)})
	}
	o = append(o, own(r, n)...)
	progress := object{{"stage", stage}, {"details", fmt.Sprintf("Working on phase %d, step %d.", phase, n)}}
	if r.IntN(2) == 0 {
		progress = append(progress, member{"phases_completed", phase - 1}, member{"phases_total", 9})
	}
	o = append(o, member{"partial_progress", progress})
	if r.IntN(2) == 0 {
		o = append(o, member{"artifacts", []any{}})
	}
	return o
}

// handingOff is the metadata that the schema has an agent write for its handoff.
func handingOff(r *rand.Rand, n, phase int, document string) object {
	o := append(object{{"status", "partial"}}, own(r, n)...)
	if r.IntN(2) == 0 {
		o = append(o, member{"artifacts", []any{output(document)}})
	}
	return append(o, member{"partial_progress", object{{"stage", presented}, {"details", fmt.Sprintf("Approaching the context limit in step %d.", n)},
		{"handoff_path", document}, {"phases_completed", phase - 1}, {"phases_total", 9}}})
}

// finished is the metadata of an agent that is done, or that cannot continue.
func finished(r *rand.Rand, n int, status string) object {
	o := append(object{{"status", status}, {"summary", fmt.Sprintf("Done in step %d.", n)}}, own(r, n)...)
	return append(o, member{"artifacts", []any{object{{"type", "implementation"}, {"path", "src/parse.go"}, {"summary", "the parser"}}}})
}
