// Package rules has the rules of `handoff verify`, which check that the
// documents, metadata, progress files, bundles and plan of a task agree. NAME.txtar
// is the documentation, the examples and the tests of a rule.
//
// A rule reads a [reconcile.State] and, through a [Disk], the names of other
// files; none writes anything. The package does not know threads: package
// workspace reads them and reports what it finds by the rules without a check.
package rules

import (
	"embed"
	"fmt"

	"handoff/document/handoff"
	"handoff/lint"
)

// Rule is a check of one task. Its Check is used instead of that of lint, which
// checks one document.
type Rule struct {
	lint.Rule
	Check func(*Pass) // nil if package workspace checks it
}

// All is every rule, by name. Callers must not change it.
var All = []*Rule{
	{lint.Rule{Name: "case-clash", Severity: lint.Error, Fixable: true}, caseClash},
	&DamagedBlob,
	&DamagedThread,
	{lint.Rule{Name: "dangling-path", Severity: lint.Error, Fixable: true}, danglingPath},
	{lint.Rule{Name: "foreign-path", Severity: lint.Error, Fixable: true}, foreignPath},
	{lint.Rule{Name: "handoff-first", Severity: lint.Warning}, handoffFirst},
	{lint.Rule{Name: "kept-aside", Severity: lint.Error}, keptAside},
	&LeftOver,
	&LinkedOutside,
	{lint.Rule{Name: "malformed-output", Severity: lint.Warning}, malformedOutput},
	{lint.Rule{Name: "malformed-progress", Severity: lint.Warning, Fixable: true}, malformedProgress},
	&MismatchedThread,
	{lint.Rule{Name: "misplaced-handoff-path", Severity: lint.Warning}, misplacedHandoffPath},
	{lint.Rule{Name: "missed-handoff", Severity: lint.Error, Fixable: true}, missedHandoff},
	&MissingBlob,
	{lint.Rule{Name: "null-handoff-path", Severity: lint.Note}, nullHandoffPath},
	{lint.Rule{Name: "phases-mismatch", Severity: lint.Warning, Fixable: true}, phasesMismatch},
	{lint.Rule{Name: "stale-bundle", Severity: lint.Error, Fixable: true}, staleBundle},
	{lint.Rule{Name: "unclear-handoff", Severity: lint.Warning}, unclearHandoff},
	{lint.Rule{Name: "unlinked-handoff", Severity: lint.Warning, Fixable: true}, unlinkedHandoff},
	{lint.Rule{Name: "unparsable-file", Severity: lint.Error}, unparsableFile},
	{lint.Rule{Name: "unreadable-file", Severity: lint.Error}, unreadableFile},
	{lint.Rule{Name: "unshared-end", Severity: lint.Warning, Fixable: true}, unsharedEnd},
	{lint.Rule{Name: "unstored-bundle", Severity: lint.Note, Fixable: true}, unstoredBundle},
	&UnthreadedHandoff,
	{lint.Rule{Name: "vanished-item", Severity: lint.Note}, vanishedItem},
	{lint.Rule{Name: "wrong-count", Severity: lint.Note, Fixable: true}, wrongCount},
	{lint.Rule{Name: "wrong-stage", Severity: lint.Warning, Fixable: true}, wrongStage},
}

// The rules that package verify reports by, too: it checks the threads.
var (
	// DamagedBlob flags a bundle whose bytes do not match its name.
	DamagedBlob = Rule{lint.Rule{Name: "damaged-blob", Severity: lint.Error, Fixable: true}, damagedBlob}
	// DamagedThread flags a thread or a run that cannot be read to its end.
	DamagedThread = Rule{lint.Rule{Name: "damaged-thread", Severity: lint.Error}, nil}
	// LeftOver flags a handoff on a branch on which the configuration wants none.
	LeftOver = Rule{lint.Rule{Name: "left-over", Severity: lint.Error}, nil}
	// LinkedOutside flags a symlink that leads out of the workspace.
	LinkedOutside = Rule{lint.Rule{Name: "linked-outside", Severity: lint.Error}, linkedOutside}
	// MismatchedThread flags a thread that does not begin as its document requires.
	MismatchedThread = Rule{lint.Rule{Name: "mismatched-thread", Severity: lint.Error}, nil}
	// MissingBlob flags an artifact that is not in the store.
	MissingBlob = Rule{lint.Rule{Name: "missing-blob", Severity: lint.Error}, missingBlob}
	// UnthreadedHandoff flags a document, or a task, that has no thread.
	UnthreadedHandoff = Rule{lint.Rule{Name: "unthreaded-handoff", Severity: lint.Warning, Fixable: true}, nil}
)

//go:embed *.txtar
var archives embed.FS

// Docs are the archives of the rules.
var Docs = lint.Docs{Files: archives}

// At returns a finding about a line of a file, 0 for the whole file, in a slice.
// The slice is empty if the settings switch the rule off.
func (r *Rule) At(set *lint.Settings, path string, line int, format string, args ...any) []lint.Finding {
	severity := set.SeverityOf(&r.Rule)
	if severity == lint.Off {
		return nil
	}
	f := lint.Finding{Rule: r.Name, Severity: severity, Path: path, Message: fmt.Sprintf(format, args...)}
	if line > 0 {
		f.Lines = handoff.Lines{First: line, Last: line}
	}
	return []lint.Finding{f}
}
