// Package own is this implementation of the formats, as package conformance asks it:
// each operation calls the package that reads or writes the format for all commands.
package own

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/sdk/conformance"
)

// Own answers questions. Formats of whole files are read from files in a folder.
type Own struct {
	folder nofollow.Root
	used   int
}

// New returns an implementation that keeps its files in an empty folder, which the
// caller removes.
func New(folder string) *Own { return &Own{folder: nofollow.Root(folder)} }

// operations are what can be asked, by name.
var operations = map[string]func(*Own, json.RawMessage) (any, error){
	"bundle.read":    with((*Own).readBundle),
	"bundle.write":   with((*Own).writeBundle),
	"document.read":  with((*Own).readDocument),
	"envelope.read":  with((*Own).readEnvelope),
	"mark.read":      with((*Own).readMark),
	"metadata.sync":  with((*Own).syncMetadata),
	"name.read":      with((*Own).readName),
	"name.write":     with((*Own).writeName),
	"pinned.compare": with((*Own).comparePinned),
	"pinned.pack":    with((*Own).packPinned),
	"receipts.claim": with((*Own).claim),
	"receipts.read":  with((*Own).readReceipts),
	"tape.append":    with((*Own).appendTape),
	"tape.read":      with((*Own).readTape),
	"thread.post":    with((*Own).postThread),
	"thread.read":    with((*Own).readThread),
	"uri.read":       with((*Own).readURI),
	"uri.write":      with((*Own).writeURI),
}

// Operations are the names of what can be asked, sorted.
func Operations() []string { return slices.Sorted(maps.Keys(operations)) }

// refused is the answer to input that the format does not allow.
var refused = struct {
	Error string `json:"error"`
}{"invalid"}

// with makes an operation of a function with its own input.
func with[In any](f func(*Own, In) (any, error)) func(*Own, json.RawMessage) (any, error) {
	return func(o *Own, src json.RawMessage) (any, error) {
		var in In
		if err := json.Unmarshal(src, &in); err != nil {
			return nil, err
		}
		return f(o, in)
	}
}

// Answer answers a question. An error is a fault of the question or of the disk.
func (o *Own) Answer(q conformance.Question) (conformance.Answer, error) {
	operation, ok := operations[q.Operation]
	if !ok {
		return conformance.Answer{ID: q.ID, Unsupported: true}, nil
	}
	out, err := operation(o, q.In)
	if err != nil {
		return conformance.Answer{}, err
	}
	text, err := json.Marshal(out)
	return conformance.Answer{ID: q.ID, Out: text}, err
}

// place is a new folder with files, given by their paths in it.
func (o *Own) place(files map[string]string) (root string, err error) {
	o.used++
	root = filepath.Join(string(o.folder), strconv.Itoa(o.used))
	if err := o.folder.Mkdir(root, 0o700); err != nil {
		return "", err
	}
	for path, text := range files {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return "", fmt.Errorf("%q: not a path below the folder", path)
		}
		full := filepath.Join(root, filepath.FromSlash(path))
		if err := nofollow.Root(root).MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return "", err
		}
		if err := atomicfile.Create(nofollow.Root(root), full, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return root, nil
}

// content is a file's text, "" for one that is missing.
func content(root, path string) (string, error) {
	text, err := nofollow.Root(root).ReadFile(filepath.Join(root, filepath.FromSlash(path)), maxFile)
	if os.IsNotExist(err) {
		return "", nil
	}
	return string(text), err
}

const maxFile = 16 << 20
