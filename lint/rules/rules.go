// Package rules holds the lint rules. A rule is a pair of files: NAME.go is
// the check, NAME.txtar its documentation, its examples and its tests.
//
// A rule knows one document and what the driver lets it look at; no rule
// knows another, and none knows the disk, the clock or the configuration
// file.
package rules

import (
	"embed"

	"handoff/lint"
)

// All is every rule, in the order in which documentation lists them. Callers
// must not change it.
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
	// What cannot be read as it was meant.
	&MalformedFrontmatter,
	&MismatchedFrontmatter,
	&UndecodableText,
	&UnclosedFence,
	&MalformedAllow,
	&UnusedAllow,
	// What the next action says.
	&ListAsNextAction,
	&VagueNextAction,
	&ReportAsNextAction,
	&MenuAsNextAction,
	&LongNextAction,
	&CompetingNextStep,
	// What the current state says, and what comes next.
	&MissingFile,
	&MissingLocation,
	&MissingGoal,
	&MissingNextStep,
	// What the lists hold.
	&TooManyItems,
	&UnlistedItems,
	&MissingReason,
	&LongItem,
	// Where the paths lead.
	&ElidedPath,
	&DeadReference,
	&DeadLine,
	// What must not be there.
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
