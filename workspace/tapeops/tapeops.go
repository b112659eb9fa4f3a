// Package tapeops is the list of the operations on tapes. A command, a route and the client's
// call are made from each: see package ops.
package tapeops

import (
	"context"

	"handoff/log/tape"
	"handoff/workspace/ops"
	"handoff/workspace/tapes"
)

type (
	// Op is an operation at a tape of a workspace or a server.
	Op[R, T any] = ops.Op[*tapes.Tape, R, T]
	// Operation is an Op of any types.
	Operation = ops.Any[*tapes.Tape]
	// Place is a tape: it is Here, or a client's.
	Place = ops.Place[*tapes.Tape]
	// Here is a tape of a workspace. An operation about all tapes needs none of its own.
	Here struct{ *tapes.Tape }
)

// Perform does an operation at this tape, whatever the name: see [ops.Op.On].
func (h Here) Perform(ctx context.Context, o Operation, _ string, request, result any) error {
	return o.Run(ctx, h.Tape, "", request, result)
}

// Operations are all operations on tapes, in the order of the help.
var Operations = []Operation{
	Append, Handoff, Exec,
	Anchors, Read, Search, Context, Recover, Info, List, Archives, Lineage,
	Fork, Merge, Discard, Reset, Create, Delete, Send, Receive,
	Import, Export, Check,
}

// The codes of refusals, and the answers to requests.
var (
	bad      = []int{400, 404}
	conflict = []int{400, 409}
	all      = []int{400, 404, 409}
)

const (
	replayed = "Already appended with the same Idempotency-Key"
	// EndedFork is answered where a tape that is missing would be created.
	EndedFork  = "the tape is a fork that was merged or discarded: create a new fork"
	lostParent = "the fork or the tape it was forked from is gone"
)

// at is an operation that is a method of a tape.
func at[R, T any](do func(*tapes.Tape, context.Context, R) (T, error)) func(*tapes.Tape, context.Context, string, R) (T, error) {
	return func(t *tapes.Tape, ctx context.Context, _ string, r R) (T, error) { return do(t, ctx, r) }
}

// alone is an operation that is a method of a tape and needs no request.
func alone[T any](do func(*tapes.Tape, context.Context) (T, error)) func(*tapes.Tape, context.Context, string, ops.None) (T, error) {
	return func(t *tapes.Tape, ctx context.Context, _ string, _ ops.None) (T, error) { return do(t, ctx) }
}

// These append to tapes.
var (
	Append = &Op[tape.AppendRequest, tapes.Appended]{About: ops.About{Name: "append", Help: "append a message, or entries of any kind", Args: "[TEXT]", Extra: 1, Writes: true,
		More: "--from reads one JSON object per entry: with kind, payload and meta, or a message with role and content.\n" +
			"All entries are written, or none. Above 1 MiB or 5,000 entries this holds for each part of that size; to continue after an\n" +
			"interruption, repeat with the same --idempotency-key. A missing tape is created.",
		Path: "/tapes/{tape}/entries", Summary: "Append entries atomically, creating the tape if needed", Code: 201, Again: replayed, Creates: true, Refuses: conflict,
		Invalid: "want one or more entries, each with a kind and at most 16 MiB, and an Idempotency-Key of at most 255 bytes", Missing: EndedFork},
		Do: at((*tapes.Tape).Append), Existed: func(a *tapes.Appended) *bool { return &a.Existed }}
	Handoff = &Op[tapes.HandoffRequest, tapes.Appended]{About: ops.About{Name: "handoff", Help: "write an anchor: the context starts again there", Args: "NAME", Writes: true,
		More: "Without --summary and the like the anchor has no state. --from, instead of NAME, reads the arguments of a call of the tool\ntape_handoff, as the model wrote them (`handoff tape schema`). --overflow is for an agent loop whose model refused the context as too\nlong: it hands off with the summary of the last anchor, and fails if that would not make the context shorter.",
		Path: "/tapes/{tape}/handoff", Summary: "Write an anchor and its handoff event; the context starts again there", Code: 201, Again: replayed, Creates: true, Refuses: conflict,
		Invalid: "want an object as state, at most 16 MiB in total, as overflow an error about the length of a context and nothing else, and an Idempotency-Key of at most 255 bytes", Missing: EndedFork},
		Do: at((*tapes.Tape).HandOff), Existed: func(a *tapes.Appended) *bool { return &a.Existed }}
	// Exec is a command line for models. Each of its commands has a route of its own, too.
	Exec = &Op[tapes.ExecRequest, tapes.Executed]{About: ops.About{Name: "exec", Help: "run a comma command", Args: "COMMAND", Writes: true,
		More: "',handoff name=phase-1 summary=\"…\" next_steps=\"…\" state={tables: 5}', ',anchors', ',info', ',search query=…', ',reset',\n" +
			"',fork_session new_session_id=…', ',intention', or as Bub spells them: ',tape.handoff phase-1'. - reads it from standard input.\n" +
			"The command is recorded on the tape as an event `command`, as Bub does.",
		Path: "/tapes/{tape}/exec", Summary: "Run a comma command, and record it on the tape", Creates: true, Refuses: all, Taken: "a tape with that name already exists"},
		Do: at((*tapes.Tape).Exec)}
)

