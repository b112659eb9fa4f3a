package tape

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
)

// A part of a bulk append has at most so many bytes, unless one entry has more,
// and so many entries: what a server takes in one request.
const (
	PartBytes   = 1 << 20
	PartEntries = 5_000
)

// AppendParts appends entries that may be more than one request takes, or than
// fit into memory, in parts: append is called for each, which is appended whole
// or not at all. It goes through the entries as they are stored. Where a part
// fails, the error says how many were appended before.
//
// The parts of the same entries are always the same, and their keys derive from
// the request's key, which is that of the first: who repeats all of it appends
// what is missing. r.After is held for all parts: nobody may append in between.
// r.Entries is not looked at.
func AppendParts(ctx context.Context, r AppendRequest, entries iter.Seq2[Entry, error], append func(context.Context, AppendRequest) ([]Entry, error)) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
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
				yield(Entry{}, err)
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

// partKey is the key of a part. What the request has as its key may be as long
// as a key can be.
func partKey(key string, n int) string {
	if key == "" || n == 0 {
		return key
	}
	end := fmt.Sprintf("#%d", n+1)
	if len(key)+len(end) > maxKey {
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:])
	}
	return key + end
}

// parts are the entries, as many at once as a part may have.
func parts(entries iter.Seq2[Entry, error]) iter.Seq2[[]Entry, error] {
	return func(yield func([]Entry, error) bool) {
		var part []Entry
		size := 0
		for e, err := range entries {
			if err != nil {
				yield(nil, err)
				return
			}
			n := e.size()
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

// size is about how many bytes the entry has in a request, and no fewer.
func (e *Entry) size() int {
	n := len(e.Kind) + len(e.Payload) + len(e.Meta) + len(e.Date) + 64
	for _, f := range e.Extra {
		n += len(f.Name) + len(f.Value) + 8
	}
	return n
}
