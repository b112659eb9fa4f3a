package state

import "handoff/internal/state/names"

// The names of the files that packages find by them.
const (
	Ignore    = ".gitignore"
	Lock      = "lock"
	WatchLock = "watch.lock"
	Watch     = "watch.json"
	WatchSock = "watch.sock"
	Previous  = "previous"
	Runs      = "runs"
	Relays    = "relays"
	Agents    = "agents"
	Templates = "templates"
	Receipts  = "receipts"
	Mark      = "mark"
	Feeds     = "feeds"
	Requests  = "requests"
	Outbox    = "outbox"
	Current   = "current"
	Gauge     = "gauge.json"
	Faults    = "hook-errors.json"
	Seen      = "seen"
	TaskIndex = "tasks.index"
	// DocumentIndex is the index of documents, beside it.
	DocumentIndex = "documents.index"
	Settings      = "settings"
	Changed       = "settings-changed.json"
	Store         = "store"
	GitHook       = "git-hook"

	Limits, Rules = "limits.json", "rules" // in the user's state folder
)

// Table is every file and folder.
var Table = []Row{
	{Name: Ignore, Owner: "workspace/stores", Holds: "what git does not get of this folder", Lost: Derived},
	{Name: Lock, Owner: "workspace", Holds: "the lock for writes in this workspace", Lost: Running},
	{Name: Watch, Owner: "workspace/daemon", Holds: "which process watches, as JSON", Lost: Running, Note: "the watch deletes it when it ends"},
	{Name: WatchLock, Owner: "workspace/daemon", Holds: "the lock of the one watch", Lost: Running},
	{Name: WatchSock, Owner: "workspace/daemon", Holds: "the socket that answers `watch --status`", Lost: Running, Note: "the watch deletes it when it ends"},
	{Name: Runs + "/", Owner: "log/thread/runner", Holds: "records, locks and events of runs that are going on", Lost: Running},
	{Name: Runs + "/*", Owner: "log/thread/runner", Holds: "`ID.json`, `ID.lock`, `ID.cancel`, `ID.events`, `ID.end` of a run", Lost: Running, Note: "deleted when the run ends, or by the next run if it was killed"},
	{Name: Relays + "/", Owner: "workspace/relay/log", Holds: "the journals of relays", Lost: Record, Note: "relays that can be continued and listed"},
	{Name: Relays + ".lock", Where: Shared, Owner: "workspace/relay/log", Holds: "the lock of relays that begin", Lost: Running},
	{Name: Relays + "/*", Owner: "workspace/relay/log", Holds: "`ID.jsonl`: the facts of a relay; `ID.word`: what its agents said to it; `ID.asks`: its question to a person; `ID.stop`: it is to stop; locks", Lost: Record, Note: "what that relay did, and where it continues", Refs: true},
	{Name: Receipts + "/", Where: Shared, Owner: "log/receipt", Holds: "the receipts of handoffs", Lost: Record, Note: "who claimed which handoff, and what is done"},
	{Name: Receipts + "/*.jsonl", Where: Shared, Owner: "log/receipt", Holds: "the steps of a handoff, a JSON object a line", Lost: Record, Note: "the claims of that handoff", Refs: true},
	{Name: Receipts + "/" + replica, Where: Shared, Owner: "log/engine/replica", Holds: "of which store the folder is a copy, and how far, as JSON", Lost: Cached, Note: "all files are compared with the store again"},
	{Name: Mark, Where: Git, Owner: "log/receipt", Holds: "a random name of this repository, by which a relay and a watch find out that it was made anew", Lost: Record, Note: "that a relay can be resumed"},
	{Name: Feeds + "/", Where: Shared, Owner: "workspace/feed", Holds: "the events of handoffs", Lost: Cached, Note: "the numbers of events begin again"},
	{Name: Feeds + "/*.jsonl", Where: Shared, Owner: "workspace/feed", Holds: "the events of a workspace, a JSON object a line", Lost: Cached, Note: "the numbers of events begin again", Refs: true},
	{Name: Requests + "/", Where: Shared, Owner: "workspace/once", Holds: "results of requests with an idempotency key", Lost: Cached, Note: "a repeated request takes effect again"},
	{Name: Requests + "/*.json", Where: Shared, Owner: "workspace/once", Holds: "the result of a request, as JSON", Lost: Cached, Note: "a repeated request takes effect again; it is deleted after 7 days", Refs: true},
	{Name: Requests + ".lock", Where: Shared, Owner: "workspace/once", Holds: "the lock of these results", Lost: Running},
	{Name: Outbox + "/", Where: Shared, Owner: "workspace/outbox", Holds: "requests that wait for the store", Lost: Record, Note: "requests that were accepted and never sent"},
	{Name: Outbox + "/*.json", Where: Shared, Owner: "workspace/outbox", Holds: "a request, as JSON; `silent.json`: since when the store does not answer", Lost: Record, Note: "that request; it is deleted once it is sent", Refs: true},
	{Name: Outbox + "/*.lock", Where: Shared, Owner: "workspace/outbox", Holds: "the locks of adding, sending and trying", Lost: Running},
	{Name: Outbox + "/refused/**", Where: Shared, Owner: "workspace/outbox", Holds: "requests that the store refused", Lost: Record, Note: "that request; `store drain --forget` deletes it", Refs: true},
	{Name: Gauge, Where: Shared, Owner: "workspace/notes", Holds: "what hooks noted of each session, as JSON", Lost: Cached, Note: "a session may get a note again; the latest 400 to 500 sessions are kept"},
	{Name: Faults, Where: Shared, Owner: "workspace/notes", Holds: "the last 50 errors of hooks, as JSON", Lost: Record, Note: "what `handoff doctor` reports of them"},
	{Name: Current + "/", Where: Both, Owner: "workspace/current", Holds: "which claim is whose", Lost: Record, Note: "that `handoff done` finds the claim of its caller"},
	{Name: Current + "/*.json", Where: Both, Owner: "workspace/current", Holds: "a claim and its caller, as JSON", Lost: Record, Note: "whose claim that is; it is deleted when the claim ends"},
	{Name: Seen, Where: Own, Owner: "workspace/seen", Holds: "which documents were seen, a line each", Lost: Record, Note: "which documents are news: none of those that exist"},
	{Name: DocumentIndex, Where: Own, Owner: "workspace/documents", Holds: "what the documents of a long list showed, with the stamps of their files, in a binary form", Lost: Derived},
	{Name: TaskIndex, Where: Own, Owner: "workspace/documents", Holds: "what the tasks of a large tree showed, with the stamps of their files, in a binary form", Lost: Derived},
	{Name: Settings + "/", Where: Own, Owner: "workspace/settings", Holds: "settings of agents as they were before one worked", Lost: Record, Note: "what `--restore-settings` restores"},
	{Name: Settings + "/*", Where: Own, Owner: "workspace/settings", Holds: "the content of a file, by its SHA-256", Lost: Record, Note: "that content"},
	{Name: Settings + "/sealed/**", Where: Own, Owner: "workspace/settings", Holds: "what a relay recorded where agents do not write", Lost: Record, Note: "that a relay can be resumed without a question"},
	{Name: Settings + "/aside/**", Where: Own, Owner: "workspace/settings", Holds: "what agents wrote into settings that were restored", Lost: Record, Note: "the only copy of that"},
	{Name: Changed, Where: Own, Owner: "workspace/settings", Holds: "which settings an agent changed, as JSON", Lost: Record, Note: "the question to a person; it is deleted once one has decided"},
	{Name: "tmp/", Owner: "internal/file/atomicfile", Holds: "files that are being written", Lost: Running},
	{Name: "tmp/*", Owner: "internal/file/atomicfile", Holds: "a file that is being written, and a `.gitignore`", Lost: Running, Note: "`sync` and `watch` complete or delete those of killed processes"},
	{Name: ".handoff-tmp-*", Where: Both, Owner: "internal/file/atomicfile", Holds: "a file that is being written, where `tmp` cannot be used", Lost: Running, Note: "as those in `tmp`"},
	{Name: ".handoff-swap-*", Where: Both, Owner: "internal/file/atomicfile", Holds: "the other file of an exchange, where `tmp` cannot be used", Lost: Running, Note: "as those in `tmp`"},
	{Name: replica, Owner: "log/engine/replica", Holds: "of which store the folder is a copy, and how far, as JSON", Lost: Cached, Note: "all files are compared with the store again"},

	{Name: names.Threads + "/", Owner: "log/thread", Holds: "threads", Share: Threads, Lost: Record, Note: "the threads"},
	{Name: names.Threads + "/*.jsonl", Owner: "log/thread", Holds: "a thread, a frame of RIP a line", Share: Threads, Lost: Record, Note: "that thread; `thread archive` only hides one", Refs: true},
	{Name: names.Catalogue, Owner: "log/thread", Holds: "the list of threads, a frame a line", Share: Threads, Lost: Record, Note: "order, titles and archiving of threads", Refs: true},
	{Name: names.Sessions + "/", Owner: "log/thread", Holds: "runs", Share: Threads, Lost: Record, Note: "the output of runs"},
	{Name: names.Sessions + "/*.jsonl", Owner: "log/thread", Holds: "the output of a run, a frame a line", Share: Threads, Lost: Record, Note: "that output", Refs: true},
	{Name: names.Finished, Owner: "log/thread", Holds: "runs that had ended before they were written", Share: Threads, Lost: Record, Note: "those outputs", Refs: true},
	{Name: names.Tasks + "/", Owner: "log/thread", Holds: "background tasks of RIP", Share: Threads, Lost: Record, Note: "those tasks"},
	{Name: names.Tasks + "/*.jsonl", Owner: "log/thread", Holds: "a background task of RIP, a frame a line", Share: Threads, Lost: Record, Note: "that task", Refs: true},
	{Name: names.Tapes + "/", Owner: "log/tape", Holds: "tapes", Share: Tapes, Lost: Record, Note: "the tapes"},
	{Name: names.Tapes + "/*.jsonl", Owner: "log/tape", Holds: "a tape, an entry of Bub a line", Share: Tapes, Lost: Record, Note: "that tape; `tape reset` moves it to the archives", Refs: true},
	{Name: names.Tapes + "/" + names.Archived + "/", Owner: "log/tape", Holds: "archived tapes", Share: Tapes, Lost: Record, Note: "the archives"},
	{Name: names.Tapes + "/" + names.Archived + "/*.jsonl", Owner: "log/tape", Holds: "a tape as it was when it was reset, merged or discarded", Share: Tapes, Lost: Record, Note: "that archive", Refs: true},
	{Name: names.Tapes + "/manifest.json", Owner: "log/tape", Holds: "the list of tapes, as JSON", Share: Tapes, Lost: Derived},
	{Name: names.Tapes + "/receive.lock", Owner: "log/tape", Holds: "the lock of receiving envelopes", Lost: Running},
	{Name: names.Tapes + "/workspace", Owner: "log/tape", Holds: "the name of this workspace in URIs of tapes", Share: Tapes, Lost: Record, Note: "URIs that name the workspace are not found"},
	{Name: names.Envelopes, Owner: "log/tape", Holds: "which tape received which envelope, a JSON object a line", Share: Tapes, Lost: Record, Note: "an envelope may be received twice", Refs: true},
	{Name: "session_graph.jsonl", Owner: "log/tape/lineage", Holds: "forks, merges and envelopes of tapes, a JSON object a line", Share: Tapes, Lost: Derived},

	{Name: Previous + "/", Owner: "workspace/documents", Holds: "documents that a new one replaced", Share: Unlisted, Lost: Record, Note: "the replaced documents"},
	{Name: Previous + "/*.md", Owner: "workspace/documents", Holds: "a document that a new one replaced, with the time", Share: Unlisted, Lost: Record, Note: "that document, if git does not have it", Refs: true},
	{Name: Agents + "/**", Owner: "agents/sessions", Holds: "your entries of agents, as YAML", Share: Yours, Lost: Record, Note: "your work"},
	{Name: "*.md", Owner: "document/task", Holds: "handoffs that other tools keep here, such as `HANDOFF.md`", Share: Yours, Lost: Record, Note: "your work"},
	{Name: Templates + "/**", Owner: "templates", Holds: "your templates of documents", Share: Yours, Lost: Record, Note: "your work"},
	{Name: Store + "/**", Where: Git, Owner: "log/engine/git", Holds: "the store on a git remote, as a bare repository", Lost: Cached, Note: "it is fetched again"},
	{Name: Store + ".lock", Where: Git, Owner: "log/engine/git", Holds: "the lock of that repository", Lost: Running},
	{Name: GitHook, Where: Git, Owner: "workspace/githook", Holds: "that `init --git-hook` was run in this clone", Lost: Record, Note: "that `doctor` knows of the hook; `init --remove` deletes it"},
}

// OfUser is what is in the user's state folder, because it belongs to no workspace.
var OfUser = []Row{
	{Name: Limits, Owner: "workspace/spawn", Holds: "which accounts have no usage left, and until when, as JSON", Lost: Cached, Note: "an agent is started and refused again; what is past is dropped"},
	{Name: Rules + "/*.toml", Owner: "workspace/spawn", Holds: "what an agent may do that reads this from a file, named by agent and content", Lost: Cached, Note: "it is written again when an agent is started"},
	{Name: "windows.json", Owner: "agents/windows", Holds: "the sizes of contexts as hosts reported them, as JSON", Lost: Cached, Note: "they are reported again; the last 200 of models and of sessions are kept"},
}

// replica is the name in each folder that is a copy of a store.
const replica = "replica.json"
