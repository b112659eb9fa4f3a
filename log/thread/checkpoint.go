package thread

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"handoff/internal/journal"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread/digest"
)

// CheckpointRequest asks for a checkpoint: a summary that replaces a thread up to
// one of its messages. At most one of ToMessageID and ToSeq selects it; without
// them it is the last message whose number is a multiple of the stride.
type CheckpointRequest struct {
	// At least one of the two: the summary, or an artifact that has it and fits
	// the cut. If both are given, they must agree.
	SummaryMarkdown   *string `json:"summary_markdown" flag:"summary-markdown=TEXT" usage:"the summary" text:"summary,summary-file" doc:"summary that replaces the thread up to the cut"`
	SummaryArtifactID *string `json:"summary_artifact_id" flag:"summary-artifact-id=ARTIFACT" usage:"id of an existing compaction summary, or its beginning" names:"artifact" doc:"ID of a stored compaction summary that matches the cut"`
	ToMessageID       *string `json:"to_message_id" flag:"to-message-id=ID" usage:"the last message that the summary covers" doc:"cut at this message"`
	ToSeq             *uint64 `json:"to_seq" flag:"to-seq=N" usage:"the last message that the summary covers, by its event" doc:"cut at this event, which must be a message; without either field, at the last cut of the stride"`
	StrideMessages    *uint64 `json:"stride_messages" flag:"stride-messages=N" usage:"messages from one cut to the next" unset:"10000" min:"1" doc:"number of messages per cut; default: 10,000"`
	ActorID           string  `json:"actor_id,omitempty" flag:"actor-id=WHO" usage:"who asks" preset:"user" default:"user" doc:"actor; default: user"`
	Origin            string  `json:"origin,omitempty" flag:"origin=WHERE" usage:"where it was asked" preset:"cli" default:"server" doc:"origin of the request; default: server"`
}

// Checkpoint is a checkpoint that was created.
type Checkpoint struct {
	ThreadID          string `json:"thread_id"`
	CheckpointID      string `json:"checkpoint_id"`
	CutRuleID         string `json:"cut_rule_id"`
	SummaryArtifactID string `json:"summary_artifact_id"`
	ToSeq             uint64 `json:"to_seq"`
	ToMessageID       string `json:"to_message_id"`
}

const (
	defaultStride = 10_000
	manualRule    = "manual_v1"
)

func strideRule(stride uint64) string { return "stride_messages_v1/" + strconv.FormatUint(stride, 10) }

// Checkpoint creates a checkpoint. The summary is on the disk before the event
// that names it.
func (s *Store) Checkpoint(ctx context.Context, id string, r CheckpointRequest) (Checkpoint, error) {
	if err := r.check(); err != nil {
		return Checkpoint{}, err
	}
	return onThread(ctx, s, id, func(j *journal.Journal) (Checkpoint, error) {
		message, rule, err := r.resolve(j)
		if err != nil {
			return Checkpoint{}, err
		}
		c := compaction{thread: id, rule: rule, to: message, actorID: or(r.ActorID, defaultActor), origin: or(r.Origin, defaultOrigin),
			by: bundle.ProducedBy{Type: "manual", ID: "handoff"}}
		if r.SummaryArtifactID != nil {
			if err := s.checkSummary(*r.SummaryArtifactID, c, r.SummaryMarkdown); err != nil {
				return Checkpoint{}, err
			}
			return s.checkpoint(ctx, j, c, *r.SummaryArtifactID)
		}
		base, ok, err := summaryBefore(j, message)
		if err != nil {
			return Checkpoint{}, err
		}
		if ok {
			c.base, _ = artifact.ParseID(base.payload.SummaryArtifactID)
		}
		return s.summarize(ctx, j, c, *r.SummaryMarkdown)
	})
}

