// Package continuity reads the cases of a public benchmark, and measures how much of the
// answers to a case several texts have.
//
// The benchmark asks a model to choose the statements that a text supports. Here no model
// runs: a statement is chosen by the share of its words that the text has. So the points
// compare texts with each other, and not with what models reached.
package continuity

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"handoff/internal/text/prose"
)

// See ATTRIBUTION.md: the cases are not ours, and have their own licence.
//
//go:embed cases.json
var cases []byte

// Set is the cases with their rubric.
type Set struct {
	Name, Version string
	Rubric        map[string]int // points for each field of the answer
	Cases         []Case
}

// Case is an interrupted task, described to a successor in several ways.
type Case struct {
	ID         string
	Candidates map[string][]Statement // by field
	Expected   map[string]Answer
	Contexts   map[string]string // the way: transcript, memory, handoff
}

// Statement is one that may be part of the answer.
type Statement struct{ ID, Text string }

// Answer is the ids of the right statements.
type Answer []string

// UnmarshalJSON reads one id or a list of them.
func (a *Answer) UnmarshalJSON(src []byte) error {
	var one string
	if json.Unmarshal(src, &one) == nil {
		*a = Answer{one}
		return nil
	}
	return json.Unmarshal(src, (*[]string)(a))
}

// Load reads the cases.
func Load() (Set, error) {
	var s Set
	return s, json.Unmarshal(cases, &s)
}

// single are the fields with exactly one right statement.
var single = []string{"objective", "nextAction", "owner"}

// supported is the share of a statement's words from which a text supports it.
const supported = 0.6

// Points are what a text gets for a case: 100 if it leads to the whole answer.
func (s Set) Points(c Case, text string) (points float64) {
	has := prose.Stems(text)
	for field, worth := range s.Rubric {
		chosen := choose(c.Candidates[field], has, slices.Contains(single, field))
		points += float64(worth) * f1(chosen, c.Expected[field])
	}
	return points
}

// choose picks the statements that a text supports: the best one, or all of them.
func choose(list []Statement, has map[string]bool, one bool) (ids []string) {
	best, most := "", 0.0
	for _, st := range list {
		share := prose.Shared(prose.Stems(st.Text), has)
		if share > most {
			best, most = st.ID, share
		}
		if share >= supported {
			ids = append(ids, st.ID)
		}
	}
	switch {
	case !one:
		return ids
	case best == "":
		return nil
	}
	return []string{best}
}

// f1 is the harmonic mean of precision and recall.
func f1(chosen []string, right Answer) float64 {
	hits := 0
	for _, id := range chosen {
		if slices.Contains(right, id) {
			hits++
		}
	}
	if hits == 0 {
		return 0
	}
	return 2 * float64(hits) / float64(len(chosen)+len(right))
}

// Parts are the parts of a case's structured handoff by heading: OBJECTIVE, CURRENT STATE,
// DECISION, EVIDENCE, CONSTRAINTS, NEXT ACTION, OWNER, OPEN QUESTION.
func (c Case) Parts() map[string][]string {
	parts, heading := map[string][]string{}, ""
	for line := range strings.Lines(c.Contexts["handoff"]) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line == strings.ToUpper(line) && strings.ContainsFunc(line, unicode.IsLetter):
			heading = line
		default:
			parts[heading] = append(parts[heading], strings.TrimPrefix(line, "- "))
		}
	}
	return parts
}
