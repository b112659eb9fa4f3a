package tapes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"handoff/log/tape"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
)

// appendOptions are those of tape append besides its request.
type appendOptions struct {
	role, from    string
	content       operations.TextOptions
	kind          *string
	payload, meta json.RawMessage
	fromGiven     bool
}

func (o *appendOptions) flags(of []cli.Flag) []cli.Flag {
	object := func(to *json.RawMessage, name string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: "`JSON`  its " + name + ", a JSON object", Action: func(_ *cli.Context, value string) (err error) {
			*to, err = operations.JsonObject(name, value)
			return err
		}}
	}
	return command.Flags(&cli.StringFlag{Name: "role", Destination: &o.role, Value: "user", Usage: "`WHO`  role of the message: user, assistant, system"}, operations.ContentFlags(&o.content),
		&cli.StringFlag{Name: "kind", Action: command.Some(&o.kind), Usage: "`KIND`  kind of the entry, with --payload", DefaultText: tape.KindMessage},
		object(&o.payload, "payload"), object(&o.meta, "meta"),
		&cli.StringFlag{Name: "from", Destination: &o.from, Action: command.Noting[string](&o.fromGiven), Usage: "`FILE`  file with the entries, - for standard input"}, of)
}

// entries are the entries to append.
func (o *appendOptions) entries(k *operations.Call) (iter.Seq2[tape.Entry, error], error) {
	ways := len(k.Args)
	for _, given := range []bool{o.content.Text != nil, o.content.File != nil, o.payload != nil, o.fromGiven} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return nil, errors.New("tape append needs one of TEXT, --content-file FILE, --kind KIND --payload JSON, and --from FILE")
	case o.fromGiven:
		return entriesFrom(k.W, o.from)
	case o.kind != nil && *o.kind == "":
		return nil, errors.New("--kind is empty: want message, tool_call, tool_result, event, system, error, anchor, or another")
	}
	kind := *cmp.Or(o.kind, new(tape.KindMessage))
	if o.payload != nil {
		e, err := tape.NewEntry(kind, o.payload, o.meta)
		return sequence(err, e), nil
	}
	if kind != tape.KindMessage {
		return nil, fmt.Errorf("--kind %s needs --payload JSON: plain text is a %s", kind, tape.KindMessage)
	}
	said := k.Args.First()
	if len(k.Args) == 0 {
		var err error
		if said, err = operations.ContentOf(k.W, k.Command, &o.content); err != nil {
			return nil, err
		}
	}
	e, err := tape.NewEntry(kind, struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{o.role, said}, o.meta)
	return sequence(err, e), nil
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
