package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
)

// story is streams in the making.
type story struct {
	streams map[string][]thread.Event
	blobs   map[artifact.ID][]byte
	failing map[artifact.ID]error // to read
	clock   uint64                // of the machine that builds it
}

func newStory() *story {
	return &story{streams: map[string][]thread.Event{}, blobs: map[artifact.ID][]byte{}, clock: 1769092800000}
}

func (s *story) add(stream, id string, p thread.Payload) thread.Event {
	s.clock += 13
	e := thread.Event{ID: id, StreamID: stream, TimestampMS: s.clock, Seq: uint64(len(s.streams[stream])), Payload: p}
	s.streams[stream] = append(s.streams[stream], e)
	return e
}

func (s *story) thread(id string) { s.add(id, id+"/created", &thread.Created{Workspace: "/w"}) }

func (s *story) message(threadID, id string) thread.Event {
	return s.add(threadID, id, &thread.Message{ActorID: "alice", Origin: "team", Content: "content of " + id})
}

// run starts and ends a run with output for a message.
func (s *story) run(threadID, messageID, session string, says ...string) {
	s.add(threadID, session+"/spawned", &thread.RunSpawned{RunSessionID: session, MessageID: messageID})
	s.says(session, says...)
	s.add(threadID, session+"/ended", &thread.RunEnded{RunSessionID: session, MessageID: messageID, Reason: "completed"})
}

func (s *story) says(session string, says ...string) {
	s.add(session, session+"/started", &thread.SessionStarted{Input: "x"})
	for i, text := range says {
		s.add(session, fmt.Sprint(session, "/", i), &thread.OutputDelta{Delta: text})
	}
	s.add(session, session+"/ended", &thread.SessionEnded{Reason: "completed"})
}

// turns adds messages with replies, named m<from> and so on.
func (s *story) turns(threadID string, from, to int) {
	for i := from; i <= to; i++ {
		id := fmt.Sprintf("%s/m%d", threadID, i)
		s.message(threadID, id)
		s.run(threadID, id, fmt.Sprintf("%s/r%d", threadID, i), "reply ", fmt.Sprint(i))
	}
}

// checkpoint stores a summary and notes it.
func (s *story) checkpoint(threadID, kind string, toSeq uint64) artifact.ID {
	summary := bundle.Summary{Kind: kind, Coverage: bundle.Coverage{ThreadID: threadID, ToSeq: toSeq}, SummaryMarkdown: fmt.Sprintf("summary of %s up to %d", threadID, toSeq)}
	id := artifact.Sum(summary.Bytes())
	s.blobs[id] = summary.Bytes()
	s.noted(threadID, kind, id.String(), toSeq)
	return id
}

func (s *story) noted(threadID, kind, artifactID string, toSeq uint64) {
	id := fmt.Sprintf("%s/cp%d", threadID, len(s.streams[threadID]))
	s.add(threadID, id, &thread.CheckpointCreated{CheckpointID: id, CutRuleID: "manual_v1", SummaryKind: kind, SummaryArtifactID: artifactID, ToSeq: toSeq})
}

func (s *story) branch(parent string, cut uint64, child string) {
	s.thread(child)
	s.add(child, child+"/branched", &thread.Branched{ParentThreadID: parent, ParentSeq: cut, ActorID: "alice", Origin: "team"})
}

func (s *story) handoff(parent string, cut uint64, child string, h bundle.Handoff) artifact.ID {
	s.thread(child)
	id := h.ID()
	s.blobs[id] = h.Bytes()
	s.add(child, child+"/handoff", &thread.HandedOff{FromThreadID: parent, FromSeq: cut, SummaryArtifactID: new(id.String()), ActorID: "alice", Origin: "team"})
	return id
}

func (s *story) source() Source {
	src := Replay(func(kind thread.StreamKind, id string) ([]thread.Event, error) { return s.streams[id], nil })
	src.Artifact = func(id artifact.ID) ([]byte, error) {
		if err := s.failing[id]; err != nil {
			return nil, err
		}
		if b, ok := s.blobs[id]; ok {
			return b, nil
		}
		return nil, fmt.Errorf("%s: %w", id, fs.ErrNotExist)
	}
	return src
}

func (s *story) compile(t *testing.T, req Request) Result {
	t.Helper()
	r, err := Compile(s.source(), req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.ParseContext(r.Bundle.Bytes()); err != nil {
		t.Fatal(err)
	}
	return r
}

// wantLost wants an error that names the part and says why it cannot be read.
func (s *story) wantLost(t *testing.T, req Request, part, why string) {
	t.Helper()
	_, err := Compile(s.source(), req)
	if !errors.As(err, new(*Lost)) || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), why) {
		t.Errorf("%v, want the %s as lost: %s", err, part, why)
	}
}

// shape lists the kinds of the items, for comparing at a glance.
func shape(r Result) (all []string) {
	for _, p := range r.Explanation.Kept {
		text := fmt.Sprint(p.Kind, " ", p.Seq)
		if p.Kind == "file" || p.Kind == "artifact" {
			text = p.Kind + " " + p.ID
		}
		if p.ThreadID != r.Explanation.ThreadID {
			text += " of " + p.ThreadID
		}
		all = append(all, text)
	}
	return all
}
