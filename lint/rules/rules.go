// Package rules holds the lint rules, which check one document. A rule is a
// pair of files: NAME.go is the check, NAME.txtar its documentation, its
// examples and its tests.
//
// A rule knows one document and what is in the [lint.Input]. It does not know
// other rules, the disk, the clock or the configuration file.
package rules

import (
	"embed"

	"handoff/lint"
)

// All is every rule, in the order of the documentation. Callers must not change
// it.
var All = []*lint.Rule{
	// Structure.
	{Name: "long-document", Severity: lint.Error, Check: longDocument},
	{Name: "missing-section", Severity: lint.Error, Profiles: lint.Handoff, Check: missingSection},
	{Name: "not-a-handoff", Severity: lint.Error, Profiles: lint.Handoff, Check: notAHandoff},
	{Name: "misordered-section", Severity: lint.Error, Profiles: lint.Handoff, Fixable: true, Check: misorderedSection},
	{Name: "buried-next-action", Severity: lint.Warning, Profiles: lint.Handoff, Fixable: true, Check: buriedNextAction},
	{Name: "duplicate-section", Severity: lint.Error, Profiles: lint.Handoff, Check: duplicateSection},
	{Name: "unknown-section", Severity: lint.Note, Profiles: lint.Handoff, Check: unknownSection},
	{Name: "empty-section", Severity: lint.Error, Profiles: lint.Handoff, Check: emptySection},
	// Headings and title.
	{Name: "misspelled-heading", Severity: lint.Warning, Profiles: lint.Handoff, Fixable: true, Check: misspelledHeading},
	{Name: "bare-heading", Severity: lint.Note, Profiles: lint.Handoff, Fixable: true, Check: bareHeading},
	{Name: "bold-heading", Severity: lint.Warning, Profiles: lint.Handoff, Fixable: true, Check: boldHeading},
	{Name: "malformed-title", Severity: lint.Warning, Profiles: lint.Handoff, Fixable: true, Check: malformedTitle},
	{Name: "mismatched-title", Severity: lint.Error, Check: mismatchedTitle},
	// The file's name.
	{Name: "malformed-name", Severity: lint.Error, Fixable: true, Check: malformedName},
	{Name: "letter-phase", Severity: lint.Error, Check: letterPhase},
	{Name: "padded-task", Severity: lint.Error, Check: paddedTask},
	{Name: "future-timestamp", Severity: lint.Error, Check: futureTimestamp},
	{Name: "shared-timestamp", Severity: lint.Warning, Check: sharedTimestamp},
	// What cannot be read.
	{Name: "malformed-frontmatter", Severity: lint.Error, Check: malformedFrontmatter},
	{Name: "draft", Severity: lint.Warning, Check: draft},
	{Name: "mismatched-frontmatter", Severity: lint.Error, Check: mismatchedFrontmatter},
	{Name: "undecodable-text", Severity: lint.Error, Check: undecodableText},
	{Name: "merge-conflict", Severity: lint.Error, Check: mergeConflict},
	{Name: "unclosed-fence", Severity: lint.Error, Check: unclosedFence},
	{Name: "malformed-allow", Severity: lint.Error, Late: true, Check: malformedAllow},
	{Name: "unused-allow", Severity: lint.Warning, Fixable: true, Late: true, Check: unusedAllow},
	// The text of the next action.
	{Name: "list-as-next-action", Severity: lint.Error, Profiles: lint.Handoff, Check: listAsNextAction},
	{Name: "vague-next-action", Severity: lint.Error, Profiles: lint.Handoff, Check: vagueNextAction},
	{Name: "report-as-next-action", Severity: lint.Warning, Profiles: lint.Handoff, Check: reportAsNextAction},
	{Name: "menu-as-next-action", Severity: lint.Warning, Profiles: lint.Handoff, Check: menuAsNextAction},
	{Name: "long-next-action", Severity: lint.Warning, Profiles: lint.Handoff, Check: longNextAction},
	{Name: "competing-next-step", Severity: lint.Warning, Profiles: lint.Handoff, Check: competingNextStep},
	// The current state, and the next step of a report.
	{Name: "missing-file", Severity: lint.Warning, Profiles: lint.Handoff, Check: missingFile},
	{Name: "missing-location", Severity: lint.Warning, Profiles: lint.Handoff, Check: missingLocation},
	{Name: "missing-goal", Severity: lint.Note, Profiles: lint.Handoff, Check: missingGoal},
	{Name: "missing-next-step", Severity: lint.Error, Profiles: lint.Completion, Check: missingNextStep},
	// Lists.
	{Name: "too-many-items", Severity: lint.Error, Profiles: lint.Handoff, Check: tooManyItems},
	{Name: "unlisted-items", Severity: lint.Warning, Profiles: lint.Handoff, Check: unlistedItems},
	{Name: "missing-reason", Severity: lint.Note, Profiles: lint.Handoff, Check: missingReason},
	{Name: "long-item", Severity: lint.Note, Profiles: lint.Handoff, Check: longItem},
	// How items were checked.
	{Name: "malformed-check", Severity: lint.Warning, Check: malformedCheck},
	{Name: "unchecked-claim", Severity: lint.Note, Profiles: lint.Handoff, Check: uncheckedClaim},
	{Name: "doubted-claim", Severity: lint.Warning, Check: doubtedClaim},
	// Paths.
	{Name: "elided-path", Severity: lint.Warning, Check: elidedPath},
	{Name: "dead-reference", Severity: lint.Error, Profiles: lint.Handoff, Files: true, Check: deadReference},
	{Name: "dead-line", Severity: lint.Warning, Profiles: lint.Handoff, Files: true, Check: deadLine},
	// What must not be in a document.
	{Name: "leftover-placeholder", Severity: lint.Error, Check: leftoverPlaceholder},
	{Name: "large-fence", Severity: lint.Warning, Check: largeFence},
	{Name: "secret", Severity: lint.Error, Unquoted: true, Check: reportSecrets},
	{Name: "hidden-character", Severity: lint.Error, Unquoted: true, Check: hiddenCharacter},
	{Name: "hidden-comment", Severity: lint.Warning, Unquoted: true, Check: hiddenComment},
	{Name: "hidden-text", Severity: lint.Warning, Unquoted: true, Check: hiddenText},
}

//go:embed *.txtar
var archives embed.FS

// Docs are the archives of the rules.
var Docs = lint.Docs{Files: archives}

// Find returns the rule of that name, or nil.
func Find(name string) *lint.Rule {
	for _, r := range All {
		if r.Name == name {
			return r
		}
	}
	return nil
}
