package task

import "handoff/document/handoff"

// gsd is what Get Shit Done leaves when its work is paused: a file beside the plan of the
// phase, or at the root. Without one, its state for programs and then that of the project
// say where the work is.
func gsd() *Layout {
	const pause = ".continue-here.md"
	return &Layout{
		Name: "gsd", Files: []string{".planning/**/" + pause, pause}, Else: []string{".planning/HANDOFF.json", ".planning/STATE.md"},
		Names: []string{".planning/" + pause, ".planning/phases/{task}/" + pause}, Chain: ByLayout, Replaces: true,
		Plan: &Plan{Tool: "GSD", Signs: []string{".planning/PROJECT.md", ".planning/phases"}, Beside: ".planning/phases/{task}/" + pause, numbered: leading},
		Headings: headings(
			Heading{handoff.CurrentState, []string{"Current State", "Current Position", "Session Continuity"}},
			Heading{handoff.Decisions, []string{"Decisions Made", "Decisions"}},
			Heading{handoff.Deviations, []string{"Deviations from Plan"}},
			Heading{handoff.DeadEnds, []string{"What Didn't Work"}},
			Heading{handoff.Context, []string{"Context", "Context Notes", "Blockers", "Blockers/Concerns"}},
			Heading{handoff.References, []string{"References"}},
			Heading{handoff.NextAction, []string{"Next Action", "Remaining Work", "Remaining Tasks"}},
		),
		Title: "Paused - {stamp}", Front: []string{"last_updated: {date}"}, Keys: []string{"*"}, Rules: lenient(),
	}
}

// memoryBank is the file of a memory bank that says what is being worked on.
func memoryBank() *Layout {
	return &Layout{
		Name: "memory-bank", Files: []string{"memory-bank/activeContext.md"}, Names: []string{"memory-bank/activeContext.md"}, Chain: ByFolder, Replaces: true,
		Headings: headings(
			Heading{handoff.CurrentState, []string{"Current Work Focus", "Current Focus", "Recent Changes"}},
			Heading{handoff.NextAction, []string{"Next Steps"}},
			Heading{handoff.Decisions, []string{"Active Decisions and Considerations", "Active Decisions"}},
			Heading{handoff.Deviations, []string{"Deviations from Plan"}},
			Heading{handoff.DeadEnds, []string{"What Didn't Work"}},
			Heading{handoff.Context, []string{"Learnings and Project Insights", "Important Patterns and Preferences"}},
			Heading{handoff.References, []string{"References"}},
		),
		Title: "Active Context - {stamp}", Keys: []string{"*"}, Rules: lenient(),
	}
}

// ledger is a folder with a file for each line of work, which is kept up to date while it
// goes on.
func ledger() *Layout {
	const name = "CONTINUITY_CLAUDE-"
	l := sessions()
	l.Name, l.Files = "ledger", []string{"thoughts/ledgers/" + name + "*.md", "ledgers/" + name + "*.md"}
	l.Names = []string{"thoughts/ledgers/" + name + "{slug}.md", "ledgers/" + name + "{slug}.md"}
	l.Chain, l.Title = ByTask, "Continuity ledger: {slug}"
	l.Headings = headings(
		Heading{handoff.CurrentState, []string{"State", "Done"}},
		Heading{handoff.NextAction, []string{"Now", "Next"}},
		Heading{handoff.Decisions, []string{"Key Decisions"}},
		Heading{handoff.Deviations, []string{"Deviations from Plan"}},
		Heading{handoff.DeadEnds, []string{"What Didn't Work"}},
		Heading{handoff.Context, []string{"Open Questions", "Constraints"}},
		Heading{handoff.References, []string{"Working Set"}},
	)
	return l
}

// progress is the text file that long-running harnesses let each session add to.
func progress() *Layout {
	l := single()
	l.Name, l.Files, l.Names = "progress", []string{"claude-progress.txt"}, []string{"claude-progress.txt"}
	l.Title = "Progress - {stamp}"
	return l
}
