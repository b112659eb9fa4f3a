package compile

import (
	"encoding/json"

	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/log/thread/compile/render"
)

// entry is an item of the context with what packing and explaining need.
type entry struct {
	item      bundle.Item
	piece     Piece
	turn      int         // of a message and its reply and side effects: 0 for the newest; else -1
	inherited bool        // from another thread, or from a handoff
	reference bool        // of an item type that RIP has only planned
	whole     bundle.Item // a reference with the text for which the budget may have room; nil for none
}

// compose returns the context, the oldest part first: the handoff, the ancestors,
// the thread.
func (c *compiler) compose() []entry {
	var all []entry
	if c.from != nil {
		all = c.handoffEntries()
	}
	all = append(all, c.threadEntries()...)
	turns := len(c.own.turns)
	for _, s := range c.base {
		turns += len(s.turns)
	}
	for i := len(c.base) - 1; i >= 0; i-- {
		all = append(all, c.segmentEntries(c.base[i], true, &turns)...)
	}
	return append(all, c.segmentEntries(c.own, false, &turns)...)
}

// handoffEntries is the handoff's summary, as a message of the role system like
// RIP's summaries; or references to the bundle and what it refers to.
func (c *compiler) handoffEntries() []entry {
	piece := Piece{Kind: "handoff", ThreadID: c.from.threadID, Seq: c.from.frame.Seq, ID: c.from.frame.ID}
	if !c.req.Refs || c.from.bundle == nil {
		m := bundle.Message{Role: "system", Content: render.HandoffText(c.from.summary), ThreadSeq: &c.from.frame.Seq, ThreadEventID: &c.from.frame.ID}
		m.Extra = c.threadField(c.from.threadID)
		return []entry{{item: m, piece: piece, turn: -1, inherited: true}}
	}
	piece.ID = *c.from.created.SummaryArtifactID
	all := []entry{c.reference("handoff_bundle_ref", piece, textField("artifact_id", piece.ID))}
	for _, f := range c.from.bundle.Refs.Files {
		all = append(all, c.reference("file_ref", Piece{Kind: "file", ThreadID: piece.ThreadID, ID: f.Path},
			noted(f.Note, textField("path", f.Path))...))
	}
	for _, a := range c.from.bundle.Refs.Artifacts {
		all = append(all, c.reference("artifact_ref", Piece{Kind: "artifact", ThreadID: piece.ThreadID, ID: a.ID.String()},
			noted(a.Note, textField("artifact_id", a.ID.String()))...))
	}
	return all
}

func (c *compiler) reference(kind string, piece Piece, fields ...bundle.Field) entry {
	return entry{item: bundle.OtherItem{Type: kind, Fields: fields}, piece: piece, turn: -1, inherited: piece.Kind != "side_effects" && piece.Kind != "thread", reference: true}
}

// segmentEntries numbers the turns, counting down.
func (c *compiler) segmentEntries(s segment, inherited bool, turns *int) []entry {
	var all []entry
	other := ""
	if inherited {
		other = s.threadID
	}
	for _, cp := range s.checkpoints {
		all = append(all, entry{item: summaryRef(cp, other), turn: -1, inherited: inherited,
			piece: Piece{Kind: "summary", ThreadID: s.threadID, Seq: cp.ToSeq, ID: cp.SummaryArtifactID}})
	}
	for i := range s.turns {
		t := &s.turns[i]
		*turns--
		first := len(all)
		m := bundle.Message{Role: "user", Content: t.Content, ActorID: &t.ActorID, Origin: &t.Origin,
			ThreadSeq: &t.Seq, ThreadEventID: &t.ID, Extra: c.threadField(s.threadID)}
		all = append(all, entry{item: m, piece: Piece{Kind: "message", ThreadID: s.threadID, Seq: t.Seq, ID: t.ID}})
		if t.reply != "" {
			reply := bundle.Message{Role: "assistant", Content: t.reply, Extra: c.threadField(s.threadID)}
			if t.failed != "" {
				reply.Extra, c.failed = append(reply.Extra, textField(render.FailedField, t.failed)), true
			}
			all = append(all, entry{item: reply, piece: Piece{Kind: "reply", ThreadID: s.threadID, Seq: t.Seq, ID: t.session}})
		}
		for _, e := range s.effects[t.session] {
			all = append(all, c.reference("tool_side_effect_ref", Piece{Kind: "side_effects", ThreadID: s.threadID, Seq: t.Seq, ID: e.ToolID}, effectFields(e)...))
		}
		for j := range all[first:] {
			all[first+j].turn, all[first+j].inherited = *turns, inherited
		}
	}
	return all
}

func effectFields(e *thread.SideEffects) []bundle.Field {
	fields := []bundle.Field{textField("run_session_id", e.RunSessionID), textField("tool_id", e.ToolID)}
	if e.AffectedPaths != nil {
		fields = append(fields, field("affected_paths", e.AffectedPaths))
	}
	if e.CheckpointID != nil {
		fields = append(fields, textField("checkpoint_id", *e.CheckpointID))
	}
	return fields
}

// threadField names the thread of an item if it is not the bundle's, because the
// item's numbers are events of that thread.
func (c *compiler) threadField(threadID string) []bundle.Field {
	if threadID == c.req.ThreadID {
		return nil
	}
	return []bundle.Field{textField("thread_id", threadID)}
}

func noted(note *string, fields ...bundle.Field) []bundle.Field {
	if note != nil {
		fields = append(fields, textField("note", *note))
	}
	return fields
}

func textField(name, value string) bundle.Field { return field(name, value) }

// field cannot fail: texts and lists of texts can always be encoded. The bundle's
// writer normalizes them.
func field(name string, value any) bundle.Field {
	raw, _ := json.Marshal(value)
	return bundle.Field{Name: name, Value: raw}
}