// check finds what is invalid for any store, in RIP's order.
func (r CheckpointRequest) check() error {
	switch {
	case r.SummaryMarkdown == nil && r.SummaryArtifactID == nil:
		return refuse("give summary_markdown or summary_artifact_id, or both")
	case blank(r.SummaryMarkdown):
		return refuse("summary_markdown is empty: write the summary that replaces the thread up to there")
	case blank(r.SummaryArtifactID):
		return refuse("summary_artifact_id is empty: leave it out, or set it to a compaction summary")
	case r.ToMessageID != nil && r.ToSeq != nil:
		return refuse("give one of to_message_id and to_seq, not both")
	}
	return nil
}

// resolve returns the last message that the checkpoint covers.
func (r CheckpointRequest) resolve(j *journal.Journal) (message Event, rule string, err error) {
	count, err := j.Count(listMessages)
	if err != nil {
		return Event{}, "", err
	}
	if count == 0 {
		return Event{}, "", refuse("the thread has no message yet")
	}
	switch {
	case r.ToMessageID != nil:
		message, _, err = messageByID(j, *r.ToMessageID)
		return message, manualRule, err
	case r.ToSeq != nil:
		pos, ok, err := j.LastOn(listMessages, *r.ToSeq)
		if err == nil && (!ok || pos != *r.ToSeq) {
			err = refuse("to_seq is not a message: want the event number of a message")
		}
		if err != nil {
			return Event{}, "", err
		}
		message, err = eventAt(j, pos)
		return message, manualRule, err
	}
	stride, err := strideOf(r.StrideMessages)
	if err == nil && count < stride {
		err = refuse("no checkpoint is due yet (messages: %d): give to_message_id, to_seq or a smaller stride_messages", count)
	}
	if err != nil {
		return Event{}, "", err
	}
	message, err = nthMessage(j, count/stride*stride)
	return message, strideRule(stride), err
}

func strideOf(stride *uint64) (uint64, error) {
	switch {
	case stride == nil:
		return defaultStride, nil
	case *stride == 0:
		return 0, refuse("stride_messages is 0, want at least 1")
	}
	return *stride, nil
}

// nthMessage is the message of that number, counted from 1.
func nthMessage(j *journal.Journal, ordinal uint64) (Event, error) {
	pos, ok, err := j.Nth(listMessages, ordinal-1)
	if err == nil && !ok {
		err = fmt.Errorf("%s: has no message %d", j.Path(), ordinal)
	}
	if err != nil {
		return Event{}, err
	}
	return eventAt(j, pos)
}

// compaction is a checkpoint that is being created.
type compaction struct {
	thread, rule    string
	to              Event // the message
	actorID, origin string
	by              bundle.ProducedBy
	base            artifact.ID // the previous summary, zero for none
	note            *string     // on the base
}

func (c *compaction) head(ordinal uint64) digest.Head {
	return digest.Head{Thread: c.thread, Rule: c.rule, Seq: c.to.Seq, MessageID: c.to.ID, Ordinal: ordinal, Base: c.base.String(), Note: c.note}
}

// summarize stores a summary and creates its checkpoint.
func (s *Store) summarize(ctx context.Context, j *journal.Journal, c compaction, markdown string) (Checkpoint, error) {
	if s.options.Artifacts == nil {
		return Checkpoint{}, errNoArtifacts
	}
	summary := bundle.Summary{
		Kind:            bundle.Cumulative,
		Coverage:        bundle.Coverage{ThreadID: c.thread, ToSeq: c.to.Seq, ToMessageID: &c.to.ID},
		Provenance:      bundle.SummaryProvenance{ActorID: c.actorID, Origin: c.origin, ProducedBy: &c.by},
		SummaryMarkdown: markdown,
	}
	if !c.base.IsZero() {
		summary.Basis = &bundle.Basis{BaseSummary: c.base, Note: c.note}
	}
	data, err := summary.Checked()
	if err != nil {
		return Checkpoint{}, invalid("compaction checkpoint: %w", err)
	}
	artifactID, err := s.put(data)
	if err != nil {
		return Checkpoint{}, err
	}
	return s.checkpoint(ctx, j, c, artifactID)
}

