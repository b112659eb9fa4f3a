package ops

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// A cursor is where a list continues: hashes of the names of the last items that were sent, the newest last. It has
// no numbers, because items come and go between two requests, and several names, because some may be gone by then.
const cursorNames, nameBytes = 16, 6

// ErrCursor is the error for a cursor that no answer had.
var ErrCursor = errors.New("want the cursor of an earlier answer")

// CursorAfter is the cursor of a list of which the items with these names were sent.
func CursorAfter(names []string) string {
	hashes := ""
	for _, name := range names[max(0, len(names)-cursorNames):] {
		hashes += hashOf(name)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(hashes))
}

// After returns the part of a list after a cursor; all of it for "". No item that is in the list all the time is
// left out: if all items that the cursor knows are gone, the list begins again.
func After[T any](list []T, name func(T) string, cursor string) ([]T, error) {
	if cursor == "" {
		return list, nil
	}
	hashes, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(hashes)%nameBytes != 0 || len(hashes) > cursorNames*nameBytes {
		return nil, ErrCursor
	}
	last, begin := -1, 0
	for i, item := range list {
		if at := strings.LastIndex(string(hashes), hashOf(name(item))); at > last && at%nameBytes == 0 {
			last, begin = at, i+1
		}
	}
	return list[begin:], nil
}

func hashOf(name string) string { sum := sha256.Sum256([]byte(name)); return string(sum[:nameBytes]) }
