package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/log/artifact"
)

// referenceInput is a name that a person types.
type referenceInput struct {
	Kind string `query:"kind" enum:"artifact,run,tape,thread" default:"thread" doc:"kind of what is named"`
	Ref  string `query:"ref" doc:"an ID or the beginning of one; of runs and threads also latest; of a thread the beginning of its title, of a tape that of its name"`
}

type reference struct {
	ID string `json:"id" doc:"whole ID, or the name of a tape; ref itself if no run or tape is named so"`
}

// findReference returns what a name means in this workspace, as commands that work here do.
func (s *Server) findReference(ctx context.Context, in referenceInput) (r reference, err error) {
	switch in.Kind {
	case "artifact":
		r.ID, err = s.findArtifact(ctx, in.Ref)
	case "run":
		r.ID, err = s.Threads.FindRun(in.Ref)
	case "tape":
		r.ID, err = s.Tapes.Find(in.Ref)
	default:
		if r.ID, err = s.Threads.Find(ctx, in.Ref); unknownThread(err) {
			err = noThread
		}
	}
	if several := (*handoff.AmbiguousError)(nil); errors.As(err, &several) {
		err = &openapi.Refusal{Status: http.StatusBadRequest, Text: fmt.Sprintf("%d begin so, such as %s and %s: write more of it", len(several.Found), several.Found[0], several.Found[1])}
	}
	return r, err
}

func (s *Server) findArtifact(ctx context.Context, ref string) (string, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return "", err
	}
	id, err := ws.FindArtifact(ref)
	if errors.Is(err, artifact.ErrInvalidID) || errors.Is(err, fs.ErrNotExist) { // no id, and no beginning of one
		return "", noArtifact
	}
	return id.String(), err
}

// unknownThread reports whether no thread has a name, or none can have it.
func unknownThread(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, handoff.ErrInvalid) && !errors.As(err, new(*handoff.AmbiguousError))
}
