package tape

// The events that are written here. Bub shows them and passes over them.
const (
	eventHandoff  = "handoff"
	eventRun      = "run"
	eventCommand  = "command"
	eventFork     = "tape.fork"
	eventClosed   = "tape.closed"
	eventMerge    = "tape.merge"
	eventDiscard  = "tape.discard"
	eventTitle    = "tape.title"
	eventSent     = "context_handoff.sent"
	eventReceived = "context_handoff.received"
)
