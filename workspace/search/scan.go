package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

// needles are what a line of a log must contain to be worth parsing: of each word the longest part that JSON writes
// as it is. A line with none of them has none of the words.
type needles struct {
	parts [][]byte
	all   bool // a word has no such part: every line is worth it
}

func needlesOf(words []string) (n needles) {
	for _, word := range words {
		longest := ""
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r >= 0x7f || r < ' ' || strings.ContainsRune(`"\<>&/`, r) }) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		n.parts, n.all = append(n.parts, []byte(longest)), n.all || longest == ""
	}
	return n
}

// in counts the needles in a text in lower case.
func (n needles) in(low []byte) (count int) {
	for _, part := range n.parts {
		if bytes.Contains(low, part) {
			count++
		}
	}
	return count
}

// Sizes of a scan, in bytes: what is read at once, and the longest line that is searched.
const (
	blockBytes = 256 << 10
	maxLine    = 32 << 20
)

// scan calls line for each line with one of the needles, in small letters, too, until it returns false. Letters beyond ASCII are as they were. A last line without its end is being written, and is left out.
func scan(ctx context.Context, r io.Reader, n needles, line func(text, low []byte) bool) error {
	var block, low []byte
	skipping := false
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		kept := len(block)
		block = append(block, make([]byte, blockBytes)...)
		read, err := io.ReadFull(r, block[kept:])
		block = block[:kept+read]
		end := bytes.LastIndexByte(block, '\n') + 1
		from := 0
		if skipping && end > 0 {
			from, skipping = bytes.IndexByte(block, '\n')+1, false
		}
		low = lower(low[:0], block[:end])
		at := nexts{n.parts, make([]int, len(n.parts))}
		for from < end {
			first := from
			if !n.all {
				if first = at.from(low, from); first == end {
					break
				}
				first = bytes.LastIndexByte(low[:first], '\n') + 1
			}
			from = first + bytes.IndexByte(low[first:], '\n') + 1
			if !line(block[first:from-1], low[first:from-1]) {
				return nil
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil
			}
			return err
		}
		if block = append(block[:0], block[end:]...); len(block) > maxLine || skipping {
			block, skipping = block[:0], true
		}
	}
}

// nexts are where needles are next in a block, each looked up once: a rare one is far away from most lines.
type nexts struct {
	parts [][]byte
	at    []int
}

// from is where the first of the needles is, from a place on; the end of the block if there is none.
func (n nexts) from(low []byte, from int) int {
	first := len(low)
	for i, part := range n.parts {
		if n.at[i] < from || from == 0 {
			if n.at[i] = bytes.Index(low[from:], part) + from; n.at[i] < from {
				n.at[i] = len(low)
			}
		}
		first = min(first, n.at[i])
	}
	return first
}

// lower appends a text with the letters of ASCII in lower case.
func lower(to, text []byte) []byte {
	to = append(to, text...)
	for i, c := range to {
		if c-'A' < 26 {
			to[i] = c | 0x20
		}
	}
	return to
}
