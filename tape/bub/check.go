package bub

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/regular"
	"handoff/tape"
)

// Report says what Bub makes less of than is read here. Lines are counted
// from 1.
type Report struct {
	// NoText are lines with bytes that are not UTF-8: Bub cannot read a tape
	// that has one, nor append to it.
	NoText []int64 `json:"no_text,omitempty"`
	// Glued are lines with an entry behind another, or behind something torn:
	// Bub finds none on them, unless a carriage return parts them.
	Glued []int64 `json:"glued,omitempty"`
	// Mark is the line that Bub misses for the byte order mark before it.
	Mark []int64 `json:"byte_order_mark,omitempty"`
	// Open means that the last line lacks its line end: what Bub appends next
	// would be lost with it.
	Open bool `json:"open,omitempty"`
}

// OK reports whether Bub finds all entries that are found here, and loses none
// that it appends.
func (r Report) OK() bool { return len(r.NoText)+len(r.Glued)+len(r.Mark) == 0 && !r.Open }

// Check looks for what Bub stumbles over. An append heals an open end, and
// nothing else, as Bub may be writing at that moment: see [Home.Mend].
func (h *Home) Check(stem string) (r Report, err error) {
	if err := checkStem(stem); err != nil {
		return Report{}, err
	}
	f, err := regular.Open(h.path(stem))
	if err != nil {
		return Report{}, err
	}
	defer f.Close()
	err = r.read(f, io.Discard)
	return r, err
}

// ErrTorn: the last line of a tape ends within a character. Bub fails to read
// such a tape, at every start.
var ErrTorn = errors.New("its last line is torn within a character, and Bub cannot read the tape")

// CheckEnd is [ErrTorn] where Bub could not read what is appended.
func (h *Home) CheckEnd(stem string) error {
	f, err := regular.Open(h.path(stem))
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	const most = 64 << 10 // the beginning of a longer line is not looked at
	end := make([]byte, min(st.Size(), most))
	if _, err := f.ReadAt(end, st.Size()-int64(len(end))); err != nil && err != io.EOF {
		return err
	}
	if at := bytes.LastIndexByte(end, '\n'); at >= 0 {
		end = end[at+1:]
	} else if len(end) == most {
		for len(end) > 0 && !utf8.RuneStart(end[0]) {
			end = end[1:]
		}
	}
	if !utf8.Valid(end) {
		return fmt.Errorf("%s: %w", h.path(stem), ErrTorn)
	}
	return nil
}

// Mend rewrites a tape so that Bub finds every entry that is found here, and
// keeps the file as it was in an archive, whose path is returned; "" if there
// is nothing to mend. Lines that are in order stay as they are, byte for byte;
// so do those that nobody can read, but for bytes that are no text.
//
// Bub takes no lock: none should be running that has the tape open.
func (h *Home) Mend(ctx context.Context, stem string) (archive string, r Report, err error) {
	if err := checkStem(stem); err != nil {
		return "", Report{}, err
	}
	path := h.path(stem)
	f, err := regular.Open(path)
	if err != nil {
		return "", Report{}, err
	}
	defer f.Close()
	unlock, err := lockfile.Lock(ctx, h.root(), path+".lock")
	if err != nil {
		return "", Report{}, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	p, err := atomicfile.Begin(h.root(), path, 0o644)
	if err != nil {
		return "", Report{}, err
	}
	if err = r.read(f, p); err == nil && !r.OK() {
		archive, err = h.keep(h.archivePath(stem, h.now()), f)
	}
	if err != nil || archive == "" {
		p.Abort()
		return "", r, err
	}
	return archive, r, p.Commit()
}

// archivePath is the name of an archive as Bub gives it.
func (h *Home) archivePath(stem string, at time.Time) string {
	return h.path(stem) + "." + at.UTC().Format("20060102T150405Z") + ".bak"
}

// keep archives a file as it is.
func (h *Home) keep(archive string, f *os.File) (string, error) {
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	p, err := atomicfile.Begin(h.root(), archive, st.Mode().Perm())
	if err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		p.Abort()
		return "", err
	}
	if _, err := io.Copy(p, f); err != nil {
		p.Abort()
		return "", err
	}
	if err = p.CommitNew(); errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s was created within this second, try again: %w", archive, err)
	}
	return archive, err
}

// read goes through the lines, and writes them as Bub can read them.
func (r *Report) read(f io.Reader, w io.Writer) error {
	lines, out := bufio.NewReaderSize(f, 1<<16), bufio.NewWriterSize(w, 1<<16)
	for n := int64(1); ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF || len(line) == 0 && err == io.EOF {
			return errors.Join(nilEOF(err), out.Flush())
		}
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		r.Open = !whole
		mended, err := r.line(n, text)
		if err != nil {
			return err
		}
		out.Write(mended)
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
}

func nilEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// line notes what is wrong with a line, and returns what to write for it.
func (r *Report) line(n int64, text []byte) ([]byte, error) {
	entries, err := tape.Parse(text)
	bad := !utf8.Valid(text)
	unmarked, marked := bytes.CutPrefix(text, []byte("\ufeff"))
	glued := len(entries) > 1 || len(entries) == 1 && !bytes.HasPrefix(unmarked, []byte(entries[0].Raw()))
	if bad {
		r.NoText = append(r.NoText, n)
	}
	switch {
	case err != nil: // nobody can read it, or it is an entry of which only Bub thinks so
		return bytes.ToValidUTF8(text, []byte("\ufffd")), nil
	case glued:
		r.Glued = append(r.Glued, n)
	case marked:
		r.Mark = append(r.Mark, n)
	case !bad:
		return text, nil
	}
	var lines [][]byte
	for _, e := range entries {
		line, err := e.Line()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		lines = append(lines, line)
	}
	return bytes.Join(lines, []byte("\n")), nil
}
