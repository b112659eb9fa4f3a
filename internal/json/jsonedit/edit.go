package jsonedit

import (
	"errors"
	"fmt"
	"strings"
)

// Set makes the value at the path this one. Where there is a value only its
// bytes are replaced; a missing member comes last in its object, an index
// equal to the length appends, and missing parents are made.
//
// Values are nil, string (UTF-8), bool, int, int64, uint64, [json.RawMessage],
// [Object], and slices of these. Raw JSON keeps the spelling of its scalars
// and gets the file's spacing.
//
// Where the value there says the same already, nothing changes: numbers
// compare by value, so 2 leaves 2.0 as it stands; strings compare decoded;
// objects in any order of keys.
//
// The errors are ErrDuplicateKey, ErrKind (the path leads into a scalar: set
// that to an object first), ErrIndex and ErrValue, after the path as a JSON
// pointer. After an error nothing has changed.
func (f *File) Set(path Path, value any) error {
	return inPath(path, f.set(path, value, ""))
}

// InsertAfter is [File.Set] that puts a missing member behind its sibling with
// this key, last where there is no such sibling. A member that is there
// already stays in its place and gets the value.
func (f *File) InsertAfter(path Path, value any, sibling string) error {
	return inPath(path, f.set(path, value, sibling))
}

// Append adds last elements to the array at the path, in one edit, also where
// equal ones are in it. A missing array is made. Errors are those of [File.Set].
func (f *File) Append(path Path, values ...any) error {
	at, err := f.resolve(path)
	if err == nil && len(at.rest) == 0 && at.here.Kind != KindArray {
		err = fmt.Errorf("%w: %s, not an array", ErrKind, at.here.Kind)
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
	in := append(path[:len(path):len(path)], index)
	encoded := make([]Value, len(values))
	for i, value := range values {
		if encoded[i], err = encode(value); err != nil {
			return inPath(in, err)
		}
	}
	at.rest = Path{index}
	return inPath(in, f.insert(at, "", encoded...))
}

// Delete removes the member or element at the path, with its comma and, where
// it has one to itself, its line. Where there is nothing, nothing changes; the
// root cannot be deleted.
func (f *File) Delete(path Path) error {
	at, err := f.resolve(path)
	switch {
	case errors.Is(err, ErrKind), errors.Is(err, ErrIndex):
		return nil
	case err != nil:
		return inPath(path, err)
	case len(path) == 0:
		return inPath(path, fmt.Errorf("%w: the root cannot be deleted", ErrValue))
	case len(at.rest) > 0:
		return nil
	}
	from, to := cut(f.src, at.parent, at.index)
	return inPath(path, f.apply(from, to, ""))
}

func inPath(path Path, err error) error {
	if err == nil {
		return nil
	}
	if len(path) == 0 {
		return fmt.Errorf("root: %w", err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (f *File) set(path Path, value any, sibling string) error {
	at, err := f.resolve(path)
	if err != nil {
		return err
	}
	fresh := at.rest
	if len(at.here.Children) > 0 && len(fresh) > 0 {
		fresh = fresh[1:] // joins its siblings; an empty container is replaced whole
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
	return f.insert(at, sibling, v)
}

// wrap puts a value into the containers that the rest of a path needs.
func wrap(rest Path, value any) (any, error) {
	for i := len(rest) - 1; i >= 0; i-- {
		switch step := rest[i].(type) {
		case string:
			value = Object{{step, value}}
		case int:
			if step != 0 {
				return nil, fmt.Errorf("%w: index %d of an array that is missing", ErrIndex, step)
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

// insert adds a child, or several elements, to a container that has some: a
// comma behind one of them, and the gap that its siblings have.
func (f *File) insert(at spot, sibling string, values ...Value) error {
	after := len(at.here.Children) - 1
	key, isMember := at.rest[0].(string)
	if isMember && sibling != "" {
		i, err := keyIndex(at.here, sibling)
		if err != nil {
			return err
		}
		after = min(i, after)
	}
	end := at.here.Children[after].End()
	space, indent := f.gapAfter(at.here, after)
	l := f.layoutFor(values[0], at.here, nil, indent)
	before := "," + space
	if isMember {
		quoted, err := appendString(nil, key)
		if err != nil {
			return err
		}
		before += string(quoted) + f.colonLike(at.here, after, l.style)
	}
	var text strings.Builder
	for _, v := range values {
		text.WriteString(before)
		text.WriteString(l.text(v))
	}
	return f.apply(end, end, text.String())
}

// gapAfter is the whitespace before a child that is put behind another, and
// the indentation of the line on which it then begins.
func (f *File) gapAfter(n *node, after int) (space, indent string) {
	like := min(after+1, len(n.Children)-1)
	space = gap(f.src, n, like)
	if eol, indent, broken := cutLine(space); broken {
		return eol + indent, indent // blank lines are not repeated
	}
	if like == 0 { // behind a bracket, not a comma
		space = measure(f.src, f.root).comma.text
	}
	return space, indentAt(f.src, n.Children[after].End()-1)
}

func (f *File) colonLike(n *node, sibling int, s style) string {
	if colon, ok := colon(f.src, &n.Children[sibling]); ok {
		return colon
	}
	return s.colon.text
}

// cut is the text to remove with a child, so that what stays keeps its
// spelling and its line.
func cut(src string, n *node, i int) (from, to int) {
	c := &n.Children[i]
	last := len(n.Children) - 1
	_, _, nextBroken := cutLine(gap(src, n, min(i+1, last)))
	switch {
	case last == 0:
		return n.Start + 1, n.End - 1
	case i == last:
		return n.Children[i-1].End(), c.End()
	case nextBroken:
		return c.Start() - len(gap(src, n, i)), afterComma(src, n, i)
	}
	return c.Start(), n.Children[i+1].Start()
}
