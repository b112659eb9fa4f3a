package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/internal/text/secret"
	"handoff/internal/text/strictyaml"
	"handoff/lint"
	"handoff/log/receipt"
	"handoff/surface/problem"
	"handoff/surface/refusal"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// call is one call of a tool.
type call struct {
	context.Context
	ws      *workspace.Workspace
	args    json.RawMessage
	who     receipts.Caller // with the claim of HANDOFF_CLAIM or of the arguments
	session receipt.Session
	level   string
	client  string // name of the client, for receipts
	config  Config
}

// argumentsName is the name of the arguments in problems.
const argumentsName = "arguments"

// arguments reads the arguments into a struct with yaml tags. Its error has a problem
// for each wrong one.
func (c *call) arguments(into any) error {
	if args := bytes.TrimSpace(c.args); len(args) > 0 && args[0] != '{' {
		return fmt.Errorf("%w: want an object with the arguments", handoff.ErrInvalid)
	}
	return strictyaml.Read(argumentsName, c.args, into).Err()
}

// answer is the result of a tool.
type answer struct {
	text   string // for the model
	value  any    // the same as JSON; hosts show the model one or the other
	failed bool   // isError
}

// failed is the value of a call that was refused: the problem that HTTP answers with.
type failed struct {
	refusal.Answer
	Findings []finding `json:"findings,omitempty"`
}

// finding is a problem that the model can fix.
type finding struct {
	Rule     string `json:"rule,omitempty"`
	Severity string `json:"severity"`
	Argument string `json:"argument,omitempty"` // key of the value, "dead_ends/1"
	Path     string `json:"path,omitempty"`     // of the file, if it is about one
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"` // what to run, if a command fixes it
}

func findingOf(f lint.Finding) finding {
	return finding{Rule: f.Rule, Severity: f.Severity.String(), Path: f.Path, Line: f.Lines.First, Message: secret.Line(f.Message, maxMessage)}
}

// maxMessage is about the most bytes of a message in an answer.
const maxMessage = 1000

// String is the finding on one line, its place first.
func (f finding) String() string {
	place := cmp.Or(f.Argument, f.Path)
	switch {
	case place == "":
	case f.Argument == "" && f.Line > 0:
		place = fmt.Sprintf("%s:%d: ", place, f.Line)
	default:
		place += ": "
	}
	text := place + f.Severity + ": " + f.Message
	if f.Rule != "" {
		text += " (" + f.Rule + ")"
	}
	if f.Fix != "" {
		text += "; " + f.Fix
	}
	return text
}

// lines are the findings as a list, in a frame: they quote documents and names.
func lines(list []finding) string {
	if len(list) == 0 {
		return ""
	}
	rows := make([]string, len(list))
	for i, f := range list {
		rows[i] = "- " + f.String()
	}
	return inert.Quote("list", rows...)
}

// refused is the answer to a call whose values have findings. It changed nothing.
func refused(k *problem.Kind, message string, list []finding) answer {
	p := k.New(message)
	return answer{text: message + "\n" + lines(list), value: failed{refusal.Answer{Problem: p, Status: p.Status}, list}, failed: true}
}

// failure is the answer to a call that failed.
func failure(err error) answer {
	var problems *strictyaml.Error
	if errors.As(err, &problems) && problems.Name == argumentsName { // else they are of the configuration
		return refused(problem.Body, "Nothing was done: the arguments are wrong.", findingsOf(problems))
	}
	text := strings.TrimSuffix(strings.ReplaceAll(err.Error(), handoff.ErrInvalid.Error()+": ", ""), ": "+handoff.ErrInvalid.Error())
	text = forTools(secret.Line(text, maxMessage))
	var missing workspace.NotFound
	if errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) && strings.Contains(text, "handoff init") {
		text += "; or start the server in the workspace (`handoff mcp -C FOLDER`), or with CLAUDE_PROJECT_DIR set to its folder"
	}
	// The error may quote a name that somebody else chose.
	a := refusal.Said(err, text, "The call failed")
	a.Holder = secret.Line(a.Holder, maxName)
	return answer{text: "Nothing was done. " + inert.Quote("reason", text), value: failed{Answer: a}, failed: true}
}

// maxFindings is the most findings in an answer.
const maxFindings = 50

func findingsOf(e *strictyaml.Error) (list []finding) {
	for _, p := range e.Problems[:min(len(e.Problems), maxFindings)] {
		list = append(list, finding{Severity: lint.Error.String(), Argument: strings.TrimPrefix(p.Path, "/"), Message: secret.Line(p.Text, maxMessage)})
	}
	return list
}

// forTools is an error's text with the names of arguments instead of the command's
// flags: "--first-action" is first_action. Commands, in backquotes, keep theirs.
func forTools(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		words := strings.Split(parts[i], " ")
		for j, w := range words {
			open := len(w) - len(strings.TrimLeft(w, "("))
			if flag, ok := strings.CutPrefix(w[open:], "--"); ok {
				words[j] = w[:open] + strings.ReplaceAll(flag, "-", "_")
			}
		}
		parts[i] = strings.Join(words, " ")
	}
	return strings.Join(parts, "`")
}
