package draft

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"handoff/agents/transcript/facts"
	"handoff/internal/text/say"
)

// Phrases of a draft's own first step. Later drafts do not repeat such a step, because it is
// about a transcript that they were not made from.
const (
	unseenResult = "because the session ended before its result was seen"
	notAnswered  = "Get an answer to what the agent asked last"
	inProgress   = ", which was in progress"
	firstOpen    = ", the first open entry of its list"
	failedLast   = "failed last, with "
	lastFailure  = "the last thing that the agent ran"
	nothingOpen  = "Nothing is open that the transcript shows"
	inTheMiddle  = "the session ended in the middle of it"
	changedLast  = "which was changed last"
	readLast     = "which was read last"
	fromSummary  = "as the host's summary names the next step"
	nothingHere  = "because the transcript has no file that is still here"
	saidLast     = "with what the agent said last"
	notAllowed   = "which was not allowed"
	notBegun     = "nothing in the transcript follows it"
)

var ownPhrases = []string{unseenResult, notAnswered, notAllowed, notBegun, inProgress, firstOpen, failedLast, lastFailure, nothingOpen, inTheMiddle, fromSummary, changedLast, readLast, nothingHere, saidLast}

// lead tells what to do first: what the transcript shows to be open, the surest sign first. What comes
// after it is not in a transcript.
func (p *page) lead() string {
	if n := len(p.f.Commands); n > 0 {
		switch c := p.f.Commands[n-1]; {
		case c.State == facts.Unseen:
			return "Find out what " + code(c.Text, shownCommand) + " did, " + unseenResult + p.at(c.Line) + "."
		case c.State == facts.Refused && !p.finished():
			return "Ask what to do instead of " + code(c.Text, shownCommand) + ", " + notAllowed + p.at(c.Line, c.Seen) + "."
		}
	}
	if question := p.question(); question != "" {
		return notAnswered + ": " + question + "."
	}
	if p.o.Goal == "" && p.f.Last.Line > max(p.f.Called, p.f.Said.Line) && (p.f.Said.Line > 0 || p.f.Calls > 0) {
		return "Begin with the user's last request, " + p.quoted(p.f.Last) + ": " + notBegun + "."
	}
	failure, failed := p.failedLast()
	entry := p.openEntry()
	switch {
	case failed && entry != "":
		return "Continue with " + entry + ": " + code(failure.Text, shownCommand) + " " + failedLast + result(failure) + p.whereFailed(failure) + "."
	case failed:
		return "Find out why " + code(failure.Text, shownCommand) + " fails, " + lastFailure + ": " + result(failure) + p.whereFailed(failure) + "."
	case entry != "":
		return "Continue with " + entry + "."
	case p.finished() && p.o.Git != nil:
		return p.over()
	case p.f.Compacted > p.f.Called && p.summaryStep() != "":
		return "Continue with " + code(p.summaryStep(), shownText) + ", " + fromSummary + p.at(p.f.Summary.Line) + "."
	case p.o.Goal == "" && p.f.Last.Line > 0 && p.f.Last.Line < p.f.Called && !p.finished():
		return p.middle()
	}
	return p.lookAt()
}

// middle is the step after a session that ended between two calls, with nothing that failed and no list.
func (p *page) middle() string {
	text := "Continue with the user's last request below: " + inTheMiddle
	written, kept := p.last()
	read, known := p.lastRead()
	said := p.f.Midway && p.f.Said.Line > p.f.Last.Line
	switch {
	case said && p.f.Said.Line > max(written.Line, read.Line):
	case kept && written.Line > p.f.Last.Line && !p.temporary(written.Path):
		text += ", after it changed " + p.name(written.Path) + p.at(written.Line)
	case known && read.Line > p.f.Last.Line && !p.temporary(read.Path):
		text += ", after it read " + p.name(read.Path) + p.at(read.Line)
	default:
		text += p.at(p.f.Called)
	}
	if said {
		text += "; its last words were " + code(p.lastLine(), shownCommand) + p.at(p.f.Said.Line)
	}
	return text + "."
}

// over is the step after a session that came to its end and left nothing on its list. Of the files that
// are not committed it counts those that the session wrote: others may be older.
func (p *page) over() string {
	left := 0
	for _, f := range p.f.Written {
		if shown, _ := p.place(f.Path); slices.Contains(p.o.Git.Changed, shown) {
			left++
		}
	}
	if left > 0 {
		return nothingOpen + ", but " + say.Count(left, "file") + " that it changed " + isAre(left) + " not committed: check what changed against the goal below, and commit it."
	}
	return nothingOpen + ": check the files against the goal below, then record that it is done."
}

