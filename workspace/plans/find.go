package plans

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/workspace"
)

// Take finds the task that a new handoff is about: by what its tool calls it, or the beginning of
// that, or by its number. ok is false for a number that no plan has. The error names several
// tasks, and tells which tasks there are where a handoff must be of one.
func Take(w *workspace.Workspace, named string, number int) (t Task, ok bool, err error) {
	ref := named
	if ref == "" && number > 0 {
		ref = strconv.Itoa(number)
	}
	needs := w.Config.New != nil && w.Config.New.Plan != nil && w.Config.New.Plan.Needs
	if ref == "" {
		if needs {
			err = none(w, w.Config.New.Plan.Tool, "")
		}
		return t, false, err
	}
	t, ok, err = choose(ref, append(Tasks(w), features(w, ref)...))
	switch {
	case err != nil:
		return t, false, err
	case ok && t.Layout == nil && t.Dir == "":
		err = t.elsewhere(w, named != "")
		return t, named != "", err
	case ok:
		t.Read(w)
		return t, true, nil
	case needs:
		return t, false, none(w, w.Config.New.Plan.Tool, ref)
	case named != "":
		return t, false, none(w, "", ref)
	}
	return t, false, nil
}

// elsewhere is the error for a task whose plan is not in the configuration, while new handoffs go to task
// folders, which have numbers.
func (t *Task) elsewhere(w *workspace.Workspace, named bool) error {
	if !named || w.Config.New != nil {
		t.Read(w)
		return nil
	}
	return fmt.Errorf("%w: %s has no place for handoffs here: add `documents: [{preset: %s}]` to .handoff.yaml", handoff.ErrInvalid, t.Called(), t.preset)
}

// choose returns the task of a list that ref names.
func choose(ref string, all []Task) (t Task, ok bool, err error) {
	number, notNumber := strconv.Atoi(ref)
	if notNumber == nil {
		all = slices.DeleteFunc(all, func(t Task) bool { return t.Number != number || number == 0 })
	}
	if placed := slices.DeleteFunc(slices.Clone(all), func(t Task) bool { return t.Layout == nil && t.Dir == "" }); notNumber == nil && len(placed) > 0 {
		all = placed
	}
	var titled []handoff.Titled
	for i, t := range all {
		titles := []string{t.ID, t.Title}
		if t.Dir != "" {
			_, _, slug := handoff.ParseTask(t.ID)
			titles = append(titles, slug)
		}
		if notNumber == nil {
			titles = []string{ref}
		}
		titled = append(titled, handoff.Titled{ID: strconv.Itoa(i), Titles: titles})
	}
	found, err := handoff.FindTitle(ref, "task", titled)
	if several, is := errors.AsType[*handoff.AmbiguousError](err); is {
		for i, at := range several.Found {
			n, _ := strconv.Atoi(at)
			several.Found[i] = all[n].Called()
		}
	}
	if found == "" || err != nil {
		return t, false, err
	}
	n, _ := strconv.Atoi(found)
	return all[n], true, nil
}

// tasksOf list the tasks that a tool has.
var tasksOf = map[string]func(w *workspace.Workspace) []Task{
	"OpenSpec": changes, "GSD": phases, "beads": openIssues, "Backlog.md": backlogTasks,
}

// specKit is the tool whose tasks are task folders.
const specKit = "Spec Kit"

// Named replaces the name of a task in a request by what its tool calls it, and sets its number; that of a task
// folder by its number alone. Surfaces ask it before they ask who holds the task.
func Named(w *workspace.Workspace, named *string, number *int) error {
	if *named == "" {
		return nil
	}
	t, ok, err := Take(w, *named, 0)
	if n, width, _ := handoff.ParseTask(*named); width > 0 && errors.Is(err, handoff.ErrNoTask) && w.Config.New == nil && slices.Contains(folders(w, handoff.Root), *named) {
		*named, *number = "", n
		return nil
	}
	if n, exists := ticket(w, *named); n > 0 && errors.Is(err, handoff.ErrNoTask) {
		if !exists {
			return workspace.NoTask(fmt.Sprintf("%s has no folder of handoffs yet: begin it with --task %d", *named, n))
		}
		*named, *number = "", n
		return nil
	}
	if ok && err == nil {
		*named, *number = t.ID, t.Number
	}
	return err
}

