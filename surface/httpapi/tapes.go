package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"net/http"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/log/tape"
	"handoff/log/tape/tool"
	"handoff/surface/problem"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// tapeInput names a tape. In a path "/" is spelled %2F.
type tapeInput struct {
	Tape string `path:"tape" doc:"tape name: no control characters, no dot at the start or end; write each slash as %2F"`
}

// tapeGroup serves the operations on tapes.
func (s *Server) tapeGroup() group[*tapes.Tape] {
	return group[*tapes.Tape]{name: "tape", tag: "tapes", named: named[tapeInput](), problem: tapeProblem,
		all: func(context.Context) (*tapes.Tape, error) { return s.Tapes.Of(nil), nil },
		at: func(_ context.Context, name string, a *ops.About) (*tapes.Tape, error) {
			if a.Creates {
				return s.tape(name)
			}
			return s.existing(name)
		}}
}

// noTape has a type of its own: a client that reads a missing tape as an empty
// one must not do so for other missing things.
var noTape = refuse(problem.NoTape, "no such tape")

// tape returns a tape that may not exist.
func (s *Server) tape(name string) (*tapes.Tape, error) {
	one, err := s.Tapes.Tape(name)
	if err != nil {
		return nil, &openapi.Refusal{Status: http.StatusBadRequest, Text: "path parameter tape: want text without control characters, with no dot at the start or end, and at most 4096 bytes"}
	}
	return one, nil
}

// existing returns a tape that exists.
func (s *Server) existing(name string) (*tapes.Tape, error) {
	t, err := s.tape(name)
	if err != nil {
		return nil, err
	}
	ok, err := t.Exists()
	if err == nil && !ok {
		err = noTape
	}
	return t, err
}

// tapeProblem is the answer to an error of an operation at a tape. Errors of queries are
// answered in their own words, which are Bub's; others may repeat parts of the request.
func tapeProblem(err error, a *ops.About) error {
	bad := func(text string) error { return &openapi.Refusal{Status: http.StatusBadRequest, Text: text} }
	switch {
	case err == nil, errors.As(err, new(*tape.Error)), errors.As(err, new(*openapi.Refusal)):
		return err
	case errors.Is(err, tape.ErrKeyUsed):
		return keyUsed
	case errors.Is(err, tape.ErrMoved), errors.Is(err, tapes.ErrUnconfirmed):
		return err
	case errors.Is(err, tapes.ErrNothingToCut):
		return bad("a handoff would not make the context shorter: after the last anchor there is only what must be repeated")
	case errors.Is(err, fs.ErrExist) && a.Taken != "":
		return refuse(problem.Exists, a.Taken)
	case errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, fs.ErrNotExist) && a.Missing == tapeops.EndedFork:
		return refuse(problem.ForkEnded, a.Missing)
	case errors.Is(err, fs.ErrNotExist) && a.Missing != "":
		return &openapi.Refusal{Status: http.StatusNotFound, Text: a.Missing}
	case errors.Is(err, fs.ErrNotExist):
		return noTape
	case errors.Is(err, tapes.ErrNoName):
		return bad("want to, the name of the new tape, or an Idempotency-Key to make the name from")
	case errors.Is(err, tapes.ErrWindows):
		return bad("want at most one of last_anchor, after_anchor and between")
	case errors.Is(err, tapes.ErrBetween):
		return bad("query parameter between: give it twice, with two anchor names")
	case errors.Is(err, tapes.ErrAll):
		return bad("want all or a choice of anchors, not both")
	case errors.Is(err, handoff.ErrInvalid) && a == &tapeops.Exec.About: // what is wrong with a command is said in its words
		return bad(strings.ReplaceAll(err.Error(), ": "+handoff.ErrInvalid.Error(), ""))
	case errors.Is(err, handoff.ErrInvalid):
		return bad(a.Invalid)
	}
	return err
}

type entriesInput struct {
	tapeInput
	tapes.ReadRequest
}

// getEntries sends the entries while they are read: a tape may not fit into
// memory.
func (s *Server) getEntries(w http.ResponseWriter, r *http.Request, in entriesInput) error {
	t, err := s.existing(in.Tape)
	if err != nil {
		return err
	}
	return sendPart(w, r, t, in.ReadRequest)
}

// sendPart sends the selected entries of a tape.
func sendPart(w http.ResponseWriter, r *http.Request, t *tapes.Tape, in tapes.ReadRequest) error {
	q, err := in.Query()
	if err != nil {
		return tapeProblem(err, &tapeops.Read.About)
	}
	return sendEntries(w, r, t.Query(r.Context(), q))
}

func sendEntries(w http.ResponseWriter, r *http.Request, entries iter.Seq2[tape.Entry, error]) error {
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(w, 64<<10) // a wrong request fails before it is full
	before := byte('[')
	for e, err := range entries {
		var line []byte
		if err == nil {
			line, err = e.Line()
		}
		if err != nil {
			return tapeProblem(err, &tapeops.Read.About)
		}
		out.WriteByte(before)
		if _, err := out.Write(line); err != nil || r.Context().Err() != nil {
			return nil // the client disconnected
		}
		before = ','
	}
	if before == '[' {
		out.WriteByte(before)
	}
	out.WriteByte(']')
	return out.Flush()
}

type uriInput struct {
	URI string `query:"uri" doc:"tape:// URI of a tape, an entry or an anchor"`
	tapes.ReadRequest
}

// getURI sends what a URI names: a tape, or a part of it, or one entry.
func (s *Server) getURI(w http.ResponseWriter, r *http.Request, in uriInput) error {
	ref, err := tape.ParseRef(in.URI)
	if err != nil {
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: "query parameter uri: want tape://WORKSPACE/TAPE, with /entry/ID or /anchor/NAME for one entry"}
	}
	q, err := in.ReadRequest.Query()
	if err != nil {
		return tapeProblem(err, &tapeops.Read.About)
	}
	entries, err := s.Tapes.At(r.Context(), ref, q)
	if err != nil {
		return tapeProblem(err, &ops.About{Missing: "no such workspace, tape, entry or anchor here"})
	}
	return sendEntries(w, r, entries)
}

type toolInput struct {
	For string `query:"for" default:"openai" enum:"openai,openresponses,anthropic,mcp" doc:"provider format"`
}

// getTool is the definition of the tool with which a model hands off.
func (s *Server) getTool(_ context.Context, in toolInput) (json.RawMessage, error) {
	return tool.Schema(in.For)
}

type entryInput struct {
	tapeInput
	ID int64 `path:"id" doc:"entry ID"`
}

func (s *Server) getEntry(_ context.Context, in entryInput) (tape.Entry, error) {
	if _, err := s.existing(in.Tape); err != nil {
		return tape.Entry{}, err
	}
	e, err := s.Tapes.Store.Resolve(tape.Ref{Tape: in.Tape, Entry: &in.ID})
	if errors.Is(err, fs.ErrNotExist) {
		err = &openapi.Refusal{Status: http.StatusNotFound, Text: "the tape has no such entry"}
	}
	return e, err
}