func (s *Store) checkpoint(ctx context.Context, j *journal.Journal, c compaction, artifactID string) (Checkpoint, error) {
	events, err := s.appendTo(ctx, j, Continuity, c.thread, &CheckpointCreated{CutRuleID: c.rule, SummaryKind: bundle.Cumulative,
		SummaryArtifactID: artifactID, ToSeq: c.to.Seq, ToMessageID: &c.to.ID, ActorID: c.actorID, Origin: c.origin})
	if err != nil {
		return Checkpoint{}, err
	}
	return Checkpoint{c.thread, events[0].ID, c.rule, artifactID, c.to.Seq, c.to.ID}, nil
}

// checkSummary checks that an artifact is a summary of exactly that part of the
// thread, with the text of the request.
func (s *Store) checkSummary(artifactID string, c compaction, markdown *string) error {
	summary, err := s.summary("summary_artifact_id", artifactID)
	if err != nil {
		return err
	}
	switch cover := summary.Coverage; {
	case summary.Kind != bundle.Cumulative:
		return invalid("summary_artifact_id: %s is a summary of kind %s, want %s", artifactID, foreign(summary.Kind), bundle.Cumulative)
	case cover.ThreadID != c.thread:
		return invalid("summary_artifact_id: %s belongs to thread %s, not to %s", artifactID, foreign(cover.ThreadID), c.thread)
	case cover.ToSeq != c.to.Seq:
		return refuse("the summary in summary_artifact_id ends at another message: give to_seq %d", cover.ToSeq)
	case markdown != nil && *markdown != summary.SummaryMarkdown:
		return refuse("summary_markdown differs from the summary in summary_artifact_id: leave one of them out")
	}
	return nil
}

// summary reads a summary that a request or a checkpoint names.
func (s *Store) summary(field, artifactID string) (bundle.Summary, error) {
	data, err := s.blob(field, artifactID)
	if err != nil {
		return bundle.Summary{}, err
	}
	summary, err := bundle.ParseSummary(data)
	if err != nil {
		err = invalid("%s: %s is not a compaction summary: %w", field, artifactID, err)
	}
	return summary, err
}

// CheckpointUpTo is the checkpoint of a kind of summary ("" for any) with the
// greatest ToSeq that is at most upTo; of several the newest. Only checkpoints at
// event asOf or before it count, so with a fixed asOf the answer never changes.
// nil for none.
func (s *Store) CheckpointUpTo(id string, upTo, asOf uint64, kind string) (*SelectedCheckpoint, error) {
	return onThreadUpTo(s, id, max(upTo, asOf), func(j *journal.Journal) (*SelectedCheckpoint, error) {
		e, ok, err := latestCheckpoint(j, upTo, asOf, kind)
		if err != nil || !ok {
			return nil, err
		}
		p := e.payload
		return &SelectedCheckpoint{CheckpointID: p.CheckpointID, SummaryKind: p.SummaryKind, SummaryArtifactID: p.SummaryArtifactID, ToSeq: p.ToSeq}, nil
	})
}

// summaryBefore is the checkpoint before a message.
func summaryBefore(j *journal.Journal, message Event) (found[*CheckpointCreated], bool, error) {
	if message.Seq == 0 {
		return found[*CheckpointCreated]{}, false, nil
	}
	return latestCheckpoint(j, message.Seq-1, math.MaxUint64, bundle.Cumulative)
}

// latestCheckpoint finds the checkpoint for [Store.CheckpointUpTo].
func latestCheckpoint(j *journal.Journal, upTo, asOf uint64, kind string) (best found[*CheckpointCreated], ok bool, err error) {
	rec, _, ok, err := j.Floor(markReach(kind), upTo, asOf)
	if err != nil || !ok {
		return best, false, err
	}
	best, err = foundIn[*CheckpointCreated](j, rec)
	return best, err == nil, err
}
