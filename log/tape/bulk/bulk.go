// Package bulk appends entries to a tape that may be too many for one request or for
// memory. It is apart from package tape, which takes one request at a time, so that whoever only
// reads tapes does not get a reader of streams.
package bulk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"

	"handoff/log/tape"
	"handoff/log/tape/entry"
)

// PartBytes and PartEntries are the size of a part of a bulk append: what a
// server accepts in one request. A part of one entry may be longer.
const (
	PartBytes   = 1 << 20
	PartEntries = 5_000
)

// Append appends entries in parts: append is called for each, and appends all of it or nothing. It goes
// through the entries as stored. If a part fails, the error says how many
// entries were appended before.
//
// The same entries always have the same parts, whose keys derive from the request's, which
// is that of the first part: repeating the request appends what is missing. r.After covers
// all parts: no other process may append between them. r.Entries is ignored.
func Append(ctx context.Context, r tape.AppendRequest, entries iter.Seq2[tape.Entry, error], append func(context.Context, tape.AppendRequest) ([]tape.Entry, error)) iter.Seq2[tape.Entry, error] {
	return func(yield func(tape.Entry, error) bool) {
		n, done, key := 0, 0, r.Key
		for part, err := range parts(entries) {
			if r.Key = partKey(key, n); err == nil {
				r.Entries = part
				part, err = append(ctx, r)
			}
			if err != nil {
				if done > 0 {
					err = fmt.Errorf("only the first %d entries were appended: %w", done, err)
				}
				yield(tape.Entry{}, err)
				return
			}
			if n++; r.After != nil && len(part) > 0 {
				r.After = new(part[len(part)-1].ID)
			}
			done += len(part)
			for _, e := range part {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// partKey is the key of a part. A key that would become too long is hashed.
func partKey(key string, n int) string {
	if key == "" || n == 0 {
		return key
	}
	end := fmt.Sprintf("#%d", n+1)
	if len(key)+len(end) > entry.MaxKey {
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:])
	}
	return key + end
}

// parts is the entries in parts.
func parts(entries iter.Seq2[tape.Entry, error]) iter.Seq2[[]tape.Entry, error] {
	return func(yield func([]tape.Entry, error) bool) {
		var part []tape.Entry
		size := 0
		for e, err := range entries {
			if err != nil {
				yield(nil, err)
				return
			}
			n := entrySize(&e)
			if len(part) > 0 && (size+n > PartBytes || len(part) == PartEntries) {
				if !yield(part, nil) {
					return
				}
				part, size = nil, 0
			}
			part, size = append(part, e), size+n
		}
		if len(part) > 0 {
			yield(part, nil)
		}
	}
}

// entrySize is an upper estimate of an entry's bytes in a request.
func entrySize(e *tape.Entry) int {
	n := len(e.Kind) + len(e.Payload) + len(e.Meta) + len(e.Date) + 64
	for _, f := range e.Extra {
		n += len(f.Name) + len(f.Value) + 8
	}
	return n
}
