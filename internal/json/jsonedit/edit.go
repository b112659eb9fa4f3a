package jsonedit

import (
	"fmt"
	"strings"
)

// Set sets the value at the path. An existing value is replaced, and no byte
// around it changes. A new member becomes the last of its object, an index equal
// to the length appends, and missing parents are created.
//
// The value is nil, a string (UTF-8), bool, int, int64, uint64,
// [json.RawMessage], [Object], or a slice of these. Raw JSON keeps the spelling of
// its scalars and gets the file's spacing.
//
// If the file has an equal value there, nothing changes: numbers compare by
// value, so setting 2 keeps 2.0; strings compare decoded; objects compare in any
// order of keys.
//
// Errors are ErrDuplicateKey, ErrKind (the path leads into a scalar: set that to
// an object first), ErrIndex and ErrValue, after the path as a JSON pointer.
// After an error nothing has changed.
func (f *File) Set(path Path, value any) error { return inPath(path, f.set(path, value)) }

// Append adds elements at the end of the array at the path, in one edit, also if
// the array has equal ones. A missing array is created. Errors are those of
// [File.Set].
func (f *File) Append(path Path, values ...any) error {
	at, err := f.resolve(path)
	if err == nil && len(at.rest) == 0 && at.here.Kind != KindArray {
		err = fmt.Errorf("%w: %s, want an array", ErrKind, at.here.Kind)
	}
	if err != nil {
		return inPath(path, err)
	}
	if len(values) == 0 {
		return nil
	}
	if len(at.rest) > 0 || len(at.here.Children) == 0 {
		return f.Set(path, values)
	}
	index := len(at.here.Children)
	in := append(path[:len(path):len(path)], index) // for errors
	encoded := make([]Value, len(values))
	for i, value := range values {
		if encoded[i], err = encode(value); err != nil {
			return inPath(in, err)
		}
	}
	at.rest = Path{index}
	return inPath(in, f.insert(at, encoded...))
}

// inPath adds the path to an error.
func inPath(path Path, err error) error {
	if err == nil {
		return nil
	}
	if len(path) == 0 {
		return fmt.Errorf("root: %w", err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (f *File) set(path Path, value any) error {
	at, err := f.resolve(path)
	if err != nil {
		return err
	}
	fresh := at.rest
	if len(at.here.Children) > 0 && len(fresh) > 0 {
		fresh = fresh[1:] // added to its siblings; an empty container is replaced as a whole
	}
	if value, err = wrap(fresh, value); err != nil {
		return err
	}
	v, err := encode(value)
	if err != nil {
		return err
	}
	if len(fresh) == len(at.rest) {
		return f.replace(at, v)
	}
	return f.insert(at, v)
}

// wrap returns the value inside the containers that the rest of a path needs.
func wrap(rest Path, value any) (any, error) {
	for i := len(rest) - 1; i >= 0; i-- {
		switch step := rest[i].(type) {
		case string:
			value = Object{{step, value}}
		case int:
			if step != 0 {
				return nil, fmt.Errorf("%w: %d in an array that does not exist", ErrIndex, step)
			}
			value = []any{value}
		default:
			return nil, stepError(step)
		}
	}
	return value, nil
}

func (f *File) replace(at spot, v Value) error {
	if equal(Value{f.src, at.here}, v) {
		return nil
	}
	l := f.layoutFor(v, at.parent, at.here, indentAt(f.src, at.here.Start))
	return f.apply(at.here.Start, at.here.End, l.text(v))
}

// insert adds a member, or elements, at the end of a container that is not empty:
// after a comma and the whitespace that its siblings have.
func (f *File) insert(at spot, values ...Value) error {
	last := len(at.here.Children) - 1
	end := at.here.Children[last].End()
	space, indent := f.gapAtEnd(at.here)
	l := f.layoutFor(values[0], at.here, nil, indent)
	before := "," + space
	if key, isMember := at.rest[0].(string); isMember {
		quoted, err := appendString(nil, key)
		if err != nil {
			return err
		}
		before += string(quoted)
		if colon, ok := colon(f.src, &at.here.Children[last]); ok {
			before += colon
		} else {
			before += l.colon.text
		}
	}
	var text strings.Builder
	for _, v := range values {
		text.WriteString(before)
		text.WriteString(l.text(v))
	}
	return f.apply(end, end, text.String())
}

// gapAtEnd is the whitespace before a child that is added at the end, and the
// indentation of the line on which the child then begins.
func (f *File) gapAtEnd(n *node) (space, indent string) {
	last := len(n.Children) - 1
	space = gap(f.src, n, last)
	if eol, indent, broken := cutLine(space); broken {
		return eol + indent, indent // blank lines are not repeated
	}
	if last == 0 { // this gap is after the bracket, not after a comma
		space = measure(f.src, f.root).comma.text
	}
	return space, indentAt(f.src, n.Children[last].End()-1)
}
