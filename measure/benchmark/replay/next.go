package replay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/agents/transcript/facts"
	"handoff/measure/benchmark"
)

// Ahead are the calls after a cut whose bits are measured: the first, the fifth, the twentieth.
var Ahead = [3]int{1, 5, 20}

// Step is how many calls there are between two cuts of Next, Size how many bytes each text has at most,
// and maxCall those of a recorded call.
const (
	Step    = 6
	Size    = 1000
	maxCall = 200
)

// The texts that Next compares.
const (
	nextDraft = iota
	nextBrief
	nextMessage
	nextTail
	nextSummary
	nextOther
	numNext
)

var nextNames = [numNext]string{"draft", "brief of the draft", "last message", "raw tail", "host's own summary", "another session's draft"}

// Next measures how much a text tells a language model about what the recorded agent called next: in
// bits, fewer if the text makes the call likelier.
type Next struct {
	Draft func(f *facts.Facts, all bool) string // the draft of a handoff
	Brief func(draft string) string             // what a successor is told of it
	// Bits is how many bits a model needs for each of the calls, after a text.
	Bits func(text string, calls []string) ([]float64, error)
	Seed uint64
	// Every is of how many cuts one is asked for, in their order: a model takes seconds for each. 0 is for all.
	Every int

	sessions [][]nextCut
}

// nextCut is a place in a session: what a successor could be told there, and what was called then. Its
// host's summary is "" where the context was never compacted.
type nextCut struct {
	texts [numNext]string
	calls []string
}

// Add takes the cuts of a session. A format that is not known is ErrFormat.
func (n *Next) Add(src []byte) error {
	s, ok := read(src)
	if !ok {
		return ErrFormat
	}
	var cuts []nextCut
	calls, all, summary := 0, s.calls(), ""
	for i, st := range s.steps {
		if text, ok := s.summary[i]; ok {
			summary = text
		}
		due := (calls+len(st.calls))/Step > calls/Step
		if len(st.calls) > 0 && due && calls >= Step && all-calls >= Ahead[len(Ahead)-1] {
			if cut, ok := n.at(s, i, summary); ok {
				cuts = append(cuts, cut)
			}
		}
		calls += len(st.calls)
	}
	if len(cuts) > 0 {
		n.sessions = append(n.sessions, cuts)
	}
	return nil
}

// at is the cut before a step; ok is false if its call cannot be told from others.
func (n *Next) at(s *session, step int, summary string) (cut nextCut, ok bool) {
	var c facts.Collector
	if c.Read(bytes.NewReader(s.src[:s.steps[step-1].end]), s.format) != nil {
		return cut, false
	}
	draft := n.Draft(c.Facts(), false)
	cut.texts = [numNext]string{nextDraft: head(draft), nextBrief: head(n.Brief(draft)), nextMessage: head(s.lastMessage(step)),
		nextTail: s.tail(step, Size), nextSummary: head(summary)}
	following := s.following(step, Ahead[len(Ahead)-1])
	for _, ahead := range Ahead {
		cut.calls = append(cut.calls, following[ahead-1])
	}
	return cut, !slices.Contains(cut.calls, "")
}

// following are the next calls from a step on, in a line each: the tool, and what it is asked.
func (s *session) following(step, size int) (list []string) {
	for _, st := range s.steps[step:] {
		for _, c := range st.calls {
			what := blanks(c.Command)
			if what == "" {
				what = fileOf(c, s.dir)
			}
			if what == "" && len(st.calls) == 1 {
				what = blanks(st.asked)
			}
			line := ""
			if what != "" {
				line = clip(c.Name+" "+what, maxCall)
			}
			if list = append(list, line); len(list) == size {
				return list
			}
		}
	}
	return list
}

func head(text string) string { return clip(text, Size) }

