package templates

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
)

// A template is a program that may have come with a repository, and its package has no
// limits: {{range 2000000000}} takes minutes and all memory. So a call of a function is put
// in front of what can repeat, which counts the steps, and functions that make text count
// its bytes.
const (
	maxSteps  = 200_000 // nodes that are executed
	callSteps = 200     // of a call of another template, which also takes memory
	perStep   = 16      // nodes between two calls of the function
	maxOutput = 2 << 20 // bytes; a document has at most half of it
	maxMade   = 8 << 20 // bytes that functions make
)

// stepName is the function that counts. A template that calls it only shortens its time.
const stepName = "handoff_step_"

var (
	errSteps  = errors.New("the template takes too long: a range or a template in it repeats too often")
	errOutput = errors.New("the template writes too much")
	errMade   = errors.New("the template uses too much memory")
)

// meter limits one execution.
type meter struct {
	ctx                 context.Context
	steps, output, made int
	text                strings.Builder
}

// Write implements io.Writer for the output.
func (m *meter) Write(b []byte) (int, error) {
	if m.output += len(b); m.output > maxOutput {
		return 0, errOutput
	}
	return m.text.Write(b)
}

// step counts the nodes that come next.
func (m *meter) step(nodes int) (string, error) {
	if m.steps += max(nodes, 1); m.steps > maxSteps {
		return "", errSteps
	}
	return "", m.ctx.Err()
}

// room counts the bytes that a function is about to make.
func (m *meter) room(n int) error {
	if m.made += min(n, maxMade+1); m.made > maxMade {
		return errMade
	}
	return m.ctx.Err()
}

// widest is how many bytes one byte of a value can become, as in %q or html.
const widest = 10

// length is the number of bytes that values can take when they are printed.
func length(args []any) (n int) {
	for _, arg := range args {
		if v := reflect.ValueOf(arg); v.IsValid() && v.Kind() == reflect.String {
			n += v.Len()
			continue
		}
		n += len(fmt.Sprint(arg))
	}
	return n
}

// functions are those that make text, with a limit.
func (m *meter) functions() template.FuncMap {
	limited := func(f func(args ...any) string) func(...any) (string, error) {
		return func(args ...any) (string, error) {
			if err := m.room(widest * (length(args) + len(args))); err != nil {
				return "", err
			}
			return f(args...), nil
		}
	}
	return template.FuncMap{
		stepName:   m.step,
		"print":    limited(fmt.Sprint),
		"println":  limited(fmt.Sprintln),
		"html":     limited(template.HTMLEscaper),
		"js":       limited(template.JSEscaper),
		"urlquery": limited(template.URLQueryEscaper),
		"printf": func(format string, args ...any) (string, error) {
			// Each verb may print any of the values, at any width.
			verbs := strings.Count(format, "%")
			if err := m.room(len(format) + verbs*(widest*length(args)+width(format, args))); err != nil {
				return "", err
			}
			return fmt.Sprintf(format, args...), nil
		},
	}
}

// width is the largest number in a format, or the largest that * can take from the values.
func width(format string, args []any) (most int) {
	n := 0
	for _, c := range format {
		if c < '0' || c > '9' {
			n = 0
			continue
		}
		n = min(10*n+int(c-'0'), maxMade)
		most = max(most, n)
	}
	if strings.Contains(format, "*") {
		for _, arg := range args {
			if v := reflect.ValueOf(arg); v.IsValid() && v.CanInt() {
				most = max(most, int(min(max(v.Int(), -v.Int()), maxMade)))
			}
		}
	}
	return most
}

// countList puts calls into a list of nodes and what is below them. The first counts more
// for a list that is executed for itself.
func countList(list *parse.ListNode, first int) {
	if list == nil {
		return
	}
	var nodes []parse.Node
	for i, n := range list.Nodes {
		if i%perStep == 0 {
			steps := min(perStep, len(list.Nodes)-i)
			if i == 0 {
				steps += first
			}
			nodes = append(nodes, stepNode(n.Position(), steps))
		}
		nodes = append(nodes, n)
		switch n := n.(type) {
		case *parse.IfNode:
			countBranch(&n.BranchNode)
		case *parse.WithNode:
			countBranch(&n.BranchNode)
		case *parse.RangeNode:
			if len(n.List.Nodes) == 0 { // it repeats nothing, which takes time, too
				n.List.Nodes = []parse.Node{stepNode(n.Position(), 1)}
			}
			countBranch(&n.BranchNode)
		}
	}
	list.Nodes = nodes
}

func countBranch(n *parse.BranchNode) {
	countList(n.List, 1)
	countList(n.ElseList, 1)
}

// stepNode is {{step N}} at a place.
func stepNode(at parse.Pos, steps int) parse.Node {
	number := &parse.NumberNode{NodeType: parse.NodeNumber, Pos: at, IsInt: true, Int64: int64(steps), Text: fmt.Sprint(steps)}
	call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: []parse.Node{parse.NewIdentifier(stepName).SetPos(at), number}}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: at, Pipe: &parse.PipeNode{NodeType: parse.NodePipe, Pos: at, Cmds: []*parse.CommandNode{call}}}
}

// execute executes a template within the limits.
func execute(ctx context.Context, text string, page Page) (string, error) {
	m := &meter{ctx: ctx}
	t, err := template.New("template").Option("missingkey=error").Funcs(m.functions()).Parse(text)
	if err != nil {
		return "", err
	}
	for _, one := range t.Templates() {
		if one.Tree != nil && one.Tree.Root != nil {
			if err := checkFormats(one.Tree, one.Tree.Root); err != nil {
				return "", err
			}
			countList(one.Tree.Root, callSteps)
		}
	}
	if err := t.Execute(m, page); err != nil {
		return "", limitOf(err)
	}
	return m.text.String(), nil
}

// limitOf is the error of an execution. If a limit has ended it, the function that counts is
// not the reader's concern.
func limitOf(err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled // what follows is not used
	}
	for _, limit := range []error{errSteps, errOutput, errMade, context.DeadlineExceeded} {
		if errors.Is(err, limit) {
			place, _, ok := strings.Cut(err.Error(), ": executing ")
			if !ok {
				place = "template: template"
			}
			if limit == context.DeadlineExceeded {
				limit = errSteps
			}
			return fmt.Errorf("%s: %w", place, limit)
		}
	}
	return err
}
