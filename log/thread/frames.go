// Package thread stores threads: append-only streams of events in the frames of
// RIP (package frame), one file for each thread. It posts messages, branches,
// hands off, and records runs and compactions.
//
// [Open] opens a store, [Store.Ensure] the default thread, [Store.PostMessage] posts, [Store.Events] reads, [Store.Handoff]
// starts a thread from a summary of another. RIP reads what is written here, and the other way round.
//
// It knows no provider and no prompt; package compile builds contexts.
package thread

import "handoff/log/thread/frame"

// The types of package frame, with the payloads in the order of that package.
type (
	Event      = frame.Event
	Payload    = frame.Payload
	StreamKind = frame.StreamKind

	Created           = frame.Created
	Message           = frame.Message
	RunSpawned        = frame.RunSpawned
	SelectionDecided  = frame.SelectionDecided
	ContextCompiled   = frame.ContextCompiled
	CursorUpdated     = frame.CursorUpdated
	CheckpointCreated = frame.CheckpointCreated
	ScheduleDecided   = frame.ScheduleDecided
	JobSpawned        = frame.JobSpawned
	JobEnded          = frame.JobEnded
	RunEnded          = frame.RunEnded
	SideEffects       = frame.SideEffects
	Branched          = frame.Branched
	HandedOff         = frame.HandedOff
	ThreadReferenced  = frame.ThreadReferenced
	SessionStarted    = frame.SessionStarted
	OutputDelta       = frame.OutputDelta
	SessionEnded      = frame.SessionEnded

	Schedule           = frame.Schedule
	SelectedCheckpoint = frame.SelectedCheckpoint
	Reset              = frame.Reset
	Planned            = frame.Planned
)

// The kinds of streams.
const (
	Continuity = frame.Continuity
	Session    = frame.Session
	Task       = frame.Task
)

// The names of [Schemas] of all frames of a thread or of a run.
const (
	ThreadFrame  = frame.ThreadFrame
	SessionFrame = frame.SessionFrame
)

// Schemas is [frame.Schemas].
func Schemas() map[string]any { return frame.Schemas() }

// Parse is [frame.Parse].
func Parse(line []byte) (Event, error) { return frame.Parse(line) }