// finished reports whether the agent's own words are the last thing in the transcript, so that neither
// a call nor the host ended the session.
func (p *page) finished() bool {
	f := p.f
	return f.Said.Line > 0 && f.Said.Line > f.Last.Line && f.Said.Line > f.Called && f.Failed.Line == 0 && !f.Midway && p.o.Why == ""
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// question is the last line of what the agent said, if it ends with a question that the user did not
// answer.
func (p *page) question() string {
	if !p.finished() || p.f.Said.Cut && p.f.Said.End == "" {
		return ""
	}
	last := p.lastLine()
	if end := strings.TrimRight(last, " *_\"'`)”’"); !strings.HasSuffix(end, "?") && !strings.HasSuffix(end, "？") {
		return ""
	}
	return code(last, shownText) + p.at(p.f.Said.Line)
}

// lastLine is the last line of what the agent said last.
func (p *page) lastLine() string {
	text := strings.TrimSpace(cmp.Or(p.f.Said.End, p.f.Said.Text))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// openEntry is the entry of the list of things to do that was in progress, else the first one that is open.
func (p *page) openEntry() string {
	open := slices.DeleteFunc(p.f.Open(), p.outlived)
	if len(open) == 0 {
		return ""
	}
	one, why := open[0], firstOpen
	if n := slices.IndexFunc(open, func(t facts.Todo) bool { return t.Status == "in_progress" }); n >= 0 {
		one, why = open[n], inProgress
	}
	return code(one.Text, shownCommand) + why + p.at(one.Line)
}

// outlived reports whether an entry is older than the user's last request, and what the agent knew of it is gone, or it
// came to its end without it. Such an entry is shown, and leads no more.
func (p *page) outlived(t facts.Todo) bool {
	return t.Line < p.f.Last.Line && (t.Line < p.f.Compacted || p.finished())
}

// failedLast is the failure of the last command that did more than look: a search that finds nothing
// fails, too. A command that succeeded later is no failure, nor is one after which another one succeeded,
// nor, in a session that came to its end, one that checks nothing.
func (p *page) failedLast() (facts.Failure, bool) {
	for _, c := range slices.Backward(p.f.Commands) {
		if IsOwnCommand(c.Text) || c.State != facts.Failed && onlyLooks(c.Text) {
			continue
		}
		n := slices.IndexFunc(p.f.Failures, func(f facts.Failure) bool { return f.Command && f.Text == c.Text && f.Call == c.Line })
		if n < 0 || p.finished() && !facts.Checks(c.Text) {
			return facts.Failure{}, false
		}
		return p.f.Failures[n], true
	}
	return facts.Failure{}, false
}

// looking are programs that only look. Their exit status says what they found, not that something is wrong.
var looking = []string{"[", "cat", "cd", "command", "diff", "du", "echo", "fd", "file", "find", "grep", "head", "ls", "pgrep", "ps", "pwd", "rg", "sed", "sleep",
	"stat", "tail", "test", "tree", "type", "wc", "which"}

// onlyLooks reports whether the programs of the last part of a command, whose status the shell returns, only look.
func onlyLooks(command string) bool {
	for _, words := range facts.LastPipeline(command) {
		if path.Base(words[0]) == "git" {
			if len(words) > 1 && slices.Contains([]string{"am", "apply", "cherry-pick", "commit", "merge", "pull", "push", "rebase", "revert"}, words[1]) {
				return false
			}
		} else if !slices.Contains(looking, path.Base(words[0])) {
			return false
		}
	}
	return true
}

// result is how a failure ended last, in words.
func result(f facts.Failure) string {
	text := "an error"
	if f.Exited {
		text = "exit " + strconv.Itoa(f.Exit)
	}
	if f.Error != "" {
		text += ", " + code(f.Error, shownCommand)
	}
	return text
}

// whereFailed points to the last call and its results.
func (p *page) whereFailed(f facts.Failure) string {
	return p.at(slices.Sorted(slices.Values(append([]int{f.Call}, f.Lines...)))...)
}

// lookAt tells which file to look at if nothing else is open. A file in a temporary folder is named
// only if there is nothing else.
func (p *page) lookAt() string {
	written, kept := p.last()
	read, known := p.lastRead()
	switch {
	case kept && !p.temporary(written.Path):
		return p.compare(written)
	case known && !p.temporary(read.Path):
		return p.again(read)
	case (kept || known) && p.f.Said.Line > 0:
		return "Run `git status` and compare what changed " + saidLast + ", and with the goal below."
	case kept:
		return p.compare(written)
	case known:
		return p.again(read)
	}
	return "Run `git status` and compare what changed with the goal below, " + nothingHere + "."
}

func (p *page) compare(f facts.File) string {
	return "Compare " + p.name(f.Path) + ", " + changedLast + p.at(f.Line) + ", with the goal below."
}

func (p *page) again(f facts.File) string {
	return "Read " + p.name(f.Path) + " again, " + readLast + p.at(f.Line) + ", with the goal below in mind."
}

// saidWhole reports whether the first step quotes all that the agent said last.
func (p *page) saidWhole() bool {
	said := strings.TrimSpace(p.f.Said.Text)
	return !p.f.Said.Cut && said == p.lastLine() && strings.Contains(p.lead(), code(said, shownCommand)) && len(said) <= shownCommand
}
