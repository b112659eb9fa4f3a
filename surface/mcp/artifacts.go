package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/internal/text/visible"
	"handoff/log/artifact"
	"handoff/log/artifact/fetchtool"
)

// fetchArguments are those of RIP's tool. Hosts cut long results, so a part is shorter here if max_bytes is not given.
type fetchArguments struct {
	ID     string `yaml:"id" json:"id" needed:"yes"`
	Offset int    `yaml:"offset_bytes" json:"offset_bytes" least:"0"`
	Max    int    `yaml:"max_bytes" json:"max_bytes" about:"Default 16384" least:"1" most:"524288"`
}

const defaultFetch = 16 << 10

// fetchTool reads the artifacts that handoffs and contexts name.
func fetchTool() tool {
	return tool{
		name: fetchtool.Name, reads: true, repeatable: true, call: fetch, always: map[string]any{"stdout": []any{}, "artifacts": map[string]any{}},
		about: "Read an artifact that a handoff or a context names, in parts: if truncated, call again with a higher offset_bytes.",
		in:    arguments[fetchArguments](),
		out: object(nil, `"stdout":{"type":"array","items":{"type":"string"}}`,
			`"artifacts":{"type":"object","properties":{"bytes":{"type":"integer"},"offset_bytes":{"type":"integer"},"total_bytes":{"type":"integer"},"truncated":{"type":"boolean"}}}`),
	}
}

func fetch(c *call) (answer, error) {
	in := fetchArguments{Max: defaultFetch}
	if err := c.arguments(&in); err != nil {
		return answer{}, err
	}
	if in.Offset < 0 || in.Max < 1 || in.Max > fetchtool.DefaultMax {
		return answer{}, fmt.Errorf("offset_bytes %d, max_bytes %d: %w: want 0 or more, and 1 to %d", in.Offset, in.Max, handoff.ErrInvalid, fetchtool.DefaultMax)
	}
	blobs, err := c.ws.Artifacts()
	if err != nil {
		return answer{}, err
	}
	defer blobs.Close()
	args, err := json.Marshal(in)
	if err != nil {
		return answer{}, err
	}
	var unread error
	r := fetchtool.Call(args, func(id artifact.ID, offset, max int64) (data []byte, total int64, err error) {
		data, total, unread = blobs.Range(id, offset, max)
		return data, total, unread
	})
	switch {
	case unread != nil:
		return answer{}, unread
	case r.ExitCode != 0:
		return answer{}, fmt.Errorf("%w: %s", handoff.ErrInvalid, foreign(strings.Join(r.Stderr, " ")))
	}
	text, _ := visible.Model(strings.Join(r.Stdout, ""))
	p := r.Artifact
	said := inert.Quote("artifact", strings.Split(text, "\n")...)
	if p.Truncated {
		said += fmt.Sprintf("%d of %d bytes: the rest starts at offset_bytes %d\n", p.Bytes, p.Total, p.Offset+uint64(p.Bytes))
	}
	return answer{text: said, value: r}, nil
}