// clip ends a text within so many bytes, with a whole letter.
func clip(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// saved are the bits that each text saves at a cut, for each call, beside no text; whether there was a text.
type saved struct {
	nothing [len(Ahead)]float64
	by      [numNext][len(Ahead)]float64
	has     [numNext]bool
}

// Suite asks the model. It needs two sessions, for the control.
func (n *Next) Suite() (benchmark.Suite, error) {
	s := benchmark.Suite{Name: "next", About: "how many bits a small language model needs for the call that the recorded agent made next, after several texts of equal size",
		Tables: []benchmark.Table{}, Limits: []string{
			"A small model that expects a call is not an agent that solves a task: the figures compare texts, not successors.",
			"The recorded agent had its context, and did what this suggested; a successor may do something else that is as good.",
			"The intervals are of cuts that are drawn again, in pairs. Cuts of one session are not independent, so they are too narrow.",
			"A call is the tool with its command or file, in one line of at most 200 bytes. What an edit changes is not in it.",
		}}
	if len(n.sessions) < 2 {
		s.Skipped = "it needs two sessions that are long enough: one is the control of the other"
		return s, nil
	}
	var all, compacted []saved
	index := 0
	for i, cuts := range n.sessions {
		other := n.sessions[(i+1)%len(n.sessions)]
		for k, cut := range cuts {
			if index++; (index-1)%max(n.Every, 1) != 0 {
				continue
			}
			cut.texts[nextOther] = other[k*len(other)/len(cuts)].texts[nextDraft]
			one, err := n.measure(cut)
			if err != nil {
				return s, err
			}
			all = append(all, one)
			if one.has[nextSummary] {
				compacted = append(compacted, one)
			}
		}
	}
	s.Tables = append(s.Tables, n.table(fmt.Sprintf("bits saved beside no text, a call: %d cuts of %d sessions, %d bytes, with intervals of 95 %%", len(all), len(n.sessions), Size), all, false))
	if len(compacted) > 0 {
		s.Tables = append(s.Tables, n.table(fmt.Sprintf("the same after a compaction: %d cuts", len(compacted)), compacted, true))
	}
	return s, nil
}

// measure asks for the calls behind each text of a cut. The texts of one kind are followed by the same words, so
// that the calls do not depend on how a text ends.
func (n *Next) measure(cut nextCut) (one saved, err error) {
	ask := func(text string) (bits [len(Ahead)]float64, err error) {
		list, err := n.Bits(strings.TrimSpace(text+"\n\nThe agent's next call of a tool:")+"\n", cut.calls)
		if err == nil && len(list) != len(bits) {
			err = fmt.Errorf("%d answers to %d calls", len(list), len(bits))
		}
		copy(bits[:], list)
		return bits, err
	}
	if one.nothing, err = ask(""); err != nil {
		return one, err
	}
	for i, text := range cut.texts {
		if one.has[i] = text != ""; !one.has[i] {
			continue // says nothing, and saves nothing
		}
		bits, err := ask(text)
		if err != nil {
			return one, err
		}
		for a := range bits {
			one.by[i][a] = one.nothing[a] - bits[a]
		}
	}
	return one, nil
}

// table has a row for each text, and what the draft saves more than the raw tail.
func (n *Next) table(title string, list []saved, withSummary bool) benchmark.Table {
	t := benchmark.Table{Title: title}
	for _, ahead := range Ahead {
		t.Columns = append(t.Columns, fmt.Sprintf("%d ahead", ahead), "from", "to")
	}
	row := func(name string, of func(s saved, ahead int) float64) {
		r := benchmark.Row{Name: name}
		for a := range Ahead {
			mean, low, high := interval(list, n.Seed, func(s saved) float64 { return of(s, a) })
			r.Cells = append(r.Cells, benchmark.Number(mean), benchmark.Number(low), benchmark.Number(high))
		}
		t.Rows = append(t.Rows, r)
	}
	row("no text: the bits of the call", func(s saved, a int) float64 { return s.nothing[a] })
	for i, name := range nextNames {
		if i != nextSummary || withSummary {
			row(name, func(s saved, a int) float64 { return s.by[i][a] })
		}
	}
	row("draft, more than raw tail", func(s saved, a int) float64 { return s.by[nextDraft][a] - s.by[nextTail][a] })
	row("draft, more than another's", func(s saved, a int) float64 { return s.by[nextDraft][a] - s.by[nextOther][a] })
	return t
}

// draws is how often cuts are drawn for an interval.
const draws = 2000

// interval is the mean of a figure and its interval of 95 %, by drawing as many cuts again.
func interval(list []saved, seed uint64, of func(saved) float64) (mean, low, high int) {
	values := make([]float64, len(list))
	for i, s := range list {
		values[i] = of(s)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, draws)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[random.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return round(sum / float64(len(values))), round(means[draws/40]), round(means[draws-1-draws/40])
}

func round(v float64) int {
	if v < 0 {
		return -round(-v)
	}
	return int(v + 0.5)
}
