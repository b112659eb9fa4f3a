package facts

import (
	"cmp"
	"slices"
	"strings"

	"handoff/agents/transcript"
)

// todo applies a call to the list. The call counts even if its result is missing,
// because the agent has stated what is left.
func (c *Collector) todo(line int, id string, t *transcript.Tool) {
	if !t.Change {
		c.todos = nil
	}
	for _, e := range t.Todos {
		at := -1
		if t.Change && e.ID != "" {
			if at = slices.IndexFunc(c.todos, func(old Todo) bool { return old.id == e.ID }); at < 0 {
				continue // it is about an entry that is not in the transcript
			}
		}
		if at < 0 {
			c.todos, at = append(c.todos, Todo{id: e.ID, call: id}), len(c.todos)
		}
		one := &c.todos[at]
		one.Text, one.Status, one.Line = strings.Clone(cmp.Or(e.Text, one.Text)), strings.Clone(cmp.Or(e.Status, one.Status)), line
	}
}

// listed adds the id that a new entry got, or takes the change back if it was refused.
func (c *Collector) listed(one *call, t *transcript.Tool, r *transcript.Result) {
	if r.Failed {
		c.todos = one.before
		return
	}
	one.before = nil
	for i := range c.todos {
		if r.Todo != "" && c.todos[i].call == t.ID {
			c.todos[i].id = strings.Clone(r.Todo)
		}
	}
}
