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
	&LongDocument,
	&MissingSection,
	&NotAHandoff,
	&MisorderedSection,
	&BuriedNextAction,
	&DuplicateSection,
	&UnknownSection,
	&EmptySection,
	// Headings and title.
	&MisspelledHeading,
	&BareHeading,
	&BoldHeading,
	&MalformedTitle,
	&MismatchedTitle,
	// The file's name.
	&MalformedName,
	&LetterPhase,
	&PaddedTask,
	&FutureTimestamp,
	&SharedTimestamp,
	// What cannot be read.
	&MalformedFrontmatter,
	&MismatchedFrontmatter,
	&UndecodableText,
	&UnclosedFence,
	&MalformedAllow,
	&UnusedAllow,
	// The text of the next action.
	&ListAsNextAction,
	&VagueNextAction,
	&ReportAsNextAction,
	&MenuAsNextAction,
	&LongNextAction,
	&CompetingNextStep,
	// The current state, and the next step of a report.
	&MissingFile,
	&MissingLocation,
	&MissingGoal,
	&MissingNextStep,
	// Lists.
	&TooManyItems,
	&UnlistedItems,
	&MissingReason,
	&LongItem,
	// Paths.
	&ElidedPath,
	&DeadReference,
	&DeadLine,
	// What must not be in a document.
	&LeftoverPlaceholder,
	&LargeFence,
	&Secret,
	&HiddenCharacter,
	&HiddenComment,
	&HiddenText,
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
