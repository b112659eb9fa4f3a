package draft

import (
	"slices"
	"strconv"
	"strings"

	"handoff/agents/transcript/facts"
)

// How much of the last calls a document of one screen shows. They come before all else that is about the
// session: of what a successor is told first, they say most of what comes next.
const (
	shownCalls  = 7
	shownCall   = 120 // bytes of one
	shownOutput = 240 // bytes of the end of the last one's output
	shownParts  = 3   // of a file, and lines of an output
)

// calls are the last calls of tools as the host recorded them, the last one first, with the last
// lines that it printed. Of a command without a status no error was reported. The last one has a line of
// its own, for a brief that is short has whole lines.
func (p *page) calls() string {
	list := p.f.LastCalls
	if !p.o.All {
		list = list[max(0, len(list)-shownCalls):]
		if p.o.Past != nil {
			list = list[len(list)/2:]
		}
	}
	if len(list) == 0 {
		return ""
	}
	states := map[int]facts.Command{}
	for _, c := range p.f.Commands {
		states[c.Line] = c
	}
	var last string
	var texts []string
	var at []int // lines of the transcript
	for i, one := range slices.Backward(list) {
		text := one.Tool + " " + code(one.Text, p.most(shownCall)) + asked(one)
		if c, known := states[one.Line]; known && one.Command {
			if p.told[one.Line] = true; c.State != facts.Succeeded {
				text += ": " + state(c)
			}
		}
		if i < len(list)-1 {
			texts, at = append(texts, text), append(at, one.Line)
			continue
		}
		last = "- **Its last call**: " + text
		if printed := ending(one.Ended); printed != "" {
			last += ", whose output ends with " + printed + p.at(one.Line, one.Seen)
		} else {
			last += p.at(one.Line)
		}
	}
	if len(texts) == 0 {
		return last
	}
	return last + "\n- **The calls before it, the last one first**: " + strings.Join(texts, "; ") + p.at(slices.Sorted(slices.Values(at))...)
}

// asked is what a call that is no command was about besides its text, and whether it failed.
func asked(one facts.Call) (text string) {
	if one.In != "" {
		text += " in " + code(one.In, shownText)
	}
	if n := len(one.Parts); n > 0 {
		text += " " + lines(one.Parts[max(0, n-shownParts):])
	} else if one.Times > 1 {
		text += ", " + strconv.Itoa(one.Times) + " times"
	}
	switch {
	case one.Command:
	case one.Refused:
		text += ": not allowed"
	case one.Failed:
		text += ": failed"
	}
	return text
}

// ending are the last lines of an output.
func ending(output string) string {
	var texts []string
	all := strings.Split(strings.TrimSpace(output), "\n")
	size := 0
	for _, line := range slices.Backward(all) {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "=-*#<>{}[]()_ .") == "" || strings.HasPrefix(line, "Exit code ") {
			continue
		}
		if size += min(len(line), shownCall); size > shownOutput && len(texts) > 0 || len(texts) == shownParts {
			break
		}
		texts = append(texts, code(line, shownCall))
	}
	slices.Reverse(texts)
	return strings.Join(texts, ", ")
}
