package help

import (
	"cmp"
	"context"
	"path"
	"strconv"
	"strings"

	"handoff/docs/schema"
	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/handoffops"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// flagValues are the possible values of a flag: those that its usage lists, or
// names from the workspace.
func flagValues(ctx context.Context, w *command.Process, f cli.Flag) []candidate {
	switch f.Names()[0] {
	case "only", "disable":
		return ruleCandidates()
	case "tape":
		return candidatesBelow(ctx, w, tapeCandidates)
	case "thread":
		return candidatesBelow(ctx, w, threadCandidates)
	case "task":
		return candidatesBelow(ctx, w, taskCandidates)
	case "from-document":
		return candidatesBelow(ctx, w, handoffCandidates)
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		return wordCandidates(command.Enumerated(d.GetUsage()))
	}
	return nil
}

// argumentValues are the candidates for the next argument of a command that has n of
// them already.
func argumentValues(ctx context.Context, w *command.Process, cmd *cli.Command, n int) []candidate {
	kind, _, _ := strings.Cut(strings.TrimPrefix(argumentsOf(cmd), "["), " ")
	kind = strings.TrimRight(kind, "]")
	many := strings.Contains(argumentsOf(cmd), "…")
	switch {
	case n > 0 && !many:
		return nil
	case kind == "REF", kind == "REF|ARTIFACT", kind == "FROM":
		return append(candidatesBelow(ctx, w, handoffCandidates), candidate{"latest", "the newest handoff"})
	case kind == "TASK":
		return candidatesBelow(ctx, w, taskCandidates)
	case kind == "THREAD":
		return candidatesBelow(ctx, w, threadCandidates)
	case kind == "FORK":
		return candidatesBelow(ctx, w, tapeCandidates)
	case cmd.Name == "rules":
		return ruleCandidates()
	case cmd.Name == "schema":
		return wordCandidates(schema.Names())
	case cmd.Name == "completion":
		return wordCandidates(shells)
	}
	return nil
}

// argumentsOf is the part of the usage after the command: "REF [command.Flags]".
func argumentsOf(cmd *cli.Command) string {
	line, _, _ := strings.Cut(cmd.UsageText, "\n")
	_, text, _ := strings.Cut(line, " "+cmd.Name+" ")
	return text
}

func wordCandidates(words []string) (list []candidate) {
	for _, word := range words {
		list = append(list, candidate{word, ""})
	}
	return list
}

func ruleCandidates() (list []candidate) {
	for _, name := range command.RuleNames() {
		list = append(list, candidate{name, command.RuleSummary(name)})
	}
	return list
}

// candidatesBelow lists names from the workspace; nothing if the workspace cannot be
// opened.
func candidatesBelow(ctx context.Context, w *command.Process, list func(context.Context, *workspace.Workspace) []candidate) []candidate {
	ws, err := workspace.Open(w.Dir, w.Options())
	if err != nil {
		return nil
	}
	return list(ctx, ws)
}

// handoffCandidates are the short names of the handoffs.
func handoffCandidates(ctx context.Context, ws *workspace.Workspace) (list []candidate) {
	for _, e := range handoffops.Refs(ctx, ws) {
		list = append(list, candidate{e.Ref(), e.Name.Slug})
	}
	return list
}

func taskCandidates(ctx context.Context, ws *workspace.Workspace) (list []candidate) {
	tasks, _ := ws.Tasks(ctx)
	for _, task := range tasks {
		n, _, slug := handoff.ParseTask(path.Base(task))
		list = append(list, candidate{strconv.Itoa(n), slug})
	}
	return list
}

func threadCandidates(ctx context.Context, ws *workspace.Workspace) (list []candidate) {
	t, err := threads.In(ctx, ws, false)
	if err != nil {
		return nil
	}
	defer t.Close()
	threads, _ := t.List(ctx)
	for _, info := range threads {
		list = append(list, candidate{info.ThreadID, *cmp.Or(info.Title, new(""))})
	}
	return list
}

func tapeCandidates(_ context.Context, ws *workspace.Workspace) (list []candidate) {
	t, err := tapes.In(ws, "", false)
	if err != nil {
		return nil
	}
	defer t.Close()
	tapes, _ := t.List()
	for _, info := range tapes {
		list = append(list, candidate{info.Name, command.Plural(info.Entries, "entry")})
	}
	return list
}
