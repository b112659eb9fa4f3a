package own

import (
	"time"

	"handoff/document/handoff"
	"handoff/log/bundle"
	"handoff/parse"
	"handoff/workspace/reconcile"
)

type named struct {
	Path string `json:"path"`
}

type name struct {
	Class string  `json:"class"`
	Task  int     `json:"task"`
	Slug  string  `json:"slug"`
	Phase string  `json:"phase"`
	Time  *string `json:"time"` // as precise as the name
}

// classes are the words of the specification for the forms of names.
var classes = map[handoff.Class]string{
	handoff.Canonical: "canonical", handoff.NoZone: "no-zone", handoff.Digits: "digits", handoff.Dashed: "dashed", handoff.Minutes: "minutes", handoff.Epoch: "epoch",
	handoff.DateOnly: "date-only", handoff.Suffixed: "suffixed", handoff.Worded: "worded", handoff.PhaseLess: "phase-less", handoff.Timeless: "timeless",
	handoff.Ordinal: "ordinal", handoff.Foreign: "foreign",
}

func (*Own) readName(in named) (any, error) {
	n := handoff.ParseName(in.Path)
	out := name{Class: classes[n.Class], Task: n.Task, Slug: n.Slug, Phase: n.PhaseText}
	if m, ok := n.Moment(); ok {
		text := m.String()
		out.Time = &text
	}
	return out, nil
}

func (*Own) writeName(in struct {
	Phase int       `json:"phase"`
	Time  time.Time `json:"time"`
}) (any, error) {
	if in.Phase < 1 || in.Phase > handoff.MaxPhase {
		return refused, nil
	}
	return struct {
		Name string `json:"name"`
	}{handoff.BaseFor(in.Phase, in.Time)}, nil
}

type text struct {
	Text string `json:"text"`
}

type section struct {
	Section string   `json:"section"` // name in the template, "other"
	Heading string   `json:"heading"`
	Lines   [2]int   `json:"lines"`
	Items   []string `json:"items"`
	Labels  []label  `json:"labels"`
}

type label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type document struct {
	Title      string    `json:"title"`
	Sections   []section `json:"sections"`
	NextAction string    `json:"next_action"`
	Completion bool      `json:"completion"`
	Problems   []int     `json:"problems"` // their lines
}

func (*Own) readDocument(in text) (any, error) {
	d := parse.Document([]byte(in.Text))
	out := document{Title: d.Title.Text, Completion: d.ClaimsCompletion(), Sections: []section{}, Problems: []int{}}
	for i := range d.Sections {
		out.Sections = append(out.Sections, sectionOf(&d.Sections[i]))
	}
	if step, ok := d.NextStep(); ok {
		out.NextAction = step.Text
	}
	for _, p := range d.Problems {
		out.Problems = append(out.Problems, p.Line)
	}
	return out, nil
}

func sectionOf(s *handoff.Section) section {
	out := section{Section: s.Kind.String(), Heading: s.Heading.Text, Lines: [2]int{s.Lines.First, s.Lines.Last}, Items: []string{}, Labels: []label{}}
	for item := range s.Top {
		out.Items = append(out.Items, item.Text)
	}
	for _, l := range s.Labels {
		out.Labels = append(out.Labels, label{l.Name, l.Value})
	}
	return out
}

func (*Own) writeBundle(in struct {
	Path string `json:"path"`
	Text string `json:"text"`
}) (any, error) {
	b := reconcile.Bundle(reconcile.Document{Path: in.Path, Name: handoff.ParseName(in.Path), Doc: parse.Document([]byte(in.Text))})
	return struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}{b.ID().String(), string(b.Bytes())}, nil
}

func (*Own) readBundle(in text) (any, error) {
	schema, err := bundle.Check([]byte(in.Text))
	if err != nil {
		return refused, nil
	}
	return struct {
		Schema string `json:"schema"`
	}{schema}, nil
}
