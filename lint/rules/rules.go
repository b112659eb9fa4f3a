// Package rules holds the lint rules. A rule is a pair of files: NAME.go is
// the check, NAME.txtar its documentation, its examples and its tests.
//
// A rule knows one document and what the driver lets it look at; no rule
// knows another, and none knows the disk, the clock or the configuration
// file.
package rules

import (
	"embed"
	"strings"

	"handoff/internal/text/nearest"
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

const archiveExt = ".txtar"

// Find returns the rule of that name, or nil.
func Find(name string) *lint.Rule {
	for _, r := range All {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// Doc is the whole archive of a rule: its documentation in Markdown, then its
// examples as txtar files. ok is false when there is no such rule.
func Doc(name string) (text string, ok bool) {
	b, err := archives.ReadFile(name + archiveExt)
	return string(b), err == nil
}

// Summary is the reason for a rule on one line: the first paragraph of its
// documentation; "" when there is no such rule.
func Summary(name string) string {
	text, _ := Doc(name)
	first, _, _ := strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// Nearest is the rule a misspelled name most likely means, or "" when none
// is near enough to say. It reads the names of the archives, not All, so that
// a rule may ask too.
func Nearest(name string) string { return nearest.Word(name, names()) }

// names lists all rules by name.
func names() []string {
	entries, err := archives.ReadDir(".")
	if err != nil {
		return nil // cannot be: the folder is part of the program
	}
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = strings.TrimSuffix(e.Name(), archiveExt)
	}
	return list
}
