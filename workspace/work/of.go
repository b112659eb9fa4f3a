package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"handoff/internal/file/gitwork"
	"handoff/workspace"
)

// NoneError reports that nothing is kept under a name, or for a handoff.
type NoneError struct{ Of string }

func (e *NoneError) Error() string {
	return fmt.Sprintf("no uncommitted work is kept of %s (`handoff restore --list` shows what is)", e.Of)
}

// Is makes it fs.ErrNotExist.
func (e *NoneError) Is(target error) bool { return target == fs.ErrNotExist }

// Of returns the work that belongs to a handoff, by its path below the root: what was kept with
// it, or later by a session that wrote no handoff of its own. If nothing names the handoff, it
// is the last work of its task.
func Of(ctx context.Context, ws *workspace.Workspace, task int, path string) (k Kept, err error) {
	all, err := List(ctx, ws, &task)
	if err != nil || len(all) == 0 {
		return k, errors.Join(err, &NoneError{path})
	}
	repo, err := gitwork.Open(ctx, ws.Root)
	if err != nil {
		return k, err
	}
	path = pathFromTop(repo, ws, path)
	if k = belongs(all, path); k.Ref == "" {
		return k, &NoneError{path}
	}
	return k, nil
}

// belongs chooses among the work of a task. What a restore kept before it replaced files was
// not left for anybody.
func belongs(all []Kept, path string) (k Kept) {
	all = slices.DeleteFunc(slices.Clone(all), func(one Kept) bool { return one.By == ByRestore })
	at := -1
	for i, one := range all {
		if one.Handoff == path || at >= 0 && one.Handoff == "" && at == i-1 {
			at = i
		}
	}
	if at < 0 {
		at = len(all) - 1
	}
	if at >= 0 {
		k = all[at]
	}
	return k
}

// Last returns what was kept last, of any task.
func Last(ctx context.Context, ws *workspace.Workspace) (k Kept, err error) {
	all, err := List(ctx, ws, nil)
	for _, one := range all {
		if one.By != ByRestore && (k.Ref == "" || one.At.After(k.At)) {
			k = one
		}
	}
	if err == nil && k.Ref == "" {
		err = &NoneError{"any task"}
	}
	return k, err
}

// minID is the fewest digits of a commit that name a state.
const minID = 7

// IsName reports whether a text names a state by its ref or its commit, and not a handoff.
func IsName(text string) bool {
	return strings.HasPrefix(text, "work/") || strings.HasPrefix(text, Prefix) || isHex(text)
}

func isHex(text string) bool {
	return len(text) >= minID && strings.Trim(text, "0123456789abcdef") == ""
}

// Find returns the state that a text names: "work/5/1", its ref, or the beginning of its commit.
func Find(ctx context.Context, ws *workspace.Workspace, text string) (k Kept, err error) {
	all, err := List(ctx, ws, nil)
	if err != nil {
		return k, err
	}
	for _, one := range all {
		if text == one.Name() || text == one.Ref || isHex(text) && strings.HasPrefix(one.Commit, text) {
			return one, nil
		}
	}
	return k, &NoneError{text}
}

// note is a line for the reader of a handoff; "" if nothing is kept with it.
func note(ctx context.Context, ws *workspace.Workspace, task int, path string) string {
	if !gitwork.MayHave(ws.Root, Prefix) {
		return ""
	}
	k, err := Of(ctx, ws, task, path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("Uncommitted work is kept: `handoff restore %s` brings it back.", k.Name())
}