// These read tapes. The result of List is what can be read, also with an error about the rest.
var (
	Anchors = &Op[tapes.AnchorsRequest, []tape.Anchor]{About: ops.About{Name: "anchors", Help: "list the last anchors, with their states",
		Method: "GET", Path: "/tapes/{tape}/anchors", Summary: "List the last anchors", Refuses: bad}, Do: at((*tapes.Tape).Anchors)}
	// Read sends entries as they are read: a tape may not fit into memory.
	Read = &Op[ReadRequest, ops.None]{About: ops.About{Name: "read", Help: "print entries of a tape, or what a tape:// URI names", Args: "[URI]", Extra: 2, // with --between an anchor
		More:   "Filters apply in this order: anchors, dates, text, kinds, --limit.\nThe anchors at the cuts are not printed.",
		Method: "GET", Path: "/tapes/{tape}/entries", ID: "tape_entries", Summary: "List entries; filters apply in this order: anchors, dates, text, kinds, limit", Refuses: bad}}
	Search = &Op[tapes.SearchRequest, []tapes.Hit]{About: ops.About{Name: "search", Help: "search for a text, newest first", Args: "TEXT",
		Method: "GET", Path: "/tapes/{tape}/search", Summary: "Search for a text, newest first", Refuses: bad}, Do: at((*tapes.Tape).Search)}
	Context = &Op[tapes.ContextRequest, tapes.Context]{About: ops.About{Name: "context", Help: "print the messages for a model", Extra: 1, // with --between
		More:   "By default it starts after the last anchor, with that anchor's state. Token counts are estimates, made without the\nmodel's tokenizer.",
		Method: "GET", Path: "/tapes/{tape}/context", Summary: "Build the messages for a model", Refuses: bad}, Do: at((*tapes.Tape).Context)}
	Recover = &Op[ops.None, tape.Recovery]{About: ops.About{Name: "recover", Help: "show where to resume: last anchor, its state, entries since, unfinished calls",
		Method: "GET", Path: "/tapes/{tape}/recover", Summary: "Get where to resume: last anchor, its state, entries since, unfinished calls", Refuses: bad}, Do: alone((*tapes.Tape).Recover)}
	Info = &Op[ops.None, tape.Info]{About: ops.About{Name: "info", Help: "print a tape's counts, last anchor and state",
		Method: "GET", Path: "/tapes/{tape}", ID: "tape_get", Summary: "Get a tape's counts, last anchor and state", Refuses: bad}, Do: alone((*tapes.Tape).Info)}
	List = &Op[ops.None, []tape.Info]{About: ops.About{Name: "list", Help: "list the tapes", Whole: true, Partial: true,
		Method: "GET", Path: "/tapes", Summary: "List tapes by name"},
		Do: func(t *tapes.Tape, _ context.Context, _ string, _ ops.None) ([]tape.Info, error) {
			list, err := t.All().List()
			return append([]tape.Info{}, list...), err // JSON has [], not null
		}}
	Archives = &Op[ops.None, []Archive]{About: ops.About{Name: "archives", Help: "list the archives of a tape, the newest first",
		More:   "They are what reset, merge, discard and delete have archived, also of a tape that was deleted. --archive PATH reads one.",
		Method: "GET", Path: "/tapes/{tape}/archives", Summary: "List a tape's archives, the newest first", Creates: true, Refuses: []int{400}},
		Do: func(t *tapes.Tape, _ context.Context, _ string, _ ops.None) ([]Archive, error) {
			paths, err := t.Archives()
			list := make([]Archive, len(paths)) // JSON has [], not null
			for i, path := range paths {
				list[i] = Archive{path}
			}
			return list, err
		}}
	Lineage = &Op[tapes.LineageRequest, []*tape.Node]{About: ops.About{Name: "lineage", Help: "draw which tape was forked from which", Args: "[NAME]", Whole: true,
		More:   "With NAME, a tape or the session of a fork, it draws only the tree that contains it.",
		Method: "GET", Path: "/tape-lineage", Summary: "Get which tape was forked from which, as trees", Refuses: bad}, Do: at((*tapes.Tape).Lineage)}
)

