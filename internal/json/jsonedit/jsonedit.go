// Package jsonedit changes single values in the text of a JSON file and
// leaves every other byte as it is: unknown keys and their order, spacing,
// numbers spelled 2.0, \u escapes, raw <>& and a missing final newline.
//
// New text follows the style of the file: the indentation and colons of the
// siblings, objects and arrays on one line, CRLF.
//
// It is as strict as other readers of such files (RFC 8259): comments, trailing
// commas and a byte order mark are errors. It opens no file and does not
// interpret the values.
//
// Each edit splices the text and parses it again, so a File always holds valid
// JSON. That suits files of some kilobytes, not large files with many edits.
package jsonedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"handoff/internal/json/jsontext"
)

var (
	// ErrDuplicateKey is the error of an edit at or below a key that its object has
	// more than once: readers disagree about which of them counts.
	ErrDuplicateKey = errors.New("duplicate key")
	// ErrKind is the error of an edit below a value that is not a container, such
	// as a member of a string or of null.
	ErrKind = errors.New("wrong kind of value")
	// ErrIndex is the error of an index after the end of an array.
	ErrIndex = errors.New("index out of range")
	// ErrValue is the error of a value that JSON cannot represent, or of a Go type
	// that [File.Set] does not write.
	ErrValue = errors.New("value cannot be written")
)

// SyntaxError is the place where a text stops being valid JSON.
type SyntaxError = jsontext.SyntaxError

// Path leads from the root to a value: a string is the key of an object, an
// int the index of an array. Keys are compared after decoding, case counts.
// The empty Path is the root.
type Path []any

// String is the path as a JSON pointer (RFC 6901): "" for the root.
func (p Path) String() string {
	var b strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, step := range p {
		b.WriteByte('/')
		switch step := step.(type) {
		case string:
			b.WriteString(escape.Replace(step))
		default:
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}

// File is the text of a JSON file and its edits; [Parse] returns one. It is not
// safe for concurrent edits.
type File struct {
	original, src string
	root          *node
}

// Parse reads one JSON value and the whitespace around it. It accepts what
// encoding/json accepts, including invalid UTF-8 in strings, nesting up to 10,000
// levels, and duplicate keys, which [File.Duplicates] lists. The error is a
// *SyntaxError.
func Parse(src []byte) (*File, error) {
	text := string(src)
	root, err := jsontext.ParseFile(text)
	if err != nil {
		return nil, err
	}
	return &File{original: text, src: text, root: root}, nil
}

// Bytes is the text with all edits. The caller may change it.
func (f *File) Bytes() []byte { return []byte(f.src) }

// String is Bytes as a string, without a copy.
func (f *File) String() string { return f.src }

// Changed reports whether Bytes differs from what was parsed.
func (f *File) Changed() bool { return f.src != f.original }

// Root is the outermost value.
func (f *File) Root() Value { return Value{f.src, f.root} }

// Get returns the value at the path (string keys, int indexes); false if there is
// none. Of duplicate keys the last counts, as in encoding/json. Later edits do not
// change the Value.
func (f *File) Get(path ...any) (Value, bool) { return f.Root().Get(path...) }

// Duplicate is a repetition of a key in the same object.
type Duplicate struct {
	Path      Path // of the key
	Line, Col int  // of the repetition, 1-based, in characters
}

// Duplicates lists the duplicate keys in the order of the text, one entry for each
// place after the first.
func (f *File) Duplicates() []Duplicate { return duplicates(nil, f.src, f.root, nil) }

// duplicates overwrites what is after the path in its array, which callers share.
func duplicates(found []Duplicate, src string, n *node, path Path) []Duplicate {
	again := n.Repeats()
	for i := range n.Children {
		c := &n.Children[i]
		if c.Value.Kind > KindArray && (again == nil || !again[i]) {
			continue // most children: their path is not needed
		}
		here := append(path, i)
		if n.Kind == KindObject {
			here[len(path)] = c.Name
			if again != nil && again[i] {
				line, col := jsontext.Place(src, c.Start())
				found = append(found, Duplicate{slices.Clone(here), line, col})
			}
		}
		found = duplicates(found, src, &c.Value, here)
	}
	return found
}

// apply replaces src[from:to]. If the result is not JSON, which only happens when it
// is nested too deep, nothing changes.
func (f *File) apply(from, to int, text string) error {
	src := f.src[:from] + text + f.src[to:]
	root, err := jsontext.ParseFile(src)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrValue, err)
	}
	f.src, f.root = src, root
	return nil
}
