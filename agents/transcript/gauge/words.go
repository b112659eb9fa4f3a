package gauge

import (
	"fmt"
	"strings"

	"handoff/internal/text/inert"
	"handoff/internal/text/say"
)

// command saves a handoff.
const command = "`handoff new`"

// Text is the note in words: the number, the pace, one command, and that work
// can continue. Agents that read of a limit alone hurry or stop.
func (r Reading) Text(kind Kind) string {
	return r.Reason(kind) + " Saving a handoff takes one call: " + command + ". Work can continue after it."
}

// Reason is the first sentence of the note: the number and the pace.
func (r Reading) Reason(kind Kind) (why string) {
	switch kind {
	case Mark:
		why = r.remaining()
	case Compacted:
		why = fmt.Sprintf("This session has been compacted %d times, and each summary keeps less.", r.Compactions)
	case Repeated:
		why = fmt.Sprintf("%s was read %d times without a change, which is a sign of a full context.", inert.Name(r.Repeated[0].File, "One file"), r.Repeated[0].Times)
	case Done:
		why = fmt.Sprintf("%d of %d objectives are done, which is a good moment for a handoff.", r.Done, r.Objectives)
	}
	return why
}

// remaining is the rounded rest, with the pace.
func (r Reading) remaining() string {
	if r.Left == 0 {
		return "This session may be compacted with the next call."
	}
	text := "About " + say.Number(rounded(r.Left)) + " tokens"
	if r.CallsLeft >= 0 {
		text += fmt.Sprintf(" (%s at this pace)", calls(r.CallsLeft))
	}
	return text + " until this session is compacted."
}

func calls(n int) string {
	switch {
	case n == 0:
		return "less than one call"
	case n == 1:
		return "1 call"
	case n > 99:
		return "more than 99 calls"
	}
	return fmt.Sprintf("%d calls", n)
}

// rounded keeps two digits, because the estimate is no better.
func rounded(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// Short is the reading for a status line: "31k left, 6 calls".
func (r Reading) Short() string {
	if r.Limit == 0 || r.Used == 0 {
		return ""
	}
	parts := []string{say.Kilo(rounded(r.Left)) + " to compaction"}
	if r.CallsLeft >= 0 {
		parts = append(parts, calls(r.CallsLeft))
	}
	if r.Compactions > 0 {
		parts = append(parts, fmt.Sprintf("compacted %dx", r.Compactions))
	}
	switch {
	case r.Saved:
		parts = append(parts, "handoff saved")
	case r.Mark > 0:
		parts = append(parts, "handoff new")
	}
	return strings.Join(parts, ", ")
}
