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
	"handoff/log/tape"
)

// Report is the lines that are read here and not by Bub, from 1.
type Report struct {
	// NoText lists lines with invalid UTF-8: Bub can neither read nor append to
	// a tape that has one.
	NoText []int64 `json:"no_text,omitempty"`
	// Glued are lines with several entries, or with an entry after a torn one: Bub
	// finds none on them, unless a carriage return separates them.
	Glued []int64 `json:"glued,omitempty"`
	// Mark is the line that Bub does not find because of its byte order mark.
	Mark []int64 `json:"byte_order_mark,omitempty"`
	// Open means that the last line lacks its line end: Bub's next entry would be
	// lost with it.
	Open bool `json:"open,omitempty"`
}

// OK reports whether Bub finds all entries, and loses none that it appends.
func (r Report) OK() bool { return len(r.NoText)+len(r.Glued)+len(r.Mark) == 0 && !r.Open }

// Check finds the lines that Bub fails on. Appends fix nothing but a missing line
// end, as Bub may be writing at the same time: see [Home.Fix].
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

// ErrTorn: the last line of a tape ends within a character. Bub cannot read such
// a tape.
var ErrTorn = errors.New("its last line is torn within a character, and Bub cannot read the tape")

// CheckEnd is [ErrTorn] if Bub could not read an entry that is appended.
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
	const most = 64 << 10 // the start of a longer line is not checked
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

// Fix rewrites a tape so that Bub finds all entries, and archives the original
// file; the archive is "" if there was nothing to fix. Valid lines stay the same
// byte for byte; so do unreadable ones, except for invalid UTF-8.
//
// Bub takes no lock: no Bub that has the tape open should be running.
func (h *Home) Fix(ctx context.Context, stem string) (archive string, r Report, err error) {
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

// archivePath is the name that Bub gives an archive.
func (h *Home) archivePath(stem string, at time.Time) string {
	return h.path(stem) + "." + at.UTC().Format("20060102T150405Z") + ".bak"
}

// keep archives the content of a file.
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

// read checks all lines, and writes them so that Bub can read them.
func (r *Report) read(f io.Reader, w io.Writer) error {
	lines, out := bufio.NewReaderSize(f, 1<<16), bufio.NewWriterSize(w, 1<<16)
	for n := int64(1); ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return out.Flush()
		}
		if err != nil && err != io.EOF {
			return err
		}
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		r.Open = !whole
		fixed, err := r.line(n, text)
		if err != nil {
			return err
		}
		out.Write(fixed)
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
}

// line records the problem of a line, and returns its replacement.
func (r *Report) line(n int64, text []byte) ([]byte, error) {
	entries, err := tape.Parse(text)
	bad := !utf8.Valid(text)
	unmarked, marked := bytes.CutPrefix(text, []byte("\ufeff"))
	glued := len(entries) > 1 || len(entries) == 1 && !bytes.HasPrefix(unmarked, []byte(entries[0].Raw()))
	if bad {
		r.NoText = append(r.NoText, n)
	}
	switch {
	case err != nil: // unreadable, or an entry for Bub only
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
