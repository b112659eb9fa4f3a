package chain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/internal/text/secret"
	"handoff/log/receipt"
)

// Gate is what was found when an agent said that the work is done. Its word is not enough.
type Gate struct {
	receipt.Evidence
	Refused []string `json:"refused,omitempty"` // why it is not done, none if it is
	Output  string   `json:"output,omitempty"`  // the end of what the first failed command printed
}

// Exchange is a question of an agent and the answer of a person.
type Exchange struct{ Question, Answer string }

// refusals is how often an agent is sent back to work that it called done. After that
// another one continues.
const refusals = 2

// conclude decides about an agent that says that the work is done.
func (s *State) conclude() Action {
	switch {
	case s.Gate == nil:
		return Action{Verb: DoGate}
	case len(s.Gate.Refused) == 0:
		return end(Done, s.beside())
	case s.Left.State != receipt.Done && s.Refusals <= refusals && s.End != Failed && s.CanResume():
		return turn(Prove)
	}
	why := "it said that the work is done, but " + s.Gate.Refused[0]
	if s.before+1 < misses {
		return Action{Verb: DoDraft, Why: why}
	}
	return end(Unproved, s.Agent+": "+why)
}

// asks reports whether the relay waits for a person: the agent has ended with a question, and
// has either been asked what it owes or cannot be.
func (s *State) asks() bool {
	return s.End == Completed && s.Question != "" && (s.Asked || !s.CanResume())
}

// maxQuestion is the most bytes of a question: a few sentences with the choices.
const maxQuestion = 1000

// QuestionOf returns the end of an agent's last words, from the paragraph with the last
// question on, as one line; "" if they do not end with a question or what it is about.
func QuestionOf(said string) string {
	const after = 12 // lines that may follow, such as the choices
	last, begin, lines := -1, 0, 0
	blank := true
	pos := 0
	for line := range strings.Lines(said) {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
			blank = true
		case blank:
			begin, blank = pos, false
		}
		if text != "" {
			lines++
		}
		if questions(text) {
			last, lines = begin, 0
		}
		pos += len(line)
	}
	if last < 0 || lines > after {
		return ""
	}
	return secret.MaskLine(said[last:], maxQuestion)
}

// questions reports whether a sentence of a line is a question: a mark in the middle of a word,
// as in an address, does not end one.
func questions(line string) bool {
	for i, c := range line {
		if !strings.ContainsRune("?？؟", c) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(line[i+utf8.RuneLen(c):])
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		word := unicode.IsLetter(before) || unicode.IsNumber(before) || strings.ContainsRune("`'\"»”’)]*_", before)
		if word && (next == utf8.RuneError || unicode.IsSpace(next) || strings.ContainsRune("`'\"»”’)]*_", next) || c != '?') {
			return true
		}
	}
	return false
}

// maxOutput is the most bytes of the output of a failed command that a fact has.
const maxOutput = 3000

// Shorten keeps the end of an output: the errors of a test run.
func Shorten(output string) string {
	if len(output) <= maxOutput {
		return output
	}
	_, rest, _ := strings.Cut(output[len(output)-maxOutput:], "\n")
	return strings.ToValidUTF8(rest, "")
}
