package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
)

// stateNames are the states that --state accepts, as its usage lists them.
func stateNames() string {
	var names []string
	for _, s := range receipt.States {
		names = append(names, string(s))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// withStates filters a list by --state and -n, and returns the states. It omits
// states that a template does not print: finding them takes longer than
// listing.
func withStates(c *cli.Context, ws *workspace.Workspace, list []documents.Entry) ([]documents.Entry, map[string]receipts.Known) {
	var states map[string]receipts.Known
	only := receipt.State(c.String("state"))
	if only != "" {
		states = statesOf(c, ws, list)
		list = slices.DeleteFunc(list, func(e documents.Entry) bool { return states[e.Path].State != only })
	}
	if n := c.Int("n"); n > 0 && n < len(list) {
		list = list[:n]
	}
	if format := c.String("format"); only == "" && (format == "" || strings.Contains(format, "State")) {
		states = statesOf(c, ws, list)
	}
	return list, states
}

// statesOf returns the states of the listed handoffs. Without a safe place for
// receipts, none has a state; commands that need one report why.
func statesOf(c *cli.Context, ws *workspace.Workspace, list []documents.Entry) map[string]receipts.Known {
	b, err := receipts.Open(ws)
	if err != nil {
		return nil
	}
	return b.States(c.Context, list)
}
