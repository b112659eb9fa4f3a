package compile

import (
	"errors"
	"fmt"
	"strings"

	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
)

// Lost: the file with a part of the context is missing or damaged. Without that part the
// context would look complete.
type Lost struct {
	Piece        // the part
	Of    string // the thread whose context it is
	Err   error  // why it cannot be read
}

func (e *Lost) Error() string {
	return fmt.Sprintf("the context needs the %s, which cannot be read: %v: restore it, or leave it out (--incomplete)", e.in(e.Of), e.Err)
}

func (e *Lost) Unwrap() error { return e.Err }

// unavailable reports whether err means that a file is missing or its content is not what
// it should be, and not that reading failed.
func unavailable(err error) bool {
	return artifact.Lost(err) || thread.Damaged(err) || errors.As(err, new(*bundle.Invalid)) || errors.Is(err, artifact.ErrInvalidID)
}

// lose is called for a part that could not be read. That is an error, unless the context
// may be incomplete: then the part is recorded as left out.
func (c *compiler) lose(p Piece, r thread.Reset, ref map[string]any, err error) error {
	switch {
	case !unavailable(err):
		return fmt.Errorf("%s: %w", p.in(c.req.ThreadID), err)
	case !c.req.Incomplete:
		return &Lost{p, c.req.ThreadID, err}
	}
	p.Why, p.Lost = "it cannot be read", true
	c.reset(r.Input, r.Reason, ref)
	c.leftOut = append(c.leftOut, p)
	return nil
}

// gapEntry is a message that tells the model what the context lacks, nothing if it is
// complete.
func (c *compiler) gapEntry() []entry {
	var names []string
	for _, p := range c.leftOut {
		if p.Lost {
			names = append(names, p.in(c.req.ThreadID))
		}
	}
	if len(names) == 0 {
		return nil
	}
	text := "This context is incomplete. These parts cannot be read and are left out: " + strings.Join(names, "; ") + "."
	return []entry{{item: bundle.Message{Role: "system", Content: text}, piece: Piece{Kind: "note", ThreadID: c.req.ThreadID}, turn: -1}}
}
