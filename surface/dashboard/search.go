package dashboard

import (
	"context"
	"net/url"
	"strings"

	"handoff/internal/text/shellword"
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
}

type hit struct {
	search.Hit
	URL string
}

func loadSearch(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q url.Values) (page, error) {
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
	data.Total = r.Total
	for _, h := range r.Hits {
		at := taskURL(overview.Task{Task: h.Task, Dir: ws.NameOf(h.Path).Dir}, h.Path)
		if h.Line > 0 {
			at += "#L" + lineID(h.Line)
		}
		data.Hits = append(data.Hits, hit{h, at})
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
