package jsonedit

import "fmt"

// spot is the value that the existing part of a path leads to; the rest of the path
// is missing.
type spot struct {
	parent *node // of here; nil for the root
	index  int   // of here in parent
	here   *node
	rest   Path
}

// resolve follows a path for an edit. If there is a rest, it can be added to the
// value here.
func (f *File) resolve(path Path) (spot, error) {
	at := spot{here: f.root}
	for i, step := range path {
		index, err := childIndex(at.here, step)
		if err != nil {
			return at, err
		}
		if index == len(at.here.Children) {
			at.rest = path[i:]
			return at, nil
		}
		at.parent, at.index = at.here, index
		at.here = &at.parent.Children[index].Value
	}
	return at, nil
}

// childIndex is the index of the child that a step leads to, or the number of
// children if it would be a new one.
func childIndex(n *node, step any) (int, error) {
	switch step := step.(type) {
	case string:
		if n.Kind != KindObject {
			return 0, fmt.Errorf("%w: %s, want an object with the key %q", ErrKind, n.Kind, step)
		}
		return keyIndex(n, step)
	case int:
		if n.Kind != KindArray {
			return 0, fmt.Errorf("%w: %s, want an array with the index %d", ErrKind, n.Kind, step)
		}
		if step < 0 || step > len(n.Children) {
			return 0, fmt.Errorf("%w: %d in an array of %d", ErrIndex, step, len(n.Children))
		}
		return step, nil
	}
	return 0, stepError(step)
}

func keyIndex(n *node, key string) (int, error) {
	found := len(n.Children)
	for i := range n.Children {
		if n.Children[i].Name != key {
			continue
		}
		if found < len(n.Children) {
			return 0, fmt.Errorf("%w: %q", ErrDuplicateKey, key)
		}
		found = i
	}
	return found, nil
}

func stepError(step any) error {
	return fmt.Errorf("%w: a path has strings and ints, not %T", ErrValue, step)
}
