package tape

import (
	"handoff/log/tape/calls"
	"handoff/log/tape/entry"
	"handoff/log/tape/envelope"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// What callers of a tape use most of the packages below, so that most of them
// import only this one.
type (
	Entry = entry.Entry
	Field = entry.Field
	Error = entry.Error
	// Cursor is the position of a reader.
	Cursor = entry.Cursor

	Window = view.Window
	Query  = view.Query
	Slice  = view.Slice
	Search = view.Search
	// Waiting is an append that waits for a tape.
	Waiting = view.Append

	// ErrorKind is of an [Error], so that programs outside of this module can name it.
	ErrorKind = entry.ErrorKind

	Call = calls.Call
	Ref  = envelope.Ref
	Node = lineage.Node

	Envelope          = envelope.Envelope
	EnvelopeContent   = envelope.Content
	EnvelopeIntention = envelope.Intention
)

// The kinds of entry that Bub writes: see package entry.
const (
	KindAnchor     = entry.KindAnchor
	KindEvent      = entry.KindEvent
	KindSystem     = entry.KindSystem
	KindMessage    = entry.KindMessage
	KindToolCall   = entry.KindToolCall
	KindToolResult = entry.KindToolResult
	KindError      = entry.KindError

	InvalidInput = entry.InvalidInput
	NotFound     = entry.NotFound
)

// Main is the default tape of a workspace.
const Main = envelope.Main

// NewEntry is an entry to be appended: see [entry.New].
func NewEntry(kind string, payload, meta any) (Entry, error) { return entry.New(kind, payload, meta) }

// Parse reads the entries of a line: see [entry.Parse].
func Parse(line []byte) ([]Entry, error) { return entry.Parse(line) }

// ParseCursor reads a [Cursor].
func ParseCursor(text string) (Cursor, error) { return entry.ParseCursor(text) }

// ParseRef reads a tape:// URI.
func ParseRef(text string) (Ref, error) { return envelope.ParseURI(text) }

// CheckName reports whether a text can be the name of a tape.
func CheckName(name string) error { return envelope.CheckName(name) }

// ParseEnvelope reads and checks an envelope.
func ParseEnvelope(data []byte) (Envelope, error) { return envelope.Parse(data) }

// FromLastAnchor starts after the last anchor.
func FromLastAnchor() Window { return view.FromLastAnchor() }

// AfterAnchor starts after the last anchor of that name.
func AfterAnchor(name string) Window { return view.AfterAnchor(name) }

// BetweenAnchors starts after the last anchor named start, and ends before the
// next one named end.
func BetweenAnchors(start, end string) Window { return view.BetweenAnchors(start, end) }
