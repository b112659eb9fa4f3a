package journal

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
	log   *logFile
	guard guard  // its end is where the next record goes
	next  uint64 // the number of the next record
	open  bool   // the last line lacks its line end, which has to come first
}

// ready finds the end of the journal, healed, for the holder of the lock. It
// costs one look at the file while nobody else has written to it.
func (j *Journal) ready() (tail, error) {
	log, size, err := j.current()
	if err != nil {
		return tail{}, err
	}
	if log.refused != nil {
		return tail{}, log.refused
	}
	if j.format.Tolerant {
		return j.tolerantTail(log, size)
	}
	if t := j.tail; t.log == log && t.guard.end == size && t.guard.holds(log, size) {
		return t, nil
	}
	return j.strictTail(log, size)
}

// tolerantTail needs all numbers that were ever given, and so the index, unless
// lines bear none. Nothing is cut off: another program may be appending at this
// moment.
func (j *Journal) tolerantTail(log *logFile, size int64) (t tail, err error) {
	var next uint64
	if !j.format.Plain {
		if next, err = j.index.nextNumber(); err != nil {
			return tail{}, err
		}
	}
	g, err := guardAt(log, size)
	if err != nil {
		return tail{}, err
	}
	return tail{log, g, next, size > 0 && g.bytes[len(g.bytes)-1] != '\n'}, nil
}

// strictTail reads the last line, and cuts off what is torn after it.
func (j *Journal) strictTail(log *logFile, size int64) (tail, error) {
	end, err := lineStart(log, size) // after the last line end
	if err != nil {
		return tail{}, fmt.Errorf("%s: %w", j.path, err)
	}
	next, start, err := j.numberAfter(log, end)
	if damage := (*DamageError)(nil); end == size && errors.As(err, &damage) && looksTorn(damage.Err) {
		end = start
		next, _, err = j.numberAfter(log, end)
	}
	if err == nil && end == 0 && j.format.Begun {
		err = &DamageError{Path: j.path, Line: 1, Err: errNotBegun}
	}
	if err == nil && end < size {
		err = j.heal(log, end, size)
	}
	if err != nil {
		return tail{}, err
	}
	g, err := guardAt(log, end)
	return tail{log, g, next, false}, err
}

// numberAfter returns the number that follows that of the line which ends at
// end, and where that line begins. A line that cannot be read is damage.
func (j *Journal) numberAfter(log *logFile, end int64) (next uint64, start int64, err error) {
	if end == 0 {
		return j.format.First, 0, nil
	}
	start, err = lineStart(log, end-1)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", j.path, err)
	}
	l := line{start: start, end: end, tooLong: end-start > mostBytes}
	if !l.tooLong {
		if l.text, err = readLine(log, start, end); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", j.path, err)
		}
	}
	facts, err := factsOf(&j.format, l)
	if err == nil && (facts.Number < j.format.First || facts.Number >= Unnumbered-1) {
		err = &misnumberedError{facts.Number, j.format.First}
	}
	if err != nil {
		return 0, start, &DamageError{Path: j.path, Line: countLines(log, start) + 1, Offset: start, Err: err}
	}
	return facts.Number + 1, start, nil
}

// heal keeps aside what stands from offset on, and then cuts it off. A crash
// in between leaves it in both places, and the next append does it again.
func (j *Journal) heal(log *logFile, offset, size int64) error {
	aside, err := j.keepAside(log, offset, size)
	if err == nil {
		err = j.alone() // or what looks torn is being written
	}
	if err == nil {
		err = cut(log, j.options.Root, j.path, offset)
	}
	if err != nil {
		return fmt.Errorf("%s: repairing a torn last line: %w", j.path, err)
	}
	if j.options.Healed != nil {
		j.options.Healed(Torn{aside, offset, size - offset})
	}
	return nil
}

// keepAside copies the torn bytes to a file that nobody has made before.
func (j *Journal) keepAside(log *logFile, offset, size int64) (path string, err error) {
	var f *os.File
	for n := 1; f == nil; n++ {
		path = j.path + ".torn-" + strconv.FormatInt(offset, 10) + "-" + strconv.Itoa(n)
		f, err = j.beside().OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, log.info.Mode().Perm())
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	_, err = io.Copy(f, io.NewSectionReader(log, offset, size-offset))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		j.beside().Remove(path)
		return "", err
	}
	return path, j.beside().Sync(filepath.Dir(path))
}