// ticket is the number of a ticket where new handoffs are in folders of tickets, 1478 for ENG-1478, and whether it has a
// folder; 0 for none.
func ticket(w *workspace.Workspace, name string) (number int, exists bool) {
	l := w.Config.New
	if l == nil || l.Plan != nil || strings.Contains(name, "/") {
		return 0, false
	}
	for _, form := range l.Names {
		dir, _, ok := strings.Cut(form, "{task}/")
		if ok && !strings.Contains(dir, "{") {
			return l.Read(dir + name + "/x.md").Task, slices.Contains(folders(w, strings.TrimSuffix(dir, "/")), name)
		}
	}
	return 0, false
}

// Tasks are the tasks of the plans in the tree that are not archived, each plan in its own order,
// without their counts. Those of task folders are left out: package workspace has them.
func Tasks(w *workspace.Workspace) (list []Task) {
	var layouts []*task.Layout
	for _, l := range w.Config.Documents {
		if l.Plan != nil {
			layouts = append(layouts, l)
		}
	}
	for _, l := range task.Presets() {
		if l.Plan != nil && !slices.ContainsFunc(layouts, func(o *task.Layout) bool { return o.Plan.Tool == l.Plan.Tool }) {
			layouts = append(layouts, l)
		}
	}
	for _, l := range layouts {
		for _, t := range tasksOf[l.Plan.Tool](w) {
			t.Tool, t.preset = l.Plan.Tool, l.Name
			if slices.Contains(w.Config.Documents, l) {
				t.Layout = l
			}
			if t.Number, _ = l.Plan.Number(t.ID); isID(t.ID) {
				list = append(list, t)
			}
		}
	}
	return list
}

// features are the features of Spec Kit that ref may name. Without a plan in it, a task folder is
// found by its number alone. If new handoffs are outside of task folders, there are none.
func features(w *workspace.Workspace, ref string) (list []Task) {
	if l := w.Config.New; l != nil && l.Plan == nil {
		return nil
	}
	for _, name := range folders(w, handoff.Root) {
		if handoff.IsFeature(name) && isID(name) {
			t := Task{Plan: Plan{Tool: specKit}, Dir: handoff.Root + "/" + name, ID: name}
			t.Number, _, _ = handoff.ParseTask(name)
			list = append(list, t)
		}
	}
	return list
}

// none is the error for a ref that no plan of a tool has; "" for any tool.
func none(w *workspace.Workspace, tool, ref string) error {
	const some = 4
	e := &Error{Ref: ref, Tool: tool}
	for _, t := range append(Tasks(w), features(w, ref)...) {
		if tool == "" || t.Tool == tool {
			if e.Of++; e.Of <= some {
				e.Has = append(e.Has, t.ID)
			}
		}
	}
	return e
}

// Error reports a task that no plan has.
type Error struct {
	Ref  string
	Tool string   // "" for any
	Has  []string // some of the tasks that it has
	Of   int      // how many it has
}

func (e *Error) Error() string {
	text := fmt.Sprintf("no plan here has a task %q", e.Ref)
	switch {
	case e.Ref == "":
		text = "a handoff here is of a task of " + e.Tool + ": name it with --task"
	case e.Tool != "":
		text = fmt.Sprintf("%s has no task %q", e.Tool, e.Ref)
	}
	switch more := e.Of - len(e.Has); {
	case e.Of == 0:
		if n, width, slug := handoff.ParseTask(e.Ref); width > 0 && e.Tool == "" {
			return fmt.Sprintf("there is no task folder %s/%s: begin the task with --task %d --slug %s", handoff.Root, e.Ref, n, slug)
		}
		return text + ", nor any that is open (a task without a plan has a number: --task 1)"
	case more > 0:
		return fmt.Sprintf("%s (%s and %d more)", text, strings.Join(e.Has, ", "), more)
	}
	return text + " (" + strings.Join(e.Has, ", ") + ")"
}

func (e *Error) Unwrap() error { return handoff.ErrNoTask }
