// Package search finds handoffs, threads and tapes by the words in them. It reads every document and log each
// time, so there is no index to keep up to date: 10,000 documents take less than half a second, 1 GiB of logs two.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/internal/text/secret"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Request is what to look for.
type Request struct {
	Query string    // words that a handoff must contain, all of them, in any order and case; none: all handoffs
	Task  *int      // only of this task; nil for any
	Named string    // only of the task that its plan calls so; "" for any
	Since time.Time // not older than this; zero for any age
	Limit int       // the most hits to return; 0 for [DefaultLimit]
}

// DefaultLimit is the most hits that a search returns, unless the request has a limit.
const DefaultLimit = 20

// Hit is a handoff that contains all words.
type Hit struct {
	documents.Row
	Line int    `json:"line,omitempty"` // of Text in the document; 0 for its next action
	Text string `json:"text"`           // the first line with the most of the words, without its markup; without words, the next action

	score int
}

// maxText is about the most bytes of a line that a hit quotes.
const maxText = 240

// Result is what a search found.
type Result struct {
	Hits  []Hit `json:"hits"`  // the best first
	Total int   `json:"total"` // with those beyond the limit

	Logs      []LogHit `json:"logs"`              // threads and tapes; without words, none
	LogsTotal int      `json:"logs_total"`        // with those beyond the limit
	Stopped   string   `json:"stopped,omitempty"` // why not all threads and tapes were searched
}

// Run searches all documents of the workspace, also archived ones, and, unless it is for one task, the threads and
// tapes. A word counts more in
// the next action, the title and the file name than elsewhere; of equal handoffs the
// newest is the first. Hidden text is not searched, and secrets are not quoted. The error names
// what could not be read; the result has everything else.
func Run(ctx context.Context, ws *workspace.Workspace, req Request) (res Result, err error) {
	if err := Missing(ws); err != nil {
		return res, err
	}
	res.Hits, res.Logs = []Hit{}, []LogHit{}
	words, most := wordsOf(req.Query), cmp.Or(req.Limit, DefaultLimit)
	if req.Task == nil && req.Named == "" {
		l := newLogs(ctx, ws, words, req.Since)
		l.search()
		res.LogsTotal, res.Stopped = len(l.hits), l.stopped()
		res.Logs = append(res.Logs, l.hits[:min(len(l.hits), most)]...)
		defer func() { err = errors.Join(err, l.unread) }()
	}
	if ws.Missing() != nil { // only threads or tapes are here
		return res, nil
	}
	list, unread := documents.List(ctx, ws, documents.Filter{Task: req.Task, ID: req.Named, Since: req.Since})
	may := gate{words: words}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return res, err
		}
		src, err := documents.Source(ws, e)
		if err != nil {
			unread = errors.Join(unread, err)
			continue
		}
		if !may.match(e.Path, src) {
			continue
		}
		doc := documents.Parse(ws, e, src)
		if hit, ok := match(doc, e, words); ok {
			res.add(hit, doc, e, most)
		}
	}
	return res, unread
}

// add adds a hit behind those that are as good, and drops the last one if there are more than limit. Only what may be
// returned is made ready to be shown, which costs more than to find it.
func (res *Result) add(hit Hit, doc *handoff.Document, e documents.Entry, limit int) {
	res.Total++
	at, _ := slices.BinarySearchFunc(res.Hits, hit.score, func(h Hit, score int) int {
		if h.score >= score {
			return -1
		}
		return 1
	})
	if at >= limit {
		return
	}
	hit.show(doc, e)
	res.Hits = slices.Insert(res.Hits, at, hit)
	res.Hits = res.Hits[:min(len(res.Hits), limit)]
}

// Missing is why there is nothing to search.
func Missing(ws *workspace.Workspace) error {
	if HasLogs(ws) {
		return nil
	}
	return ws.Missing()
}

// wordsOf are the words of a query, in lower case, each once.
func wordsOf(query string) []string {
	words := strings.FieldsFunc(fold(query), unicode.IsSpace)
	slices.Sort(words)
	return slices.Compact(words)
}

// fold makes texts that differ only in case equal.
func fold(text string) string { return strings.ToLower(text) }

// weights of a word, by where it is.
const (
	inNextAction = 8 // also in the title and the name of the file
	inState      = 4 // also in decisions and dead ends
	elsewhere    = 1
)

func weightOf(doc *handoff.Document, line int) int {
	if line == doc.Title.Lines.First {
		return inNextAction
	}
	if s := doc.SectionAt(line); s != nil {
		switch s.Kind {
		case handoff.NextAction:
			return inNextAction
		case handoff.CurrentState, handoff.Decisions, handoff.DeadEnds:
			return inState
		}
	}
	return elsewhere
}

// isHeading reports whether a line is the heading of a section that every handoff has.
func isHeading(doc *handoff.Document, line int) bool {
	s := doc.SectionAt(line)
	return s != nil && s.Kind != handoff.Other && s.Inline == "" && s.Heading.Lines.Has(line)
}

// match looks for the words in a document. Its hit quotes the line with the most of the
// words; of equal lines that with the greatest weight, then the first.
func match(doc *handoff.Document, e documents.Entry, words []string) (hit Hit, ok bool) {
	best := make([]int, len(words)) // weight of each word where it counts most
	path := fold(e.Path)
	for i, word := range words {
		if strings.Contains(path, word) {
			best[i] = inNextAction
		}
	}
	most := 0
	for n, text := range brief.Lines(doc) {
		if isHeading(doc, n) {
			continue
		}
		folded, weight, found := fold(text), 0, 0
		for i, word := range words {
			if !strings.Contains(folded, word) {
				continue
			}
			if weight == 0 {
				weight = weightOf(doc, n)
			}
			found++
			best[i] = max(best[i], weight)
		}
		if rank := found*2*inNextAction + weight; found > 0 && rank > most {
			hit.Line, most = n, rank
			hit.Text = text
		}
	}
	for _, weight := range best {
		if weight == 0 {
			return hit, false
		}
		hit.score += weight
	}
	return hit, true
}

// show adds what is shown of a document, and makes the line of the hit safe to show.
func (h *Hit) show(doc *handoff.Document, e documents.Entry) {
	h.Row = documents.MakeRow(e, doc, nil)
	h.NextAction = quoted(h.NextAction)
	if h.Text = quoted(h.Text); h.Line == 0 {
		h.Text = h.NextAction
	}
}

// quoted returns a line of a document that is safe to show: without list and heading
// marks, secrets and invisible characters.
func quoted(line string) string {
	text := strings.TrimLeft(line, "#->+ \t")
	text = strings.TrimPrefix(text, "* ") // another asterisk may begin bold text
	return secret.Line(text, maxText)
}

// String is the hit on one line.
func (h Hit) String() string {
	place := h.Path
	if h.Line > 0 {
		place = fmt.Sprintf("%s:%d", h.Path, h.Line)
	}
	return place + ": " + h.Text
}