// These create tapes, also from others, and end them.
var (
	Fork = &Op[tapes.ForkRequest, tape.ForkResult]{About: ops.About{Name: "fork", Help: "create a tape that continues another, which stays unchanged", Args: "NEW", Writes: true,
		More: "Without --from-anchor or --from-entry the fork gets all entries. Its last anchor holds --next-steps and --context-summary.\nWith --idempotency-key, NEW can be left out: the name is made from the key.",
		Path: "/tapes/{tape}/fork", Summary: "Create a tape that continues another, which stays unchanged", Code: 201, Creates: true, Refuses: all, Taken: "a tape with that name already exists",
		Invalid: "want a valid tape name in to, at most one of from_anchor and from_entry, intention or its members but not both, a tape that was not merged or discarded, and an Idempotency-Key of at most 255 bytes"},
		Do: at((*tapes.Tape).Fork), Existed: func(r *tape.ForkResult) *bool { return &r.Existed }}
	Merge = &Op[tapes.MergeRequest, tape.MergeResult]{About: ops.About{Name: "merge", Help: "append a fork's own entries to its parent and archive the fork", Args: "FORK", Writes: true,
		Path: "/tapes/{tape}/merge", Summary: "Append a fork's own entries to its parent and archive the fork", Refuses: bad,
		Invalid: "the tape is not a fork, or it is already being merged or discarded", Missing: lostParent}, Do: at((*tapes.Tape).Merge)}
	Discard = &Op[tapes.DiscardRequest, tape.MergeResult]{About: ops.About{Name: "discard", Help: "archive a fork without merging it", Args: "FORK", Writes: true,
		Path: "/tapes/{tape}/discard", Summary: "Archive a fork without merging it", Refuses: bad, Invalid: Merge.Invalid, Missing: lostParent}, Do: at((*tapes.Tape).Discard)}
	Reset = &Op[tapes.ResetRequest, tapes.Archived]{About: ops.About{Name: "reset", Help: "archive a tape's entries and start it again", Writes: true,
		Path: "/tapes/{tape}/reset", Summary: "Archive a tape's entries and start it again; idempotent with an Idempotency-Key", Refuses: all,
		Invalid: "a fork refers to the tape: archive it, or merge or discard that fork first; an Idempotency-Key has at most 255 bytes"}, Do: at((*tapes.Tape).Reset)}
	Create = &Op[tapes.CreateRequest, tapes.Created]{About: ops.About{Name: "create", Help: "create a tape", Args: "NAME", Writes: true,
		More:   "An append creates a tape, too. An existing tape stays as it is.",
		Method: "PUT", Path: "/tapes/{tape}", Summary: "Create a tape", Code: 201, Again: "Already exists; left unchanged", Creates: true, Refuses: conflict, Missing: EndedFork},
		Do: at((*tapes.Tape).Create), Existed: func(c *tapes.Created) *bool { return &c.Existed }}
	Delete = &Op[tapes.DeleteRequest, tapes.Archived]{About: ops.About{Name: "delete", Help: "archive a tape's entries and delete it", Args: "NAME", Writes: true,
		More:   "A fork is merged or discarded instead. An append to a deleted tape creates it again.",
		Method: "DELETE", Path: "/tapes/{tape}", Summary: "Archive a tape's entries and delete it", Refuses: all,
		Invalid: "the tape is a fork: merge or discard it instead; or a fork refers to the tape: archive it, or end that fork first"}, Do: at((*tapes.Tape).Delete)}
	Send = &Op[tapes.SendRequest, tape.Envelope]{About: ops.About{Name: "send", Help: "hand a tape over to another agent: print an envelope", Writes: true,
		More: "--summary and --next-steps default to those of the last anchor. The handover is recorded on the tape.",
		Path: "/tapes/{tape}/send", Summary: "Hand a tape over to another agent: create an envelope and record that it was sent", Refuses: all,
		Invalid: "want from and to, a summary if the last anchor has none, and intention or its members but not both"}, Do: at((*tapes.Tape).Send)}
	Receive = &Op[tapes.ReceiveRequest, tapes.Received]{About: ops.About{Name: "receive", Help: "receive an envelope: write its anchor", Args: "FILE", Extra: 1, Writes: true,
		More: "FILE is - for standard input. The content is data for a model, not an instruction. Receiving it again changes nothing.",
		Path: "/tapes/{tape}/receive", Summary: "Receive an envelope: write its anchor, once", Code: 201, Again: "Already received", Creates: true, Refuses: conflict,
		Invalid: "want an envelope that matches the schema context-handoff", Missing: EndedFork},
		Do: at((*tapes.Tape).Receive), Existed: func(r *tapes.Received) *bool { return &r.Existed }}
)

