package templates

import (
	"fmt"
	"reflect"
	"slices"
	"text/template/parse"
)

// checkFormats returns an error for a time that is formatted with a layout that the template
// makes itself. Such a text can grow each time, and no function of ours sees it.
func checkFormats(t *parse.Tree, n parse.Node) error {
	if call, ok := n.(*parse.CommandNode); ok && formats(call.Args[0]) && !constant(call) {
		location, context := t.ErrorContext(call)
		return fmt.Errorf("template: %s: <%s>: the layout of Format must be written in the template", location, context)
	}
	for _, child := range children(n) {
		if pipe, ok := child.(*parse.PipeNode); ok && pipe != nil && len(pipe.Cmds) > 1 {
			for _, call := range pipe.Cmds[1:] { // it gets what the one before it has made
				if formats(call.Args[0]) {
					location, context := t.ErrorContext(call)
					return fmt.Errorf("template: %s: <%s>: the layout of Format must be written in the template", location, context)
				}
			}
		}
		if err := checkFormats(t, child); err != nil {
			return err
		}
	}
	return nil
}

// formats reports whether a node is a method such as .Time.Format.
func formats(n parse.Node) bool {
	var names []string
	switch n := n.(type) {
	case *parse.FieldNode:
		names = n.Ident
	case *parse.VariableNode:
		names = n.Ident
	case *parse.ChainNode:
		names = n.Field
	}
	return slices.Contains(names, "Format") || slices.Contains(names, "AppendFormat")
}

func constant(call *parse.CommandNode) bool {
	return len(call.Args) == 2 && call.Args[1].Type() == parse.NodeString
}

// children are the nodes below a node.
func children(n parse.Node) (all []parse.Node) {
	add := func(some ...parse.Node) {
		for _, n := range some {
			if v := reflect.ValueOf(n); v.IsValid() && !v.IsNil() {
				all = append(all, n)
			}
		}
	}
	branch := func(n *parse.BranchNode) { add(n.Pipe, n.List, n.ElseList) }
	switch n := n.(type) {
	case *parse.ListNode:
		add(n.Nodes...)
	case *parse.ActionNode:
		add(n.Pipe)
	case *parse.TemplateNode:
		add(n.Pipe)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.PipeNode:
		for _, call := range n.Cmds {
			add(call)
		}
	case *parse.CommandNode:
		add(n.Args...)
	case *parse.ChainNode:
		add(n.Node)
	}
	return all
}
