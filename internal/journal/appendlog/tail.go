package appendlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// tail is what an append must know of the end of the file.
type tail struct {
	file  *File
	guard Guard  // its end is where the next record goes
	next  uint64 // the number of the next record
	open  bool   // the last line has no newline yet; it has to come first
}

// ready finds the end of the log and repairs it. The log is locked. If no other
// process has written to the file, it costs one stat.
func (l *Log) ready() (tail, error) {
	f, size, err := l.Current()
	if err != nil {
		return tail{}, err
	}
	if f.readOnly != nil {
		return tail{}, f.readOnly
	}
	if l.format.Tolerant {
		return l.tolerantTail(f, size)
	}
	if t := l.tail; t.file == f && t.guard.End == size && t.guard.Holds(f, size) {
		return t, nil
	}
	t, err := l.strictTail(f, size)
	if err == nil && l.last.file == f && t.next < l.last.next && l.last.guard.Holds(f, size) {
		// The last line has a number that was used before. Continuing after it would
		// use more of them again.
		err = l.wrap(errMisplaced)
	}
	if err == nil && l.format.Whole && l.index.Next != nil {
		_, err = l.index.Next()
	}
	if err == nil {
		l.last = t
	}
	return t, err
}

// tolerantTail needs all numbers that were ever used, and so the index, unless
// the lines have none. Nothing is cut off: another program may be appending at
// this moment.
func (l *Log) tolerantTail(f *File, size int64) (t tail, err error) {
	var next uint64
	if !l.format.Plain {
		if next, err = l.index.Next(); err != nil {
			return tail{}, err
		}
	}
	g, err := GuardAt(f, size)
	if err != nil {
		return tail{}, err
	}
	return tail{f, g, next, size > 0 && g.bytes[len(g.bytes)-1] != '\n'}, nil
}

// strictTail reads the last line, and cuts off a torn line after it.
func (l *Log) strictTail(f *File, size int64) (tail, error) {
	end, err := lineStart(f, size) // after the last newline
	if err != nil {
		return tail{}, l.wrap(err)
	}
	next, start, err := l.numberAfter(f, end)
	if damage := (*DamageError)(nil); end == size && errors.As(err, &damage) && damage.torn {
		end = start
		next, _, err = l.numberAfter(f, end)
	}
	if err == nil && end == 0 && l.format.Begun {
		err = &DamageError{Path: l.path, Line: 1, Err: errNotBegun, Repair: l.format.Repair}
	}
	if err == nil && end < size {
		err = l.heal(f, end, size)
	}
	if err != nil {
		return tail{}, err
	}
	g, err := GuardAt(f, end)
	return tail{f, g, next, false}, err
}

// numberAfter returns the number after that of the line which ends at end, and
// where that line begins. A line that cannot be read is damage.
func (l *Log) numberAfter(f *File, end int64) (next uint64, start int64, err error) {
	if end == 0 {
		return l.format.First, 0, nil
	}
	start, err = lineStart(f, end-1)
	if err != nil {
		return 0, 0, l.wrap(err)
	}
	last := line{start: start, end: end, tooLong: end-start > mostBytes}
	if !last.tooLong {
		if last.text, err = readLine(f, start, end); err != nil {
			return 0, 0, l.wrap(err)
		}
	}
	facts, err := l.format.factsOf(last)
	if err == nil && (facts.Number < l.format.First || facts.Number >= Unnumbered-1) {
		err = &misnumberedError{facts.Number, l.format.First}
	}
	if err != nil {
		return 0, start, &DamageError{Path: l.path, Line: countLines(f, start) + 1, Offset: start, Err: err, Repair: l.format.Repair, torn: l.format.looksTorn(last, err)}
	}
	return facts.Number + 1, start, nil
}

// heal copies what is after the offset to a file of its own, and then cuts it
// off. A crash in between leaves it in both places, and the next append repeats
// it.
func (l *Log) heal(f *File, offset, size int64) error {
	aside, err := l.saveTorn(f, offset, size)
	if err == nil {
		err = l.alone() // else another process may be writing what looks torn
	}
	if err == nil {
		err = l.cut(f, offset)
	}
	if err != nil {
		return fmt.Errorf("%s: repairing a torn last line: %w", l.path, err)
	}
	if l.options.Healed != nil {
		l.options.Healed(Torn{aside, offset, size - offset})
	}
	return nil
}

// saveTorn copies the torn bytes to a new file.
func (l *Log) saveTorn(from *File, offset, size int64) (path string, err error) {
	var f *os.File
	for n := 1; f == nil; n++ {
		path = l.path + ".torn-" + strconv.FormatInt(offset, 10) + "-" + strconv.Itoa(n)
		f, err = l.Beside().OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, from.info.Mode().Perm())
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	_, err = io.Copy(f, io.NewSectionReader(from, offset, size-offset))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		l.Beside().Remove(path)
		return "", err
	}
	return path, l.Beside().Sync(filepath.Dir(path))
}
