package texts

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/measure/benchmark"
	"handoff/parse"
	"handoff/templates"
)

const budgetDocs = 60

// limits are the most bytes that a successor is shown.
var limits = []int{2000, 4000, 9000}

// Budget measures how much of documents of all sizes survives a limit of bytes.
func Budget(seed uint64) (benchmark.Suite, error) {
	s := benchmark.Suite{Name: "budget", About: "what a successor sees of a document that is longer than it may be shown", Tables: []benchmark.Table{}, Limits: []string{
		"The documents are generated: 4 to 200 items, mostly longer than one screen, which lint reports.",
	}}
	random := rand.New(rand.NewPCG(seed, 5))
	var docs []*handoff.Document
	for n := range budgetDocs {
		v := Values(1, n+1)
		for range 4 + random.IntN(197) {
			item := fmt.Sprintf("Finding %d: %s", random.IntN(10000), strings.Repeat("the parser keeps its place ", 1+random.IntN(5)))
			switch random.IntN(3) {
			case 0:
				v.DeadEnds = append(v.DeadEnds, item)
			case 1:
				v.Context = append(v.Context, item)
			default:
				v.Decisions = append(v.Decisions, item)
			}
		}
		v.Time = written
		src, err := templates.Render(v, "", false)
		if err != nil {
			return s, err
		}
		docs = append(docs, parse.Document(src))
	}
	for _, limit := range limits {
		rows, err := cuts(docs, limit)
		if err != nil {
			return s, err
		}
		s.Tables = append(s.Tables, benchmark.Table{Title: fmt.Sprintf("%d documents, at most %s are shown: what is there", len(docs), bytesOf(limit)),
			Columns: []string{"next action", "state", "dead end", "where it is"}, Rows: rows})
	}
	return s, nil
}

func bytesOf(n int) string { return benchmark.Number(n).String() + " bytes" }

// cuts shows the documents in three ways, and counts in which a successor sees the parts.
func cuts(docs []*handoff.Document, limit int) ([]benchmark.Row, error) {
	rows := []benchmark.Row{{Name: "handoff brief --level 2"}, {Name: "the first bytes"}, {Name: "the last bytes"}}
	counts := make([][4]int, len(rows))
	for i, doc := range docs {
		text, err := brief.Make(brief.Source{Doc: doc, Name: handoff.Name{Dir: "specs/1_parser", Task: 1}, Path: fmt.Sprintf("specs/1_parser/handoffs/phase-%d.md", i+1)}, brief.Stuck, limit)
		if err != nil {
			return nil, err
		}
		src := string(doc.Source)
		for r, shown := range []string{text, src[:min(limit, len(src))], src[max(0, len(src)-limit):]} {
			if len(shown) > limit {
				return nil, fmt.Errorf("%s: %d bytes for a limit of %d", rows[r].Name, len(shown), limit)
			}
			for p, part := range []string{fmt.Sprintf("Add the test of step %d to `parser_test.go`.", i+1), "inside `readToken`", "A regular expression: it cannot count brackets", "handoffs/phase-"} {
				if strings.Contains(shown, part) || p == 3 && len(src) <= limit {
					counts[r][p]++
				}
			}
		}
	}
	for r := range rows {
		for _, n := range counts[r] {
			rows[r].Cells = append(rows[r].Cells, benchmark.Share(n, len(docs)))
		}
	}
	return rows, nil
}
