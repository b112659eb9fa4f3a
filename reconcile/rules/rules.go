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

	"handoff"
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
	&CaseClash,
	&DamagedBlob,
	&DamagedThread,
	&DanglingPath,
	&ForeignPath,
	&HandoffFirst,
	&KeptAside,
	&LinkedOutside,
	&MalformedOutput,
	&MalformedProgress,
	&MismatchedThread,
	&MisplacedHandoffPath,
	&MissedHandoff,
	&MissingBlob,
	&NullHandoffPath,
	&PhasesMismatch,
	&StaleBundle,
	&UnclearHandoff,
	&UnlinkedHandoff,
	&UnparsableFile,
	&UnreadableFile,
	&UnstoredBundle,
	&UnthreadedHandoff,
	&WrongCount,
	&WrongStage,
}

// The rules. Package workspace checks those without a function, which are about
// threads.
var (
	// CaseClash flags names that differ only in case.
	CaseClash = Rule{lint.Rule{Name: "case-clash", Severity: lint.Error, Fixable: true}, caseClash}
	// DamagedBlob flags a bundle whose bytes do not match its name.
	DamagedBlob = Rule{lint.Rule{Name: "damaged-blob", Severity: lint.Error, Fixable: true}, damagedBlob}
	// DamagedThread flags a thread or a run that cannot be read to its end.
	DamagedThread = Rule{lint.Rule{Name: "damaged-thread", Severity: lint.Error}, nil}
	// DanglingPath flags a path of the metadata that leads to no file.
	DanglingPath = Rule{lint.Rule{Name: "dangling-path", Severity: lint.Error, Fixable: true}, danglingPath}
	// ForeignPath flags a path or an id of the metadata that leads out of the workspace.
	ForeignPath = Rule{lint.Rule{Name: "foreign-path", Severity: lint.Error, Fixable: true}, foreignPath}
	// HandoffFirst flags a handoff that is the first of several outputs.
	HandoffFirst = Rule{lint.Rule{Name: "handoff-first", Severity: lint.Warning}, handoffFirst}
	// KeptAside flags a file that another program wrote and that was kept aside.
	KeptAside = Rule{lint.Rule{Name: "kept-aside", Severity: lint.Error}, keptAside}
	// LinkedOutside flags a symlink that leads out of the workspace.
	LinkedOutside = Rule{lint.Rule{Name: "linked-outside", Severity: lint.Error}, linkedOutside}
	// MalformedOutput flags outputs that are not of the form {type, path, summary}.
	MalformedOutput = Rule{lint.Rule{Name: "malformed-output", Severity: lint.Warning}, malformedOutput}
	// MalformedProgress flags values of partial_progress that have the wrong type.
	MalformedProgress = Rule{lint.Rule{Name: "malformed-progress", Severity: lint.Warning, Fixable: true}, malformedProgress}
	// MismatchedThread flags a thread that does not begin as its document requires.
	MismatchedThread = Rule{lint.Rule{Name: "mismatched-thread", Severity: lint.Error}, nil}
	// MisplacedHandoffPath flags a handoff_path outside partial_progress.
	MisplacedHandoffPath = Rule{lint.Rule{Name: "misplaced-handoff-path", Severity: lint.Warning}, misplacedHandoffPath}
	// MissedHandoff flags a handoff_path that does not name the handoff that waits.
	MissedHandoff = Rule{lint.Rule{Name: "missed-handoff", Severity: lint.Error, Fixable: true}, missedHandoff}
	// MissingBlob flags an artifact that is not in the store.
	MissingBlob = Rule{lint.Rule{Name: "missing-blob", Severity: lint.Error}, missingBlob}
	// NullHandoffPath flags a handoff_path that is null while no handoff waits.
	NullHandoffPath = Rule{lint.Rule{Name: "null-handoff-path", Severity: lint.Note}, nullHandoffPath}
	// PhasesMismatch flags counts of phases that differ from the plan while a handoff waits.
	PhasesMismatch = Rule{lint.Rule{Name: "phases-mismatch", Severity: lint.Warning, Fixable: true}, phasesMismatch}
	// StaleBundle flags a document that was edited after it was linked.
	StaleBundle = Rule{lint.Rule{Name: "stale-bundle", Severity: lint.Error, Fixable: true}, staleBundle}
	// UnclearHandoff flags a task whose newest handoff, or the fate of that handoff, is unclear.
	UnclearHandoff = Rule{lint.Rule{Name: "unclear-handoff", Severity: lint.Warning}, unclearHandoff}
	// UnlinkedHandoff flags a document that no output names with its bundle.
	UnlinkedHandoff = Rule{lint.Rule{Name: "unlinked-handoff", Severity: lint.Warning, Fixable: true}, unlinkedHandoff}
	// UnparsableFile flags metadata and progress files that are not JSON objects.
	UnparsableFile = Rule{lint.Rule{Name: "unparsable-file", Severity: lint.Error}, unparsableFile}
	// UnreadableFile flags a file of the task that cannot be read.
	UnreadableFile = Rule{lint.Rule{Name: "unreadable-file", Severity: lint.Error}, unreadableFile}
	// UnstoredBundle flags linked bundles that are not in the store but follow from their documents.
	UnstoredBundle = Rule{lint.Rule{Name: "unstored-bundle", Severity: lint.Note, Fixable: true}, unstoredBundle}
	// UnthreadedHandoff flags a document, or a task, that has no thread.
	UnthreadedHandoff = Rule{lint.Rule{Name: "unthreaded-handoff", Severity: lint.Warning, Fixable: true}, nil}
	// WrongCount flags a handoff_count that is not the number of the phase's documents.
	WrongCount = Rule{lint.Rule{Name: "wrong-count", Severity: lint.Note, Fixable: true}, wrongCount}
	// WrongStage flags a stage that does not match the newest document.
	WrongStage = Rule{lint.Rule{Name: "wrong-stage", Severity: lint.Warning, Fixable: true}, wrongStage}
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