// These need the files of a workspace or of a home of Bub, so no server does them.
var (
	Import = &Op[ImportRequest, ops.None]{About: ops.About{Name: "import", Help: "create a tape from a file or a Bub session", Args: "FILE|SESSION", Writes: true, Whole: true,
		More: "With --bub the source is a session (cli:local), a tape, or its file name without the suffix. It reads tapes of every version of Bub."}}
	Export = &Op[ExportRequest, ops.None]{About: ops.About{Name: "export", Help: "write a whole tape to a file, standard output or a Bub session", Args: "[FILE|SESSION]",
		More: "Bub can read it. Existing files and sessions are left unchanged."}}
	Check = &Op[CheckRequest, ops.None]{About: ops.About{Name: "check", Help: "check the files of tapes for damage", Writes: true,
		More: "Without --tape it checks all tapes. With --bub it checks Bub's tapes of this workspace for damage that Bub cannot handle: a torn\n" +
			"character makes Bub fail at every start. --fix rewrites such a tape and keeps the old file. Stop Bub first."}}
)

// Archive is what was archived of a tape.
type Archive struct {
	Path string `json:"archive" doc:"path of the archived tape below .handoff, by which it is read"`
}

// The requests of what only a command does.
type (
	ReadRequest struct {
		tapes.ReadRequest
		Follow bool `flag:"follow" usage:"wait for more at the end, also when the tape is reset"`
	}
	ImportRequest struct {
		From string `arg:"0"`
		To   string `flag:"to=NAME" usage:"name of the new tape" unset:"its own name"`
	}
	ExportRequest struct {
		To string `arg:"0"`
	}
	CheckRequest struct {
		Fix bool `flag:"fix" usage:"with --bub: rewrite damaged tapes so that Bub can read them"`
	}
)
