package thread

import (
	"fmt"
	"strconv"

	"handoff/internal/journal"
)

// The lists of a thread's journal. Each operation finds what it needs by them
// and by the keys: none reads a thread from its beginning.
const (
	listMessages   = "message"
	listSpawned    = "run_spawned"
	listEnded      = "run_ended"
	listCheckpoint = "checkpoint"
	listCursors    = "cursor"
	listSelections = "selection"
	listSchedules  = "schedule"
	listJobsBegun  = "job_spawned"
	listJobsEnded  = "job_ended"
	listDeltas     = "delta"
)

// The keys: a message and the runs that were started for it; all that a run or
// a job has left; the checkpoints at a message.
func messageKey(id string) string       { return "m/" + id }
func runKey(id string) string           { return "r/" + id }
func jobKey(id string) string           { return "j/" + id }
func checkpointKey(toSeq uint64) string { return "c/" + strconv.FormatUint(toSeq, 10) }

// format is how a journal reads the stream of that kind and id. A line of
// another stream is damage: it has strayed here.
func format(kind StreamKind, id string) journal.Format {
	return journal.Format{Version: 1, Begun: true, Read: func(line []byte) (journal.Facts, error) {
		e, err := Parse(line)
		if err != nil {
			return journal.Facts{}, err
		}
		if e.StreamID != id {
			return journal.Facts{}, fmt.Errorf("an event of the stream %s, want %s", clip(e.StreamID), id)
		}
		if e.Known() && e.Kind() != kind {
			return journal.Facts{}, fmt.Errorf("%s: an event of a %s, want one of a %s", e.Payload.Type(), e.Kind(), kind)
		}
		return factsOf(e), nil
	}}
}

// clip shortens what came from elsewhere, for messages.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.QuoteToGraphic(s)
}

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
		on(listSpawned, messageKey(p.MessageID), runKey(p.RunSessionID))
	case *RunEnded:
		on(listEnded, messageKey(p.MessageID), runKey(p.RunSessionID))
	case *SelectionDecided:
		on(listSelections, runKey(p.RunSessionID))
	case *ContextCompiled:
		on("", runKey(p.RunSessionID))
	case *SideEffects:
		on("", runKey(p.RunSessionID))
	case *CheckpointCreated:
		on(listCheckpoint, checkpointKey(p.ToSeq))
	case *CursorUpdated:
		on(listCursors)
	case *ScheduleDecided:
		on(listSchedules)
	case *JobSpawned:
		on(listJobsBegun, jobKey(p.JobID))
	case *JobEnded:
		on(listJobsEnded, jobKey(p.JobID))
	case *OutputDelta:
		on(listDeltas)
	}
	return f
}
