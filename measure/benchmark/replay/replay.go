// Package replay measures on recorded sessions how much of what an agent used next
// several texts would have carried over to a successor: a draft of a handoff, the last
// message, the raw end of the conversation, and the host's own summary.
//
// It cuts a session at a call of a tool, and looks at the next calls. What counts are the
// files, commands and names in them that the session had seen before the cut: a successor
// that does not know them must find them again. It knows no disk and runs no model.
package replay

import (
	"bytes"
	"errors"
	"fmt"

	"handoff/agents/transcript"
	"handoff/agents/transcript/facts"
	"handoff/measure/benchmark"
)

// Windows are the numbers of calls after a cut that are examined.
var Windows = [2]int{20, 50}

// Every is how many calls there are between two cuts, where the host did not compact.
const Every = 25

// ErrFormat reports a transcript of an unknown format.
var ErrFormat = errors.New("not a transcript that handoff knows")

// class is what the next calls use.
type class int

const (
	files class = iota
	commands
	names
	rereads
	numClasses
)

// headings of the classes, in a table.
var headings = [numClasses]string{"files", "commands", "names", "read again"}

// The texts that are compared.
const (
	draft = iota
	draftAll
	lastMessage
	rawTail
	hostSummary
	longTail
	numCarriers
)

var carriers = [numCarriers]string{"draft", "draft --all", "last message", "raw tail, as long as draft", "host's own summary", "raw tail, as long as that"}

// count is how much of the needed information a text had.
type count struct{ held, needed int }

// sums are the results over all cuts of one kind.
type sums struct {
	cuts  int
	bytes [numCarriers]int
	used  [numCarriers][len(Windows)][numClasses]count
}

// Replay adds up sessions.
type Replay struct {
	Draft func(f *facts.Facts, all bool) string // the draft of a handoff: short, or with everything

	sessions    int
	even        sums // at every so many calls
	compactions sums // where the host compacted the context, and its summary is recorded
}

// Add measures one session. It leaves out one whose texts were removed, or that is shorter
// than two cuts.
func (r *Replay) Add(src []byte) error {
	s, ok := read(src)
	if !ok {
		return ErrFormat
	}
	r.sessions++
	known := termsOf("", s.dir)
	ran, reads := map[string]bool{}, map[string]bool{}
	calls, all := 0, s.calls()
	for i, st := range s.steps {
		summary, compacted := s.summary[i]
		if compacted {
			r.cut(s, i, known, ran, reads, summary, &r.compactions)
		}
		// Before a call: what that uses is needed.
		if due := (calls + len(st.calls)) / Every; len(st.calls) > 0 && due > calls/Every && calls > 0 && all-calls >= Windows[0] && !compacted {
			r.cut(s, i, known, ran, reads, "", &r.even)
		}
		calls += len(st.calls)
		known.add(termsOf(st.seen, s.dir))
		known.add(termsOf(st.asked, s.dir))
		for _, c := range st.calls {
			note(c, s.dir, ran, reads)
		}
	}
	return nil
}

// note records what a call ran and read.
func note(c transcript.Tool, dir string, ran, reads map[string]bool) {
	if c.Command != "" {
		ran[blanks(c.Command)] = true
	}
	if p := fileOf(c, dir); p != "" && !c.Writes {
		reads[p] = true
	}
}

func fileOf(c transcript.Tool, dir string) string {
	if c.File == "" {
		return ""
	}
	return file(c.File, dir)
}

// cut compares the texts at a cut before a step.
func (r *Replay) cut(s *session, at int, known terms, ran, reads map[string]bool, summary string, sum *sums) {
	var needed [len(Windows)]need
	for w, size := range Windows {
		needed[w] = needs(s, at, size, known, ran, reads)
	}
	if needed[len(Windows)-1].total() == 0 {
		return // its texts were removed, or nothing was used again
	}
	var c facts.Collector
	if c.Read(bytes.NewReader(s.src[:s.steps[at-1].end]), s.format) != nil {
		return
	}
	f := c.Facts()
	texts := [numCarriers]string{draft: r.Draft(f, false), draftAll: r.Draft(f, true), lastMessage: s.lastMessage(at), hostSummary: summary}
	texts[rawTail], texts[longTail] = s.tail(at, len(texts[draft])), s.tail(at, len(summary))
	sum.cuts++
	for carrier, text := range texts {
		sum.bytes[carrier] += len(text)
		has := termsOf(text, s.dir)
		for w := range Windows {
			needed[w].add(has, &sum.used[carrier][w])
		}
	}
}

// Suite is the result of all sessions.
func (r *Replay) Suite() benchmark.Suite {
	s := benchmark.Suite{Name: "replay", About: "what recorded sessions used in their next calls and had seen before, and which texts would have carried it",
		Tables: []benchmark.Table{}, Limits: []string{
			"A recorded agent had its context, so it used what it knew. A successor may solve the task in another way, and need less.",
			"That a text names a file does not say that a model uses it. Nothing here runs a model.",
			"The draft is what `handoff draft` makes of the transcript alone. What a person or an agent decides to write down is not measured.",
			"Names are identifiers of at least 8 characters with an underscore, a digit or an inner capital, and numbers of at least 4 digits. A command counts if the same one was run before.",
			"Files that are read again are counted in what happened: the recorded session read them in the window and had read them before the cut. The share is that of those which the text names.",
		}}
	s.Tables = append(s.Tables, r.even.tables(fmt.Sprintf("cuts at every %dth call", Every), rawTail+1)...)
	s.Tables = append(s.Tables, r.compactions.tables("cuts where the host compacted the context", numCarriers)...)
	if len(s.Tables) == 0 {
		s.Skipped = "no session has enough calls that use what was seen before"
	}
	return s
}

// tables are a table for each window.
func (s *sums) tables(cut string, rows int) (list []benchmark.Table) {
	for w, size := range Windows {
		t := benchmark.Table{Title: fmt.Sprintf("%s (%d): what the next %d calls used", cut, s.cuts, size), Columns: append([]string{"bytes"}, headings[:]...)}
		for carrier := range rows {
			row := benchmark.Row{Name: carriers[carrier], Cells: []benchmark.Cell{benchmark.Number(s.bytes[carrier] / max(1, s.cuts))}}
			for _, c := range s.used[carrier][w] {
				row.Cells = append(row.Cells, benchmark.Share(c.held, c.needed))
			}
			t.Rows = append(t.Rows, row)
		}
		if s.cuts > 0 {
			list = append(list, t)
		}
	}
	return list
}
