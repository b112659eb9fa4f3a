package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/urfave/cli/v2"

	"handoff/tape"
	"handoff/tape/comma"
	"handoff/tape/tool"
)

// entriesToAppend are the entries to append.
func (w *process) entriesToAppend(c *cli.Context) (iter.Seq2[tape.Entry, error], error) {
	if c.NArg()+len(given(c, "content", "content-file", "payload", "from")) != 1 {
		return nil, errors.New("tape append needs one of TEXT, --content-file FILE, --kind KIND --payload JSON, and --from FILE")
	}
	if c.IsSet("from") {
		return w.entriesFrom(c.String("from"))
	}
	meta, err := jsonFlag(c, "meta")
	if err != nil {
		return nil, err
	}
	kind := tape.KindMessage
	if c.IsSet("kind") {
		if kind = c.String("kind"); kind == "" {
			return nil, errors.New("--kind is empty: want message, tool_call, tool_result, event, system, error, anchor, or another")
		}
	}
	if c.IsSet("payload") {
		payload, err := jsonFlag(c, "payload")
		if err != nil {
			return nil, err
		}
		e, err := tape.NewEntry(kind, payload, meta)
		return sequence(err, e), nil
	}
	if kind != tape.KindMessage {
		return nil, fmt.Errorf("--kind %s needs --payload JSON: plain text is a %s", kind, tape.KindMessage)
	}
	said := c.Args().First()
	if c.NArg() == 0 {
		if said, err = w.content(c); err != nil {
			return nil, err
		}
	}
	e, err := tape.NewEntry(kind, struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{c.String("role"), said}, meta)
	return sequence(err, e), nil
}

// jsonFlag is the JSON object of a flag, nil if it was not given.
func jsonFlag(c *cli.Context, name string) (json.RawMessage, error) {
	if !c.IsSet(name) {
		return nil, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(c.String(name)), &object); err != nil || object == nil {
		return nil, fmt.Errorf("--%s: want a JSON object: {\"tables\": 5}", name)
	}
	return json.RawMessage(c.String(name)), nil
}

// maxEntries is the maximum size of a pipe for --from, and of a handoff, in
// bytes.
const maxEntries = 256 << 20

// entryFrom decodes an entry, or a chat message.
func entryFrom(line []byte) (tape.Entry, error) {
	var e struct {
		Kind    string          `json:"kind"`
		Payload json.RawMessage `json:"payload"`
		Meta    json.RawMessage `json:"meta"`
		Date    string          `json:"date"`
		Time    *float64        `json:"timestamp"` // in old tapes
		Role    string          `json:"role"`
	}
	err := json.Unmarshal(line, &e)
	if err == nil && e.Kind != "" && e.Payload != nil { // the ID may be missing: a new one is assigned
		line = append([]byte(`{"id": 0, `), bytes.TrimPrefix(bytes.TrimSpace(line), []byte("{"))...)
	}
	if parsed, notEntry := tape.Parse(line); notEntry == nil && len(parsed) == 1 {
		if e.Date == "" && e.Time == nil {
			parsed[0].Date = "" // not 1970
		}
		return parsed[0], nil
	}
	switch {
	case err != nil:
		return tape.Entry{}, fmt.Errorf("want a JSON object on one line: %w", err)
	case e.Kind == "" && e.Role != "":
		return tape.NewEntry(tape.KindMessage, json.RawMessage(line), nil)
	case e.Kind == "" || e.Payload == nil:
		return tape.Entry{}, errors.New("it has neither kind and payload, nor role and content")
	}
	made, err := tape.NewEntry(e.Kind, e.Payload, e.Meta)
	made.Date = e.Date
	return made, err
}

// handoffFromFlags is the requested handoff.
func (w *process) handoffFromFlags(c *cli.Context) (comma.HandoffRequest, error) {
	said := comma.Command{Name: comma.Handoff, Args: c.Args().Slice()}
	for flag, name := range map[string]string{"summary": "summary", "next-steps": "next_steps", "state": "state"} {
		if c.IsSet(flag) {
			said.Options = append(said.Options, comma.Option{Name: name, Value: c.String(flag)})
		}
	}
	alone := len(said.Args)+len(said.Options) == 0
	meta, err := jsonFlag(c, "meta")
	switch {
	case err != nil:
		return comma.HandoffRequest{}, err
	case c.IsSet("overflow") && (!alone || c.IsSet("from") || c.Bool("document") || meta != nil):
		return comma.HandoffRequest{}, errors.New("--overflow uses the state of the last anchor: give no other values")
	case !c.IsSet("from") && !c.IsSet("overflow") && c.Args().First() == "":
		return comma.HandoffRequest{}, errors.New("tape handoff needs a name for the anchor: handoff tape handoff phase-1")
	case !c.IsSet("from"):
		if _, err := jsonFlag(c, "state"); err != nil {
			return comma.HandoffRequest{}, err
		}
		r, err := said.AsHandoff()
		r.Meta = meta
		return r, err
	case !alone:
		return comma.HandoffRequest{}, errors.New("--from reads the whole handoff: it cannot be combined with NAME, --summary and the like")
	}
	src, shown, err := w.read(c.String("from"), maxEntries)
	if err != nil {
		return comma.HandoffRequest{}, err
	}
	r, err := tool.Request(src)
	if err != nil {
		err = fmt.Errorf("%s: %w", shown, err)
	}
	r.Meta = meta
	return r, err
}
