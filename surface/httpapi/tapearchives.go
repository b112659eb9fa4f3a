package httpapi

import (
	"context"
	"net/http"
	"strings"

	"handoff/internal/web/openapi"
	"handoff/log/tape"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// archiveInput names an archived tape.
type archiveInput struct {
	Archive string `path:"archive" doc:"path of the archived tape, as reset and merge answer it; write each slash as %2F"`
}

type archivedEntriesInput struct {
	archiveInput
	tapes.ReadRequest
}

type archivedContextInput struct {
	archiveInput
	tapes.ContextRequest
}

// archiveOperations read archived tapes, as those of the same names read others.
func (s *Server) archiveOperations() []openapi.Operation {
	g := s.tapeGroup()
	g.name, g.named = "tape_archive", named[archiveInput]()
	g.at = func(_ context.Context, path string, _ *ops.About) (*tapes.Tape, error) { return s.archived(path) }
	read := openapi.Raw("GET", "", func(w http.ResponseWriter, r *http.Request, in archivedEntriesInput) error {
		t, err := s.archived(in.Archive)
		if err != nil {
			return err
		}
		return sendPart(w, r, t, in.ReadRequest)
	})
	read.Answers = []openapi.Answer{openapi.JSON[[]tape.Entry](200, "The entries, in tape order")}
	built := openapi.Raw("GET", "", func(w http.ResponseWriter, r *http.Request, in archivedContextInput) error {
		t, err := s.archived(in.Archive)
		if err != nil {
			return err
		}
		return s.sendContext(w, r, t, in.ContextRequest)
	})
	built.Answers = []openapi.Answer{openapi.JSON[tapes.Context](200, "OK"), {Code: http.StatusRequestEntityTooLarge}}
	return served(s, g, []tapeops.Operation{ofArchive(tapeops.Info), ofArchive(tapeops.Read), ofArchive(tapeops.Search), ofArchive(tapeops.Context)},
		map[string]openapi.Operation{tapeops.Read.Name: read, tapeops.Context.Name: built})
}

// ofArchive is an operation at an archived tape.
func ofArchive[R, T any](o *tapeops.Op[R, T]) tapeops.Operation {
	c := *o
	c.Path, c.ID = strings.Replace(c.Path, "/tapes/{tape}", "/tape-archives/{archive}", 1), ""
	c.Summary += ", of an archived tape"
	return &c
}

// archived returns an archived tape.
func (s *Server) archived(path string) (*tapes.Tape, error) {
	one, err := s.Tapes.Archived(path)
	if err != nil {
		return nil, tapeProblem(err, &ops.About{Invalid: "path parameter archive: want the path of an archived tape, as reset and merge answer it", Missing: "no such archived tape"})
	}
	return one, nil
}
