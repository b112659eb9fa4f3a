// Package rules holds the rules of `handoff verify`, which check that the
// documents, metadata, progress files, bundles and plan of a task agree. A rule
// is a pair of files, as in lint/rules: NAME.go is the check, NAME.txtar its
// documentation, its examples and its tests.
//
// A rule reads a [reconcile.State] and, through a [Disk], the names of other
// files; none writes anything. The package does not know threads: package
// workspace reads them and reports what it finds by the rules without a Check.
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
