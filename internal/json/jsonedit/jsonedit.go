// Package jsonedit changes single values in the text of a JSON file and
// leaves every other byte as it is: unknown keys and their order, spacing,
// numbers spelled 2.0, \u escapes, raw <>& and a missing final newline.
//
// What it adds follows the style that it finds: the indentation and colons of
// the siblings, one-line objects and arrays that stay on one line, CRLF.
//
// It is strict as the other readers of such files are (RFC 8259): comments,
// trailing commas and a byte order mark are errors. It opens no file and knows
// nothing of what the values mean.
//
// Each edit splices the text and parses it again, so a File always holds valid
// JSON. That suits files of some kilobytes, not large ones with many edits.
package jsonedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	// ErrDuplicateKey refuses an edit below a key that its object holds more
	// than once: readers disagree about which of them counts.
	ErrDuplicateKey = errors.New("key stands more than once")
	// ErrKind refuses an edit below a value that cannot hold it, as a member
	// of a string or of null.
	ErrKind = errors.New("value of another kind")
	// ErrIndex refuses an index behind the end of an array.
	ErrIndex = errors.New("no such element")
	// ErrValue refuses a value that JSON cannot hold, or a Go type that
	// [File.Set] does not write.
	ErrValue = errors.New("value cannot be written")
)

// SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Line, Col int // 1-based; Col counts characters
	Text      string
}

// Error is line:col: text.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Text) }

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

// File is the text of a JSON file and what has become of it. Nil is none;
// make one with [Parse]. It is not safe for concurrent edits.
type File struct {
	original, src string
	root          *node
}

// Parse reads one JSON value and the whitespace around it. It accepts what
// encoding/json accepts: bytes in strings that are no UTF-8 too, nesting up to
// 10,000, and an object with a key that stands twice, which [File.Duplicates]
// lists. The error is a *SyntaxError.
func Parse(src []byte) (*File, error) {
	text := string(src)
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	return &File{original: text, src: text, root: root}, nil
}

// Bytes is the text with all edits. The caller may change it.
func (f *File) Bytes() []byte { return []byte(f.src) }

// String is Bytes as a string, which costs no copy.
func (f *File) String() string { return f.src }

// Changed reports whether Bytes differs from what was parsed.
func (f *File) Changed() bool { return f.src != f.original }

// Root is the outermost value.
func (f *File) Root() Value { return Value{f.src, f.root} }

// Get follows the path (string keys, int indexes); false where it leads to
// nothing. Of a key that stands twice the last counts, as in encoding/json.
// The Value stays what it is when the file is edited later.
func (f *File) Get(path ...any) (Value, bool) { return f.Root().Get(path...) }

// Duplicate is a key that stands again in the same object.
type Duplicate struct {
	Path      Path // of the key
	Line, Col int  // of its second and later places, 1-based, in characters
}

// Duplicates lists the keys that stand more than once, in the order of the
// text, one entry for each place after the first.
func (f *File) Duplicates() []Duplicate { return duplicates(nil, f.src, f.root, nil) }

// duplicates overwrites what lies behind the path, which its callers share.
func duplicates(found []Duplicate, src string, n *node, path Path) []Duplicate {
	again := n.Repeats()
	for i := range n.Children {
		c := &n.Children[i]
		if c.Value.Kind > KindArray && (again == nil || !again[i]) {
			continue // most: no need to say where
		}
		here := append(path, i)
		if n.Kind == KindObject {
			here[len(path)] = c.Name
			if again != nil && again[i] {
				line, col := position(src, c.Start())
				found = append(found, Duplicate{slices.Clone(here), line, col})
			}
		}
		found = duplicates(found, src, &c.Value, here)
	}
	return found
}

// apply replaces src[from:to]. Where the result is not JSON, which only too
// deep nesting can bring about, nothing changes.
func (f *File) apply(from, to int, text string) error {
	src := f.src[:from] + text + f.src[to:]
	root, err := parse(src)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrValue, err)
	}
	f.src, f.root = src, root
	return nil
}
