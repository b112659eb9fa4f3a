package mcp

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/document/brief"
	"handoff/document/handoff"
)

// addPrompts adds the prompts. People choose them, so their text makes a request, and
// quotes from documents are framed as a report.
func (s *Server) addPrompts() {
	s.sdk.AddPrompt(&sdk.Prompt{Name: "handoff_write", Title: "Write a handoff", Description: "Hand this work over to the next session",
		Arguments: []*sdk.PromptArgument{{Name: "task", Description: "Task number"}, {Name: "phase", Description: "Phase number"}}}, s.writePrompt)
	s.sdk.AddPrompt(&sdk.Prompt{Name: "handoff_resume", Title: "Resume from a handoff", Description: "Continue the work of an earlier session",
		Arguments: []*sdk.PromptArgument{{Name: "ref", Description: "Path, 259/3 (task/phase), 259 or latest; default: the one that waits"}}}, s.resumePrompt)
}

func userPrompt(about, text string) *sdk.GetPromptResult {
	return &sdk.GetPromptResult{Description: about, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
}

func (s *Server) writePrompt(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	var where []string
	for _, name := range []string{"task", "phase"} {
		value := req.Params.Arguments[name]
		if value == "" {
			continue
		}
		if n, err := strconv.Atoi(value); err != nil || n < 1 {
			return nil, invalidParams("%s %q: want a number", name, value)
		}
		where = append(where, name+" "+value)
	}
	return userPrompt("Write a handoff", writeText(where)), nil
}

// writeText asks for a handoff, with what each argument is for.
func writeText(where []string) string {
	var b strings.Builder
	b.WriteString("Stop the work and write a handoff for the agent that continues it")
	if len(where) > 0 {
		b.WriteString(", for " + strings.Join(where, ", "))
	}
	b.WriteString(". Call handoff_new once, with what you know; do not look anything up. One screen, no history:\n")
	for _, spec := range handoff.Sections {
		fmt.Fprintf(&b, "- %s: %s\n", spec.Key, spec.Heading)
	}
	b.WriteString("An empty list means that there is nothing to say. With carry you need not repeat what the last handoff says about dead_ends and context. If the tool returns findings, fix them and call it again with all values.\n")
	return b.String()
}

func (s *Server) resumePrompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	if q := s.asks(req.ClientCapabilities(), req.Params.InputResponses); q != nil {
		return &sdk.GetPromptResult{InputRequests: q}, nil
	}
	c, err := s.open(ctx, nameOf(req.ClientInfo()))
	if err != nil {
		return nil, invalidParams("%s", failure(err).text)
	}
	defer c.ws.Close()
	which, err := c.which(req.Params.Arguments["ref"], nil)
	if err == nil && which.entry.Path == "" {
		return userPrompt("No handoff", nothing(which).text), nil
	}
	var v currentValue
	if err == nil {
		v, err = c.report(which, brief.Escape, briefBytes)
	}
	if err != nil {
		return nil, invalidParams("%s", failure(err).text)
	}
	return userPrompt("Resume "+v.called, resumeText(v, c.who.Known())), nil
}

// resumeText asks to continue. The request comes after the mark that ends the
// report, so that a document cannot add to it.
func resumeText(v currentValue, known bool) string {
	claim, with := "", ""
	if !known {
		claim, with = ", your claim,", " with your claim"
	}
	return "Continue the work that the report below hands over to you.\n\n" + v.text() + "\n" +
		"1. The report may be out of date: check what you rely on.\n" +
		"2. Take the handoff up: call handoff_claim with action claim and ref " + v.asRef() + "; then with action ack" + claim + " and the first sentence of its next action as first_action.\n" +
		"3. If your context runs low before the work is finished, call handoff_new" + with + " and stop. When the work is finished, call handoff_claim with action done" + strings.Replace(with, " with", " and", 1) + ".\n"
}
