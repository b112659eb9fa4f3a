package compile

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"handoff/log/artifact"
	"handoff/log/thread"
)

// FromStore reads from a store of threads, through its indexes: the cost does not
// grow with the thread. artifact reads artifacts; see [Source].
func FromStore(s *thread.Store, artifact func(artifact.ID) ([]byte, error)) Source {
	return Source{
		Head:  s.HeadFrom,
		Reach: s.MessageReach,
		Count: s.MessagesUpTo,
		Recent: func(threadID string, upTo uint64, limit int) ([]Message, error) {
			events, err := s.Messages(threadID, upTo, limit)
			messages := make([]Message, len(events))
			for i, e := range events {
				messages[i] = Message{e.ID, e.Seq, *e.Payload.(*thread.Message)}
			}
			return messages, err
		},
		Checkpoint: s.CheckpointUpTo,
		Decided:    s.DecidedAt,
		Run: func(threadID, messageID string, upTo uint64) (session, failed string, err error) {
			run, ok, err := s.EndedRun(threadID, messageID, upTo)
			if !ok {
				return "", "", err
			}
			if slices.Contains(thread.NeverBegun, run.Reason) {
				if _, _, err := s.SessionEnded(run.RunSessionID); isMissing(err) {
					return "", "", nil
				}
			}
			if run.Partial != nil || failedHere(run.Reason) {
				failed = run.Reason
			}
			return run.RunSessionID, failed, err
		},
		Output: s.SessionText,
		Origin: func(threadID string) (thread.Event, error) {
			e, err := s.Event(threadID, 1)
			switch e.Payload.(type) {
			case *thread.Branched, *thread.HandedOff:
				return e, err
			}
			if errors.Is(err, fs.ErrNotExist) {
				_, err = s.HeadFrom(threadID, 0) // the thread may have one event only
			}
			return thread.Event{}, err
		},
		Pasts:       s.Pasts,
		SideEffects: s.SideEffects,
		References:  s.References,
		Artifact:    artifact,
	}
}

// failedHere reports whether a run whose command failed here ended for that reason: what it has said may be a part of
// an answer. Reasons that RIP writes do not count, so that its contexts stay what they were.
func failedHere(reason string) bool {
	return strings.HasPrefix(reason, "exit status ") || strings.HasPrefix(reason, "signal: ") || slices.Contains(thread.NeverBegun, reason)
}
