package httpapi

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"handoff/internal/web/openapi"
	"handoff/log/artifact"
	"handoff/surface/problem"
)

type artifactInput struct {
	ID artifact.ID `path:"id" doc:"artifact ID: 64 lowercase hex digits" pattern:"^[0-9a-f]{64}$"`
}

type storedArtifact struct {
	ID      artifact.ID `json:"id" doc:"SHA-256 of the bytes" pattern:"^[0-9a-f]{64}$"`
	Size    int64       `json:"size" doc:"size in bytes"`
	Outcome string      `json:"outcome" enum:"created,kept,healed" doc:"kept: it already existed; healed: it existed but was damaged and is now restored"`
}

var noArtifact = &openapi.Refusal{Status: http.StatusNotFound, Text: "no such artifact"}

// getArtifact sends the bytes of an artifact. An artifact that is named by its
// hash never changes, so clients may cache it forever; before any part of it is sent, it
// is verified. Others may grow: RIP appends to the logs of running commands.
func (s *Server) getArtifact(w http.ResponseWriter, r *http.Request, in artifactInput) error {
	ws, err := s.workspace(r.Context())
	if err != nil {
		return err
	}
	store, err := ws.Artifacts()
	if err != nil {
		return err
	}
	defer store.Close()
	if unit, _, _ := strings.Cut(r.Header.Get("Range"), "="); unit != "bytes" {
		r.Header.Del("Range") // RFC 9110, 14.2: an unknown unit is ignored
	}
	tag, cache := `"`+in.ID.String()+`"`, "private, max-age=31536000, immutable"
	if in.ID.MadeUp() && errors.Is(store.Verify(in.ID), artifact.ErrNotHashed) {
		tag, cache = "", "no-cache"
	}
	blob, err := store.Open(in.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return orNamed(err, noArtifact)
	}
	if err != nil {
		return err
	}
	defer blob.Close()
	if tag == "" {
		tag = fmt.Sprintf(`"%s-%d"`, in.ID, blob.Size) // it only grows
	}
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", cache)
	h.Set("Content-Type", "application/octet-stream")
	http.ServeContent(&rangeWriter{ResponseWriter: w}, r, "", time.Time{}, blob)
	return nil
}

// rangeWriter replaces net/http's answer to an invalid range by a problem.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

func (w *rangeWriter) WriteHeader(code int) {
	if code != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(code)
		return
	}
	w.refused = true
	writeProblem(w.ResponseWriter, problem.Of(code, "the artifact has no such range"), nil)
}

func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

func (s *Server) putArtifact(w http.ResponseWriter, r *http.Request, in artifactInput) error {
	a, err := s.store(r, in.ID)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if a.Outcome == artifact.Created.String() {
		code = http.StatusCreated
	}
	return answerStored(w, code, a)
}

func (s *Server) postArtifact(w http.ResponseWriter, r *http.Request, _ openapi.Nothing) error {
	a, err := s.store(r, artifact.ID{})
	if err != nil {
		return err
	}
	return answerStored(w, http.StatusCreated, a)
}

func answerStored(w http.ResponseWriter, code int, a storedArtifact) error {
	w.Header().Set("Location", "/artifacts/"+a.ID.String())
	return openapi.WriteJSON(w, code, a)
}

// store stores the body of a request while it is received.
func (s *Server) store(r *http.Request, want artifact.ID) (storedArtifact, error) {
	ws, err := s.workspace(r.Context())
	if err != nil {
		return storedArtifact{}, err
	}
	id, size, outcome, err := ws.PutArtifact(r.Body, want)
	if err != nil {
		return storedArtifact{}, openapi.BodyError(err)
	}
	return storedArtifact{id, size, outcome.String()}, nil
}
