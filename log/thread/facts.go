package thread

import (
	"fmt"
	"strconv"

	"handoff/internal/journal"
	"handoff/internal/text/say"
)

// The lists of a thread's journal. Every operation finds events by them and by the
// keys: none reads a thread from its start.
const (
	listMessages   = "message"
	listCursors    = "cursor"
	listSelections = "selection"
	listSchedules  = "schedule"
	listJobsBegun  = "job_spawned"
	listJobsEnded  = "job_ended"
	listDeltas     = "delta"
	listEffects    = "side_effects"
	listReferences = "reference"
)

// The keys: a message with the starts and ends of its runs; the start and end of a
// run, of a job; the checkpoints at a message. The many other events of a run have
// no key, because nothing queries them by run; its side effects are on a list.
func messageKey(id string) string       { return "m/" + id }
func runKey(id string) string           { return "r/" + id }
func jobKey(id string) string           { return "j/" + id }
func checkpointKey(toSeq uint64) string { return "c/" + strconv.FormatUint(toSeq, 10) }

// The marks: how far a checkpoint reaches, by the kind of its summary and for any
// kind; the cursor of an event.
const markCursor = "cursor"

func markReach(kind string) string { return "checkpoint/" + kind }

// format is the format of a stream of that kind and id. A line of another stream is
// damage.
func format(kind StreamKind, id string) journal.Format {
	return journal.Format{Version: 5, Begun: true, Whole: true, Repair: repairAdvice, Read: func(line []byte) (journal.Facts, error) {
		e, err := Parse(line)
		if err != nil {
			return journal.Facts{}, err
		}
		if e.StreamID != id {
			return journal.Facts{}, fmt.Errorf("an event of the stream %s, want %s", foreign(e.StreamID), id)
		}
		if e.Known() && e.Kind() != kind {
			return journal.Facts{}, fmt.Errorf("%s: an event of a %s, want one of a %s", e.Payload.Type(), e.Kind(), kind)
		}
		return factsOf(e), nil
	}}
}

// foreign quotes and shortens a text of somebody else for messages.
func foreign(s string) string { return strconv.QuoteToGraphic(say.Clip(s, 80)) }

func factsOf(e Event) journal.Facts {
	f := journal.Facts{Number: e.Seq}
	on := func(list string, keys ...string) {
		if f.Keys = keys; list != "" {
			f.Lists = []string{list}
		}
	}
	switch p := e.Payload.(type) {
	case *Message:
		on(listMessages, messageKey(e.ID))
	case *RunSpawned:
		on("", messageKey(p.MessageID), runKey(p.RunSessionID))
	case *RunEnded:
		on("", messageKey(p.MessageID), runKey(p.RunSessionID))
	case *SelectionDecided:
		on(listSelections)
	case *CheckpointCreated:
		on("", checkpointKey(p.ToSeq))
		f.Marks = []journal.Mark{{Name: markReach(""), Value: p.ToSeq}}
		if p.SummaryKind != "" {
			f.Marks = append(f.Marks, journal.Mark{Name: markReach(p.SummaryKind), Value: p.ToSeq})
		}
	case *CursorUpdated:
		on(listCursors)
		f.Marks = []journal.Mark{{Name: markCursor, Value: p.Number() % journal.MaxMark}}
	case *ScheduleDecided:
		on(listSchedules)
	case *JobSpawned:
		on(listJobsBegun, jobKey(p.JobID))
	case *JobEnded:
		on(listJobsEnded, jobKey(p.JobID))
	case *OutputDelta:
		on(listDeltas)
	case *SideEffects:
		on(listEffects)
	case *ThreadReferenced:
		on(listReferences)
	}
	return f
}
