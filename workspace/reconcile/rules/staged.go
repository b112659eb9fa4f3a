package rules

import (
	"handoff/lint"
	"handoff/workspace/reconcile"
)

// staged are the rules that need only the files of a commit. The others also need what is
// not in it: the bundles in the store, receipts, threads, times of files. What they find,
// `handoff sync` derives again, so it keeps nobody from committing.
var staged = map[string]bool{
	"case-clash": true, "dangling-path": true, "foreign-path": true, "kept-aside": true, "malformed-output": true, "malformed-progress": true,
	"misplaced-handoff-path": true, "null-handoff-path": true, "unparsable-file": true, "unreadable-file": true,
}

// Staged is [Check] for the files of a task that a commit will have, with the rules that
// need no more.
func Staged(s reconcile.State, d Disk, set *lint.Settings) []lint.Finding {
	return run(s, d, set, func(r *Rule) bool { return staged[r.Name] })
}

// Listing returns the disk of files of which only the names are known: those in a folder,
// and whether a path is a folder.
func Listing(names func(dir string) []string, folder func(path string) bool) Disk {
	return Disk{Names: names, Twins: twins(names), Folder: folder, Outside: func(string) bool { return false }}
}
