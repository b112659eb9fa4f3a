package mcp

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/document/handoff"
	"handoff/workspace/handoffops"
)

// mostCompleted is how many values the protocol allows in an answer.
const mostCompleted = 100

// complete answers a client in which a person types an argument of a prompt, or a part of the URI of a resource.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	arg := req.Params.Argument
	var all []string
	if arg.Name == "ref" || arg.Name == "task" {
		c, err := s.open(ctx, nameOf(req.ClientInfo()))
		if err != nil {
			return nil, invalidParams("%s", failure(err).text)
		}
		defer c.ws.Close()
		all = c.known(arg.Name)
	}
	slices.Sort(all)
	all = slices.DeleteFunc(all, func(value string) bool { return !strings.HasPrefix(value, arg.Value) })
	n := min(len(all), mostCompleted)
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: append([]string{}, all[:n]...), Total: len(all), HasMore: n < len(all)}}, nil
}

// known are the values of an argument: short names of handoffs, or numbers of tasks. What cannot be read
// is left out: the call itself says why.
func (c *call) known(argument string) (all []string) {
	if argument == "ref" {
		all = append(all, "latest")
		for _, e := range handoffops.Refs(c, c.ws) {
			all = append(all, e.Ref())
		}
		return all
	}
	dirs, _ := c.ws.Tasks(c)
	for _, dir := range dirs {
		if n, width, _ := handoff.ParseTask(path.Base(dir)); width > 0 {
			all = append(all, strconv.Itoa(n))
		}
	}
	return all
}
