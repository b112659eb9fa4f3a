package rules

import "handoff/lint"

// DamagedThread flags a thread or a run that cannot be read to its end.
var DamagedThread = Rule{Rule: lint.Rule{Name: "damaged-thread", Severity: lint.Error}}

// MismatchedThread flags a thread that does not begin as its document requires.
var MismatchedThread = Rule{Rule: lint.Rule{Name: "mismatched-thread", Severity: lint.Error}}

// UnthreadedHandoff flags a document, or a task, that has no thread.
var UnthreadedHandoff = Rule{Rule: lint.Rule{Name: "unthreaded-handoff", Severity: lint.Warning, Fixable: true}}
