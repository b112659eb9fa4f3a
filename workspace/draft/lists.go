package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"handoff/agents/transcript/facts"
)

// few are the last n of a list, and notes how many are left out. A draft that also has what
// still holds of the report before shows half as many.
func few[T any](p *page, list []T, n int, what string) []T {
	if p.o.Past != nil {
		n /= 2
	}
	if p.o.All || len(list) <= n {
		return list
	}
	p.leave(len(list)-n, what)
	return list[len(list)-n:]
}

func (p *page) leave(n int, what string) {
	if n == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	p.left = append(p.left, strconv.Itoa(n)+" "+what)
}

// failures returns candidates for what not to try: commands that failed at least
// twice and never worked after that. A person decides whether the approach was wrong.
func (p *page) failures() (list []string) {
	const twice = 2
	all := p.f.Repeated(twice)
	for _, one := range slices.Backward(few(p, all, shownFailures, "failures")) {
		text := code(one.Text, shownCommand) + ": failed " + strconv.Itoa(one.Times) + " times"
		if one.Exited {
			text += ", the last with exit " + strconv.Itoa(one.Exit)
		}
		if one.Error != "" {
			text += ", " + code(one.Error, shownCommand)
		}
		list = append(list, text+p.whereFailed(one))
	}
	return list
}

// did lists the files, the commands, the list of things to do, and git. They describe one
// session, so they belong to the current state: items of Critical Context are pinned, and
// the next handoff would have to keep them.
func (p *page) did(add func(label, text string)) {
	for _, one := range []struct{ label, text string }{
		{"First request", p.firstRequest()},
		{"Changed, the last first", p.files(p.f.Written, "files changed")},
		{"Only read", p.read()},
		{"Ran last, the last at the end", p.commands()},
		{"Open in its list of things to do", p.todos()},
		{"Git", p.git()},
	} {
		if one.text != "" {
			add(one.label, one.text)
		}
	}
}

// read are the files that were only read. They are the first to make room for what still
// holds of the report before.
func (p *page) read() string {
	if n := len(p.f.Read); n > 0 && p.o.Past != nil && !p.o.All {
		p.leave(n, "files read")
		return ""
	}
	return p.files(p.f.Read, "files read")
}

func (p *page) files(all []facts.File, what string) string {
	var list []string
	for _, f := range slices.Backward(few(p, all, shownFiles, what)) {
		text := p.name(f.Path)
		if len(f.Parts) > 0 {
			parts := f.Parts
			if !p.o.All {
				parts = parts[max(0, len(parts)-2):]
			}
			text += " " + lines(parts)
		}
		if f.Unseen {
			text += ", result unseen"
		}
		list = append(list, text+p.at(f.Line))
	}
	return strings.Join(list, "; ")
}

func (p *page) commands() string {
	all := slices.DeleteFunc(slices.Clone(p.f.Commands), func(c facts.Command) bool { return !p.o.All && p.told[c.Line] })
	if len(all) == 0 {
		return ""
	}
	list := few(p, all, shownCommands, "commands")
	if n := p.f.Earlier; n > 0 && p.o.All {
		p.leave(n, "earlier commands")
	} else if n > 0 {
		p.left[len(p.left)-1] = fmt.Sprintf("%d commands", n+len(all)-len(list))
	}
	var texts []string
	for _, c := range list {
		texts = append(texts, code(c.Text, p.most(shownCommand))+": "+state(c)+p.at(c.Line, c.Seen))
	}
	if p.o.All {
		return "\n  - " + strings.Join(texts, "\n  - ")
	}
	return strings.Join(texts, "; ")
}

func (p *page) most(n int) int {
	if p.o.All {
		return 10 * n
	}
	return n
}

// state is how a command ended, in words.
func state(c facts.Command) string {
	switch c.State {
	case facts.Exited:
		return "exit " + strconv.Itoa(c.Exit)
	case facts.Succeeded:
		return "no error reported"
	case facts.Failed:
		return "failed, no exit status recorded"
	case facts.Refused:
		return "not allowed, so it did not run"
	case facts.Background:
		return "ran on in the background, result unseen"
	}
	return "ran, result unseen"
}

func (p *page) todos() string {
	var list []string
	for _, t := range few(p, p.f.Open(), shownTodos, "things to do") {
		text := code(t.Text, p.most(shownCommand))
		if t.Status != "" {
			text += " " + strings.ReplaceAll(t.Status, "_", " ")
		}
		list = append(list, text+p.at(t.Line))
	}
	return strings.Join(list, "; ")
}

// git returns the state of the working tree now, and during the session.
func (p *page) git() string {
	var list []string
	if g := p.o.Git; g != nil {
		text := "branch " + code(g.Branch, shownText)
		if g.Branch == "" {
			text = "no branch"
		}
		if g.Commit != "" {
			text += " at " + code(g.Commit[:min(len(g.Commit), shortCommit)], shownText)
		}
		text += ", " + p.changed(g.Changed) + " (git status)"
		if p.o.Kept && len(g.Changed) > 0 {
			text += ", kept for `handoff restore`"
		}
		list = append(list, text)
	}
	if b, c := p.f.Branch, p.f.Commit; b.Line > 0 || c.Line > 0 {
		text := "the session was"
		if b.Line > 0 {
			text += " on " + code(b.Text, shownText) + p.at(b.Line)
		}
		if c.Line > 0 {
			text += " at " + code(c.Text[:min(len(c.Text), shortCommit)], shownText) + p.at(c.Line)
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

const shortCommit = 10

func (p *page) changed(files []string) string {
	if len(files) == 0 {
		return "nothing uncommitted"
	}
	var list []string
	shown := files
	if !p.o.All {
		shown = files[:min(len(files), shownFiles)]
	}
	for _, f := range shown {
		list = append(list, code(f, shownText))
	}
	text := strings.Join(list, ", ")
	if n := len(files) - len(shown); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return "uncommitted: " + text
}

// references returns the transcript, what is left out, and the previous report.
func (p *page) references() []string {
	f := p.f
	text := fmt.Sprintf("%s:N is line N of the source above, of %d", cmp.Or(p.o.Name, "session.jsonl"), f.Lines)
	if f.Skipped > 0 {
		text += fmt.Sprintf(", of which %d cannot be read", f.Skipped)
	}
	if f.Cut {
		text += ", the last one not whole"
	}
	if f.Compacted > 0 {
		text += fmt.Sprintf("; \"compacted\" is what is from before line %d, where the host replaced what the agent knew by a summary", f.Compacted)
	}
	list := []string{"Transcript: " + text}
	if len(p.left) > 0 {
		left := "Left out here: " + strings.Join(p.left, ", ")
		if p.o.Command != "" {
			left += "; " + code(p.o.Command, shownText) + " prints all"
		}
		list = append(list, left)
	}
	if p.o.Before != "" {
		list = append(list, "The report before: "+p.o.Before)
	}
	return list
}
