package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/log/engine"
)

// CatchUp implements [journal.Upstream]. It compares the last line of the file with its
// record in the same request that gets the new ones.
func (f *file) CatchUp(ctx context.Context) (lines uint64, err error) {
	err = engine.InTime(ctx, func(ctx context.Context) error {
		if err := f.usable(ctx); err != nil {
			return err
		}
		return f.r.patiently(ctx, func() error {
			lines, err = f.catchUp(ctx)
			return err
		})
	})
	return lines, err
}

// Fetch implements [journal.Upstream].
func (f *file) Fetch(ctx context.Context) error {
	var n uint64
	err := engine.InTime(ctx, func(ctx context.Context) error {
		if err := f.usable(ctx); err != nil {
			return err
		}
		return f.r.patiently(ctx, func() (err error) {
			n, err = f.r.logs.Len(ctx, f.log)
			return err
		})
	})
	if _, none := os.Lstat(f.path); err == nil && n == 0 && none != nil { // before a lock file of it is created
		err = &fs.PathError{Op: "open", Path: f.path, Err: fs.ErrNotExist}
	}
	if err != nil {
		return err
	}
	return f.fetch(ctx)
}

// fetch is CatchUp for a log that exists and is not locked.
func (f *file) fetch(ctx context.Context) error {
	if err := atomicfile.MkdirAll(f.r.folder.Root, filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	unlock, err := lockfile.Lock(ctx, f.r.folder.Root, f.path+".lock")
	if err != nil {
		return err
	}
	_, err = f.CatchUp(ctx)
	return errors.Join(err, unlock())
}

// errDiffers: the file has other lines than the log has records.
var errDiffers = errors.New("the file is not a copy of the log")

func (f *file) catchUp(ctx context.Context) (uint64, error) {
	open, err := f.r.folder.Root.OpenFile(f.path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		n, err := f.fetchWhole(ctx)
		if errors.Is(err, fs.ErrExist) { // the process that created the log needs no lock for its file
			return f.catchUp(ctx)
		}
		return n, err
	}
	if err != nil {
		return 0, err
	}
	defer open.Close()
	c, err := f.count(open, f.r.known(f.log))
	if err != nil {
		return 0, err
	}
	c, err = f.extend(ctx, open, c)
	if errors.Is(err, errDiffers) && c.Lines > 0 { // the count may belong to another file
		if c, err = f.count(open, count{}); err == nil {
			c, err = f.extend(ctx, open, c)
		}
	}
	if errors.Is(err, errDiffers) {
		if err := f.setAside(ctx, open, c); err != nil {
			return 0, err
		}
		return f.fetchWhole(ctx)
	}
	if err == nil {
		f.r.learn(f.log, c)
	}
	return c.Lines, err
}

// extend appends the records that a file lacks, if the file's last line is the log's
// record at that place. Anything after the last line end is left from an interrupted
// write and is cut off, because the engine has it.
func (f *file) extend(ctx context.Context, open *os.File, c count) (count, error) {
	if c.Lines == 0 { // no line to compare; a reader may treat an empty file as a short log
		return c, errDiffers
	}
	last, err := lastLine(open, c.Bytes)
	if err != nil {
		return c, err
	}
	var text []byte
	compared := false
	for record, err := range f.read(ctx, c.Lines-1) {
		if err != nil {
			return c, err
		}
		if !compared {
			if !bytes.Equal(record.Data, last) {
				return c, errDiffers
			}
			compared = true
			continue
		}
		text = append(append(text, record.Data...), '\n')
		c.Lines++
		if len(text) >= writeBytes {
			if c, err = f.write(open, c, text); err != nil {
				return c, err
			}
			text = text[:0]
		}
	}
	if !compared {
		return c, errDiffers
	}
	return f.write(open, c, text)
}

// writeBytes is the size of a write; each ends with a whole line.
const writeBytes = 1 << 20

// write appends whole lines to a file.
func (f *file) write(open *os.File, c count, text []byte) (count, error) {
	st, err := open.Stat()
	if err == nil && st.Size() > c.Bytes {
		err = f.cut(c.Bytes)
	}
	if err == nil && len(text) > 0 {
		_, err = open.Write(text)
	}
	if err != nil {
		return c, fmt.Errorf("%s: bringing the copy up to date: %w", f.path, err)
	}
	c.Bytes += int64(len(text))
	return c, nil
}

// cut truncates the file. Windows cannot truncate one that is open for appending.
func (f *file) cut(size int64) error {
	again, err := f.r.folder.Root.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(again.Truncate(size), again.Close())
}

// fetchWhole creates the file with all records: fs.ErrNotExist if the log has none.
func (f *file) fetchWhole(ctx context.Context) (uint64, error) {
	var c count
	p, err := atomicfile.BeginNew(f.r.folder.Root, f.path, 0o644)
	if err != nil {
		return 0, err
	}
	for record, err := range f.read(ctx, 0) {
		if err == nil {
			_, err = p.Write(append(record.Data, '\n'))
		}
		if err != nil {
			p.Abort()
			return 0, err
		}
		c.Lines++
		c.Bytes += int64(len(record.Data)) + 1
	}
	if c.Lines == 0 {
		p.Abort()
		return 0, &fs.PathError{Op: "open", Path: f.path, Err: fs.ErrNotExist}
	}
	if err := p.CommitNew(); err != nil {
		return 0, err
	}
	f.r.learn(f.log, c)
	return c.Lines, nil
}

// setAside renames a file that differs from the log. A file that begins with the whole
// log stays where it is: see [AheadError].
func (f *file) setAside(ctx context.Context, open *os.File, c count) error {
	there, same, err := f.compare(ctx, open)
	if err != nil {
		return err
	}
	if same && there < c.Lines {
		return &AheadError{Path: f.path, Store: f.r.store, Here: c.Lines, There: there}
	}
	if st, err := open.Stat(); err == nil && st.Size() == 0 {
		return f.r.folder.Root.Remove(f.path)
	}
	for n := 1; ; n++ {
		aside := f.path + ".aside-" + strconv.Itoa(n)
		err := atomicfile.Rename(f.r.folder.Root, f.path, aside)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			f.r.say(fmt.Sprintf("%s differed from %s: it was moved to %s and fetched again", f.path, f.r.store, filepath.Base(aside)))
		}
		return err
	}
}

// compare reads the log beside the file. same reports that one is the beginning of the
// other; there is the number of records up to the end of the file.
func (f *file) compare(ctx context.Context, open *os.File) (there uint64, same bool, err error) {
	lines := linesOf(open)
	for record, err := range f.r.logs.Read(ctx, f.log, 0) {
		if err != nil {
			return there, false, err
		}
		line, err := lines.next()
		if err == io.EOF {
			return there, true, nil
		}
		if err != nil || !bytes.Equal(line, record.Data) {
			return there, false, err
		}
		there++
	}
	return there, true, nil
}
