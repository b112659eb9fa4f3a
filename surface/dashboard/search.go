package dashboard

import (
	"context"
	"net/url"
	"strings"

	"handoff/internal/text/shellword"
	"handoff/internal/text/visible"
	"handoff/workspace"
	"handoff/workspace/overview"
	"handoff/workspace/search"
)

const searchPath = Prefix + "search"

// searchLimit is how many handoffs a search shows.
const searchLimit = 50

type searchPage struct {
	Query string
	Hits  []hit
	Total int

	Logs      []logHit
	LogsTotal int
	Stopped   string // why not all threads and tapes were searched
}

type logHit struct {
	search.LogHit
	URL    string
	Pieces []piece
}

type hit struct {
	search.Hit
	URL    string
	Pieces []piece // its text, with the words marked
}

// marked cuts a text into pieces, of which those with one of the words are marked. Letters whose
// case changes their length are rare: a text with one stays unmarked.
func marked(text string, words []string) (pieces []piece) {
	low := strings.ToLower(text)
	if len(low) != len(text) {
		return []piece{{Text: text}}
	}
	hits := make([]bool, len(text))
	for _, word := range words {
		for at := 0; ; at += len(word) {
			i := strings.Index(low[at:], word)
			if i < 0 {
				break
			}
			at += i
			for n := at; n < at+len(word); n++ {
				hits[n] = true
			}
		}
	}
	for first, i := 0, 1; i <= len(text); i++ {
		if i < len(text) && hits[i] == hits[first] {
			continue
		}
		kind := ""
		if hits[first] {
			kind = "mark"
		}
		pieces = append(pieces, piece{Kind: kind, Text: text[first:i]})
		first = i
	}
	return pieces
}

func loadSearch(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error) {
	query := strings.TrimSpace(q.Get("q"))
	data := searchPage{Query: query}
	p := page{Title: "Search", Data: data}
	if query == "" {
		return p, nil
	}
	r, err := search.Run(ctx, ws, search.Request{Query: query, Limit: searchLimit})
	if err != nil && r.Hits == nil {
		return page{}, err
	}
	data.Total, data.LogsTotal, data.Stopped = r.Total, r.LogsTotal, r.Stopped
	terms := strings.Fields(strings.ToLower(query))
	for _, h := range r.Logs {
		at := tapeURL(h.Tape)
		if h.ThreadID != "" {
			at = threadURL(h.ThreadID)
		}
		data.Logs = append(data.Logs, logHit{h, at, marked(visible.Line(h.Text), terms)})
	}
	for _, h := range r.Hits {
		at := taskURL(overview.Task{Task: h.Task, Dir: ws.NameOf(h.Path).Dir}, h.Path)
		if h.Line > 0 {
			at += "#L" + lineID(h.Line)
		}
		data.Hits = append(data.Hits, hit{h, at, marked(visible.Line(h.Text), terms)})
	}
	var words []string
	for _, w := range strings.Fields(query) {
		words = append(words, shellword.Quote(w))
	}
	p.Title = query + " – Search"
	p.Command = "handoff search " + strings.Join(words, " ")
	p.JSON = "/search?" + url.Values{"q": {query}}.Encode()
	p.Problem, p.Data = sentences(err), data
	return p, nil
}
