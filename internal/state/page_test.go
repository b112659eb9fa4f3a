package state_test

import (
	"strings"

	"handoff/internal/state"
)

// places says where a row is, for people.
var places = map[state.Where]string{
	state.Tree: "`.handoff/`", state.Shared: "`.git/handoff/` of all worktrees", state.Own: "`.git/handoff/` of the worktree", state.Both: "`.git/handoff/` of all worktrees and of the worktree",
	state.Git: "`.git/handoff/` of all worktrees, only with git",
}

// shares says whether git gets a row.
var shares = map[state.Sharing]string{state.Private: "no", state.Threads: "with `share: [threads]`", state.Tapes: "with `share: [tapes]`", state.Unlisted: "as you like", state.Yours: "yes"}

// losses says what happens if a row is deleted.
var losses = map[state.Deletion]string{state.Derived: "nothing, it is made again", state.Running: "nothing, unless a process uses it", state.Cached: "", state.Record: "lost: "}

// page returns docs/state.md.
func page() string {
	var b strings.Builder
	b.WriteString(`# State

Every file and folder that handoff keeps for itself, made from the table that the program uses (` + "`internal/state/table.go`" + `; ` + "`go generate ./internal/state`" + ` writes this page).
Names are below the place; without git, what would be in ` + "`.git/handoff/`" + ` is in ` + "`.handoff/`" + `. What git does not get is in ` + "`.handoff/.gitignore`" + `, which handoff writes. Artifacts are in
` + "`.rip/artifacts/`" + ` ([threads.md](threads.md)), handoffs and metadata in ` + "`specs/`" + ` ([metadata.md](metadata.md)).

Beside a file there may be its lock (` + "`NAME.lock`" + `) and its index (` + "`NAME.idx/`" + `), which may be deleted while no process of handoff runs; what a killed process had half written
(` + "`NAME.torn-*`" + `), and what could not be read or differed from the store and was set aside (` + "`NAME.aside-*`" + `), which nothing deletes: look at it, then delete it yourself.

| name | place | in git | content | if you delete it | package |
|---|---|---|---|---|---|
`)
	for _, r := range state.Table {
		share := shares[r.Share]
		if r.Where == state.Git {
			share = "no"
		}
		note := losses[r.Lost] + r.Note
		if r.Note != "" && r.Lost != state.Cached && r.Lost != state.Record {
			note = losses[r.Lost] + "; " + r.Note
		}
		b.WriteString("| " + strings.Join([]string{"`" + r.Name + "`", places[r.Where], share, r.Holds, note, "`" + r.Owner + "`"}, " | ") + " |\n")
	}
	b.WriteString(`
In the user's state folder, ` + "`$XDG_STATE_HOME/handoff`" + ` or ` + "`~/.local/state/handoff`" + `, besides what was trusted and the tokens of servers that run:

| name | content | if you delete it | package |
|---|---|---|---|
`)
	for _, r := range state.OfUser {
		b.WriteString("| " + strings.Join([]string{"`" + r.Name + "`", r.Holds, losses[r.Lost] + r.Note, "`" + r.Owner + "`"}, " | ") + " |\n")
	}
	return b.String()
}
