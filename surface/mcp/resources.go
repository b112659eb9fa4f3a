package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/internal/text/prose"
	"handoff/internal/text/visible"
	"handoff/log/tape"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
	"handoff/workspace/spawn/prompt"
	"handoff/workspace/tapes"
)

// scheme begins the URI of every resource.
const scheme = "handoff://"

const (
	plainText = "text/plain"
	markdown  = "text/markdown"
)

// addResources adds the resources. One function reads all of them; the templates are
// only shown to clients.
func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{URI: scheme + "current", Name: "current", Title: "Current handoff", MIMEType: markdown,
		Description: "The handoff that waits for a successor, as handoff_current returns it"}, s.readResource)
	for _, t := range []sdk.ResourceTemplate{
		{URITemplate: scheme + "{+ref}", Name: "handoff", Title: "Handoff", MIMEType: markdown,
			Description: "A handoff: a path, 259/3 (task/phase), 259 or latest"},
		{URITemplate: scheme + "chain/{task}", Name: "chain", Title: "Handoffs of a task", MIMEType: plainText,
			Description: "All handoffs of a task, the oldest first, with what became of each"},
		{URITemplate: scheme + "tape{?since}", Name: "tape", Title: "Tape", MIMEType: plainText,
			Description: "The last entries of the workspace's tape, since a date"},
		{URITemplate: scheme + "rules/{id}", Name: "rule", Title: "Rule", MIMEType: markdown,
			Description: "What a rule of handoff_check finds, with examples"},
	} {
		s.sdk.AddResourceTemplate(&t, s.readResource)
	}
}

// readResource reads the resource of a URI.
func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	name := strings.TrimPrefix(req.Params.URI, scheme)
	name, query, _ := strings.Cut(name, "?")
	name, err := url.PathUnescape(name)
	if err != nil {
		return nil, invalidParams("%s: invalid URI", foreign(req.Params.URI))
	}
	text, kind := "", plainText
	if rule, ok := strings.CutPrefix(name, "rules/"); ok {
		kind = markdown
		if text, err = s.config.Explain(rule); err != nil {
			err = workspace.NotFound(err.Error())
		}
	} else {
		if q := s.asks(req.ClientCapabilities(), req.Params.InputResponses); q != nil {
			return &sdk.ReadResourceResult{InputRequests: q, Contents: []*sdk.ResourceContents{}}, nil // the library refuses nil
		}
		text, kind, err = s.readStored(ctx, nameOf(req.ClientInfo()), name, query)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, handoff.ErrInvalid) {
		return nil, invalidParams("resource not found: %s", failure(err).text)
	}
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: kind, Text: text}}}, nil
}

// readStored reads a resource of the workspace.
func (s *Server) readStored(ctx context.Context, client, name, query string) (text, kind string, err error) {
	c, err := s.open(ctx, client)
	if err != nil {
		return "", "", err
	}
	defer c.ws.Close()
	since, err := sinceOf(name, query)
	if err != nil {
		return "", "", err
	}
	switch task, chain := strings.CutPrefix(name, "chain/"); {
	case name == "current":
		which, err := c.which("", nil)
		if err != nil || which.entry.Path == "" {
			return nothing(which).text, markdown, err
		}
		v, err := c.report(which, brief.Escape, briefBytes)
		return v.text(), markdown, err
	case name == "tape":
		text, err = c.tape(since)
		return text, plainText, err
	case chain:
		text, err = c.chain(task)
		return text, plainText, err
	}
	e, err := c.find(name)
	if err != nil {
		return "", "", err
	}
	doc, err := documents.ReadInside(c.ws, e)
	if err != nil {
		return "", "", err
	}
	text, err = brief.Make(prompt.SourceOf(c, c.ws, e, doc), brief.Full, fullBytes)
	return text, markdown, err
}

// chain lists the handoffs of a task, one a line.
func (c *call) chain(task string) (string, error) {
	n, err := strconv.Atoi(task)
	if err != nil || n < 0 {
		return "", fmt.Errorf("task %q: %w: want a number", task, handoff.ErrInvalid)
	}
	list, err := documents.List(c, c.ws, documents.Filter{Task: &n})
	if err != nil && len(list) == 0 {
		return "", err
	}
	b, err := receipts.Open(c.ws)
	if err != nil {
		return "", err
	}
	states := b.States(c, list)
	var rows []string
	for _, e := range slices.Backward(list) {
		row := documents.Row{}
		if k := states[e.Path]; k.Row != nil {
			row = *k.Row
		} else {
			doc, err := documents.ReadInside(c.ws, e)
			row = documents.MakeRow(e, doc, err)
		}
		state := string(states[e.Path].State)
		if state == "" {
			state = past
		}
		text := row.NextAction
		if row.Unproved != "" {
			text = "[unproved: " + row.Unproved + "] " + text
		}
		if row.Problem != "" {
			text = row.Problem
		}
		rows = append(rows, fmt.Sprintf("- %s (%s): %s", foreign(e.Path), state, foreign(text)))
	}
	return fmt.Sprintf("%s of task %d, written by earlier sessions, the oldest first. ", prose.Count(len(list), "handoff"), n) + inert.Quote("list", rows...), nil
}

// The most of a tape that a resource has.
const (
	tapeEntries = 200
	tapeBytes   = 40_000
)

// sinceOf is the only parameter that a resource has, of the tape. Others are refused: what
// they ask for would not be done.
func sinceOf(name, query string) (string, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", fmt.Errorf("%w: %w", handoff.ErrInvalid, err)
	}
	for _, p := range slices.Sorted(maps.Keys(values)) {
		if name != "tape" || p != "since" {
			return "", fmt.Errorf("unknown parameter %.60q: only %stape has one, since: %w", p, scheme, handoff.ErrInvalid)
		}
	}
	return values.Get("since"), nil
}

// tape is the end of the workspace's tape, since a date; "" for all.
func (c *call) tape(since string) (string, error) {
	all, err := tapes.In(c.ws, "", false)
	if err != nil {
		return "", err
	}
	defer all.Close()
	one, err := all.Tape("")
	if err != nil {
		return "", err
	}
	var last []string
	size := 0
	for e, err := range one.Query(c, tape.Query{From: since}) {
		if err != nil {
			return "", err
		}
		line, err := e.Line()
		if err != nil {
			return "", err
		}
		text, _ := visible.Model(string(line))
		last = append(last, text)
		for size += len(text); len(last) > tapeEntries || size > tapeBytes && len(last) > 1; last = last[1:] {
			size -= len(last[0])
		}
	}
	return fmt.Sprintf("The last %d entries of the tape, recorded by earlier sessions, one JSON object a line. ", len(last)) + inert.Quote("record", last...), nil
}
