package mcp

import (
	"encoding/json"

	handingoff "handoff/log/tape/tool"
)

// The arguments of the tools for tapes. A tape is the main one if it is not given.
type (
	tapeAppendArguments struct {
		Tape    string          `yaml:"tape"`
		Role    string          `yaml:"role" enum:"user,assistant,system" about:"Of the message; default: user"`
		Content string          `yaml:"content" about:"Text of a message"`
		Kind    string          `yaml:"kind" about:"With payload, for another entry than a message: tool_call, tool_result, event"`
		Payload json.RawMessage `yaml:"payload"`
		Key     string          `yaml:"idempotency_key"`
	}
	tapeContextArguments struct {
		Tape        string `yaml:"tape"`
		AfterAnchor string `yaml:"after_anchor" about:"Start after the last anchor of this name; default: after the last anchor"`
		All         bool   `yaml:"all" about:"Start at the beginning"`
	}
	tapeReadArguments struct {
		Tape   string   `yaml:"tape"`
		URI    string   `yaml:"uri" about:"tape:// URI of a tape, an entry or an anchor, instead of tape"`
		After  string   `yaml:"after_anchor" about:"Only what follows the last anchor of this name"`
		Before string   `yaml:"before_anchor" about:"With after_anchor: only up to the next anchor of this name"`
		Kind   []string `yaml:"kind"`
		FromID int64    `yaml:"from_id"`
		Limit  int      `yaml:"limit" least:"1" most:"200"`
	}
	tapeSearchArguments struct {
		Query string   `yaml:"query" needed:"true"`
		Tape  string   `yaml:"tape"`
		All   bool     `yaml:"all_tapes"`
		Kind  []string `yaml:"kind" about:"message, tool_call, tool_result, anchor, event"`
		Limit int      `yaml:"limit" least:"1" most:"20"`
	}
	tapeAnchorsArguments struct {
		Tape  string `yaml:"tape"`
		Limit int    `yaml:"limit" least:"1" most:"50" about:"The last ones; default: 20"`
	}
	tapeInfoArguments struct {
		Tape string `yaml:"tape" about:"Default: all tapes"`
	}
	tapeForkArguments struct {
		To             string `yaml:"to" needed:"true" about:"Name of the new tape"`
		Tape           string `yaml:"tape" about:"The one that it continues"`
		FromAnchor     string `yaml:"from_anchor" about:"Start at the last anchor of this name; default: everything"`
		NextSteps      string `yaml:"next_steps" about:"What the fork is for"`
		ContextSummary string `yaml:"context_summary" about:"What who works there must know"`
		Notify         bool   `yaml:"notify_parent" about:"A message on the parent when it is merged"`
		Key            string `yaml:"idempotency_key"`
	}
	tapeMergeArguments struct {
		Fork string `yaml:"fork" needed:"true"`
	}
	tapeDiscardArguments struct {
		Fork   string `yaml:"fork" needed:"true"`
		Reason string `yaml:"reason"`
	}
)

// tapeTools are the tools for tapes. A server has them on request only, because their definitions are in each request
// of a model.
func tapeTools() []tool {
	const name, entries = `"tape":{"type":"string"}`, `"entries":{"type":"array","items":{"type":"object"}}`
	theTape, theEntries := map[string]any{"tape": ""}, map[string]any{"entries": []any{}}
	written := object(nil, name, `"ids":{"type":"array","items":{"type":"integer"}}`, `"queued":{"type":"boolean"}`)
	ended := object(nil, name, `"parent":{"type":"string"}`, `"entries":{"type":"integer"}`, `"archived":{"type":"string"}`)
	all := []tool{
		{name: handingoff.Name, about: handingoff.About, in: handingoff.Served, out: written, always: theTape, call: tapeHandoff},
		{name: "tape_append", about: "Append a message or another entry to a tape, the record of an agent's work. A missing tape is created.",
			in: arguments[tapeAppendArguments](), out: written, always: theTape, call: onTape(true, tapeAppend)},
		{name: "tape_context", reads: true, repeatable: true, call: onTape(false, tapeContext),
			about: "Read the context of a tape: the state of its last anchor, and the messages since. The newest 40 KB.",
			in:    arguments[tapeContextArguments](),
			out:   object(nil, `"messages":{"type":"array","items":{"type":"object"}}`, `"tokens":{"type":"integer"}`, `"left_out":{"type":"integer"}`)},
		{name: "tape_read", reads: true, repeatable: true, call: onTape(false, tapeRead),
			about: "Read entries of a tape in their order, at most 50 (limit) and 40 KB; next_id is where to go on (from_id).",
			in:    arguments[tapeReadArguments](), out: object(nil, entries, `"next_id":{"type":"integer"}`), always: theEntries},
		{name: "tape_search", reads: true, repeatable: true, call: onTape(false, tapeSearch),
			about: "Find entries of a tape that contain a text, the newest first.",
			in:    arguments[tapeSearchArguments](), out: object(nil, entries), always: theEntries},
		{name: "tape_anchors", reads: true, repeatable: true, call: onTape(false, tapeAnchors),
			about: "List the last anchors of a tape, with their states.",
			in:    arguments[tapeAnchorsArguments](), out: object(nil, `"anchors":{"type":"array","items":{"type":"object"}}`), always: map[string]any{"anchors": []any{}}},
		{name: "tape_info", reads: true, repeatable: true, call: onTape(false, tapeInfo),
			about: "Count the entries and anchors of a tape, or list all tapes.",
			in:    arguments[tapeInfoArguments](), out: object(nil, `"tapes":{"type":"array","items":{"type":"object"}}`), always: map[string]any{"tapes": []any{}}},
		{name: "tape_fork", about: "Create a tape that continues another, which stays unchanged, as for a subtask.",
			in: arguments[tapeForkArguments](), out: object(nil, name, `"parent":{"type":"string"}`, `"entries":{"type":"integer"}`), always: theTape, call: onTape(true, tapeFork)},
		{name: "tape_merge", about: "Append a fork's own entries to the tape that it was forked from, and archive the fork.",
			in: arguments[tapeMergeArguments](), out: ended, always: theTape, call: onTape(true, tapeMerge)},
		{name: "tape_discard", about: "Archive a fork without merging it.",
			in: arguments[tapeDiscardArguments](), out: ended, always: theTape, call: onTape(true, tapeDiscard)},
	}
	for i := range all {
		all[i].anywhere = true
	}
	return all
}
