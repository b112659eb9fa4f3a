package bub

import "handoff/tape"

// Convert makes a tape of another one, which may be a file anywhere. name is
// what the entries that get another id are said to come from. What is taken is
// fs.ErrExist.
func Convert(from *tape.Tape, name string, to *tape.Tape) (Converted, error) {
	return convert(from, name, to, func(e tape.Entry) tape.Entry { return e })
}
