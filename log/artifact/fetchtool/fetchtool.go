// Package fetchtool is the tool artifact_fetch, with which a model reads artifacts in
// parts: its definition for providers, and the results of its calls. Arguments and
// results are those of RIP's tool of that name. It is apart from package artifact, whose
// callers offer no tools to providers.
package fetchtool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"handoff/internal/json/toolform"
	"handoff/internal/text/visible"
	"handoff/log/artifact"
)

// Name is the tool's name.
const Name = "artifact_fetch"

// DefaultMax is the default of max_bytes.
const DefaultMax = 512 << 10

const parameters = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "Id of the artifact: 64 digits of lower-case hex.", "pattern": "^[0-9a-f]{64}$"},
    "offset_bytes": {"type": "integer", "description": "Where to begin, in bytes; 0 if it is not given.", "minimum": 0},
    "max_bytes": {"type": "integer", "description": "How much to read at most, in bytes; 524288 if it is not given.", "minimum": 1}
  },
  "required": ["id"],
  "additionalProperties": false
}`

// Tool is the tool definition for providers.
func Tool() toolform.Tool {
	return toolform.Tool{Name: Name, Title: "Fetch an artifact", Parameters: json.RawMessage(parameters),
		About: "Read a stored artifact by its id, or a part of it. Handoffs and contexts name artifacts whose content is too large to be in them. " +
			"Where the result is truncated, call again with offset_bytes raised by the number of bytes that came."}
}

// Result is the result of a call.
type Result struct {
	Stdout   []string `json:"stdout"`    // the content, one text
	Stderr   []string `json:"stderr"`    // the reason if there is no content
	ExitCode int      `json:"exit_code"` // 0; 1: the artifact does not exist; 2: the arguments are wrong
	Artifact *Part    `json:"artifacts"` // nil if there is no content
}

// Part describes the part of the artifact in a result.
type Part struct {
	Bytes     int    `json:"bytes"` // of the artifact; the text is longer if some are not UTF-8
	ID        string `json:"id"`
	Offset    uint64 `json:"offset_bytes"`
	Path      string `json:"path"` // below the workspace
	Total     int64  `json:"total_bytes"`
	Truncated bool   `json:"truncated"`
}

// Call executes a call with these arguments, a JSON object. read is
// [artifact.Store.Range]. A page ends with a whole character, so the concatenated
// pages are the text. Bytes that are not UTF-8 become U+FFFD.
func Call(arguments []byte, read func(id artifact.ID, offset, max int64) ([]byte, int64, error)) Result {
	r := struct {
		ID     *string `json:"id"`
		Offset *uint64 `json:"offset_bytes"`
		Max    *uint64 `json:"max_bytes"`
	}{}
	if err := json.Unmarshal(bytes.TrimSpace(arguments), &r); err != nil {
		return failed(2, "invalid args: "+wanted(err))
	}
	if r.ID == nil {
		return failed(2, "invalid args: want the id of an artifact")
	}
	id, err := artifact.ParseID(*r.ID)
	if err != nil {
		return failed(2, "id must be 64 digits of lower-case hex")
	}
	part := Part{ID: *r.ID, Path: artifact.Blobs + "/" + *r.ID}
	most := uint64(DefaultMax)
	if r.Max != nil {
		most = *r.Max
	}
	if r.Offset != nil {
		part.Offset = *r.Offset
	}
	const far = 1 << 62
	data, total, err := read(id, int64(min(part.Offset, far)), int64(min(most, far)))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no artifact %s", id)
	}
	if err != nil {
		return failed(1, Name+" failed: "+err.Error())
	}
	part.Total = total
	if int64(min(part.Offset, far))+int64(len(data)) < total {
		if n := visible.Whole(data); n > 0 {
			data = data[:n]
		}
	}
	part.Bytes = len(data)
	part.Truncated = int64(min(part.Offset, far))+int64(len(data)) < total
	return Result{[]string{strings.ToValidUTF8(string(data), string(utf8.RuneError))}, []string{}, 0, &part}
}

func failed(code int, text string) Result { return Result{[]string{}, []string{text}, code, nil} }

// wanted describes the arguments that a model must pass.
func wanted(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		what := "a whole number from 0 on"
		if wrong.Field == "id" {
			what = "a string"
		}
		return wrong.Field + ": want " + what
	}
	return "want a JSON object: {\"id\": \"…\", \"offset_bytes\": 0, \"max_bytes\": 65536}"
}
