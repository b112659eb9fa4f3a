package continuity

import (
	"fmt"
	"math"
	"strings"
	"time"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/measure/benchmark"
	"handoff/parse"
	"handoff/templates"
)

// telling is a way to describe a case to a successor.
type telling struct {
	name string
	text func(Case) (string, error)
}

// told is a description in the dataset.
func told(context string) func(Case) (string, error) {
	return func(c Case) (string, error) { return c.Contexts[context], nil }
}

var tellings = []telling{
	{"the dataset's transcript", told("transcript")},
	{"the dataset's compressed memory", told("memory")},
	{"the dataset's structured handoff", told("handoff")},
	{"the same as our document", document},
	{"handoff brief --level 1", func(c Case) (string, error) { return briefOf(c, brief.Start) }},
	{"handoff brief --level 2", func(c Case) (string, error) { return briefOf(c, brief.Stuck) }},
}

// Measure is a table of how far each telling leads to the answers.
func Measure() (benchmark.Table, error) {
	s, err := Load()
	t := benchmark.Table{Title: fmt.Sprintf("%s %s, %d cases: points for the statements that a text has the words of", s.Name, s.Version, len(s.Cases)), Columns: []string{"points", "bytes"}}
	if err != nil {
		return t, err
	}
	most := 0
	for _, worth := range s.Rubric {
		most += worth * len(s.Cases)
	}
	for _, telling := range tellings {
		points, bytes := 0.0, 0
		for _, c := range s.Cases {
			text, err := telling.text(c)
			if err != nil {
				return t, fmt.Errorf("%s: %w", c.ID, err)
			}
			points += s.Points(c, text)
			bytes += len(text)
		}
		t.Rows = append(t.Rows, benchmark.Row{Name: telling.name, Cells: []benchmark.Cell{benchmark.Share(int(math.Round(points)), most), benchmark.Number(bytes / len(s.Cases))}})
	}
	return t, nil
}

// document is the structured handoff of a case in our form.
func document(c Case) (string, error) {
	p := c.Parts()
	v := templates.Values{
		Task: 1, Phase: 1, Time: time.Date(2026, 8, 4, 12, 0, 0, 0, time.UTC), NextAction: strings.Join(p["NEXT ACTION"], " "),
		State:     templates.State{Location: strings.Join(p["CURRENT STATE"], " "), Goal: strings.Join(p["OBJECTIVE"], " ")},
		Decisions: p["DECISION"], Context: append(append(p["CONSTRAINTS"], prefixed("Owner: ", p["OWNER"])...), prefixed("Open: ", p["OPEN QUESTION"])...), References: p["EVIDENCE"],
	}
	text, err := templates.Render(v, "", false)
	return string(text), err
}

func prefixed(prefix string, items []string) (list []string) {
	for _, i := range items {
		list = append(list, prefix+i)
	}
	return list
}

func briefOf(c Case, level brief.Level) (string, error) {
	text, err := document(c)
	if err != nil {
		return "", err
	}
	return brief.Make(brief.Source{Doc: parse.Document([]byte(text)), Name: handoff.Name{Dir: "specs/1_case", Task: 1}, Path: "specs/1_case/handoffs/phase-1-handoff-20260804T120000Z.md"}, level, 9000)
}
