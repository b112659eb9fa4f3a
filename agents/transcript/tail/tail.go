// Package tail opens the transcripts of agents. It reads the end of a file, as
// much as the gauge needs, so that a transcript of 100 MB costs no more than a
// small one. It also follows a file that grows. Package transcript interprets
// the lines.
//
// It only reads. Transcripts are regular files: a pipe or a device is refused,
// because opening one could wait forever.
package tail

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"handoff/agents/transcript"
	"handoff/internal/file/regular"
)

const (
	first   = 32 << 10 // bytes that are read from the end at first
	part    = 64 << 10 // and of what is before, searched at once
	most    = 32 << 20 // and at most, where they hold too few calls
	enough  = 4        // calls: the pace needs the growth of three
	headEnd = 64 << 10 // of the beginning, which names the session and its folder
	before  = 4 << 20  // of what is before that; see [File.readEarlier]
)

// File is a transcript and the facts about its session so far.
type File struct {
	Path    string
	Format  string
	Session transcript.Session
	Partial bool // compactions may be more, because the beginning of the session was not read

	read   transcript.Format
	offset int64 // up to which the file was read
	whole  bool  // one JSON value instead of lines
	stamp  os.FileInfo
}

// Open reads the end of a transcript. format may be "": then the file's
// beginning decides.
func Open(path, format string) (*File, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := readAt(f, 0, headEnd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t := &File{Path: path, Format: format}
	found := transcript.Detect(head)
	if found == "" { // the first line may be long
		if found, err = detectEnd(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if t.Format == "" || found == "acp" { // any agent's stream over ACP has that format
		t.Format = found
	}
	if t.read = transcript.Formats[t.Format]; t.read == nil || t.Format == "opencode" && found == "" {
		return t, t.document(f)
	}
	if t.stamp, err = f.Stat(); err != nil {
		return nil, err
	}
	return t, t.fromEnd(f, head)
}

// detectEnd looks for the format in the last lines.
func detectEnd(f *os.File) (format string, err error) {
	st, err := f.Stat()
	if err != nil || st.Size() <= headEnd {
		return "", err
	}
	src, err := readAt(f, st.Size()-headEnd, headEnd)
	return transcript.Detect(src), err
}

// document reads a session that is one JSON value, which `opencode export`
// prints.
func (t *File) document(f *os.File) error {
	src, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return fmt.Errorf("%s: %w", t.Path, err)
	}
	if len(src) == 0 {
		return fmt.Errorf("%s: is empty: no session has written to it", t.Path)
	}
	records, ok := transcript.Export(src)
	if !ok {
		return fmt.Errorf("%s: not a transcript that handoff knows (`handoff agents` lists them); --agent names one", t.Path)
	}
	t.Format, t.whole = "opencode", true
	for _, r := range records {
		t.Session.Add(r)
	}
	return nil
}

// fromEnd reads as much of the end as holds enough calls, or all of the context
// where it was compacted just before.
func (t *File) fromEnd(f *os.File, head []byte) error {
	size := t.stamp.Size()
	for n := int64(first); ; n *= 2 {
		from := max(0, size-n)
		src, err := readAt(f, from, int(size-from))
		if err != nil {
			return fmt.Errorf("%s: %w", t.Path, err)
		}
		t.Session = transcript.Session{}
		if from > 0 {
			t.beginning(head)
			cut := bytes.IndexByte(src, '\n') + 1
			src, from = src[cut:], from+int64(cut)
		}
		t.offset = from + int64(t.add(src, true))
		if from == 0 || t.Session.Calls >= enough || t.Session.Compactions > 0 || n >= most {
			return t.readEarlier(f, from)
		}
	}
}

// readEarlier searches the part of the file that ends at an offset for records that count
// no matter how old they are: compactions, and a handoff that was saved in this context.
// It reads only the lines that can be one of these.
func (t *File) readEarlier(f *os.File, end int64) error {
	mark := []byte(transcript.Marks[t.Format])
	e := earlier{read: t.read, mark: mark, rare: mark[rarest(mark):]}
	t.Partial = end > before || end > 0 && len(e.mark) == 0
	src := make([]byte, min(part, end))
	for at := max(0, end-before); at < end; {
		n, err := f.ReadAt(src[:min(int64(len(src)), end-at)], at)
		if n == 0 {
			return err // the file was cut meanwhile, or cannot be read
		}
		text := src[:n]
		switch last := bytes.LastIndexByte(text, '\n'); {
		case last >= 0:
			text = text[:last+1] // the rest is read with the next part
		case n == len(src) && at+int64(n) < end: // a longer line
			src = make([]byte, 2*len(src))
			continue
		}
		if e.may(text) {
			for line := range bytes.Lines(text) {
				e.add(line)
			}
		}
		at += int64(len(text))
	}
	if t.Session.Compactions == 0 && e.saving != nil {
		t.Session.Saved = true
	}
	t.Session.Compactions += e.compactions
	return nil
}

// earlier is what the lines before the end of a file add up to.
type earlier struct {
	read        transcript.Format
	mark        []byte
	rare        []byte // end of the mark, which is found faster
	compactions int
	saving      []byte // id of the tool that saved a handoff in this context
}

// handoffWord is part of every call of a tool that saves a handoff.
var handoffWord = []byte("handoff")

// maySave reports whether a line can have a call of a tool that saves a handoff: it has the
// command `handoff new`, handoff_new, or a folder handoffs. Most lines of a session that works
// on handoffs have the word alone, and are not worth decoding.
func maySave(line []byte) bool {
	for {
		at := bytes.Index(line, handoffWord)
		if at < 0 {
			return false
		}
		line = line[at+len(handoffWord):]
		rest := bytes.TrimLeft(line, " \t\",")
		for len(rest) > 1 && rest[0] == '\\' { // an escaped tab, quote or end of line
			rest = bytes.TrimLeft(rest[2:], " \t\",")
		}
		if bytes.HasPrefix(rest, []byte("new")) || bytes.HasPrefix(line, []byte("_new")) ||
			bytes.HasPrefix(line, []byte("s/")) || bytes.HasPrefix(line, []byte(`s\`)) {
			return true
		}
	}
}

// may reports whether a part of the file can have a line that counts. Most parts have
// none, and one search in many lines is faster than one in each.
func (e *earlier) may(part []byte) bool {
	return bytes.Contains(part, handoffWord) || len(e.rare) > 0 && bytes.Contains(part, e.rare) ||
		len(e.saving) > 0 && bytes.Contains(part, e.saving)
}

// rarest returns the offset in a mark of its rarest letter that has some more letters
// after it. A search stops at each occurrence of its first byte, and marks begin with a
// quote, which is frequent in JSON.
func rarest(mark []byte) (at int) {
	const common, more = "etaoinsrhldcumfgpwybvkxjqz", 4
	most := -1
	for i, c := range mark[:max(0, len(mark)-more)] {
		if n := strings.IndexByte(common, c); n > most {
			at, most = i, n
		}
	}
	return at
}

func (e *earlier) add(line []byte) {
	marked := len(e.mark) > 0 && bytes.Contains(line, e.mark)
	if !marked && !maySave(line) && (len(e.saving) == 0 || !bytes.Contains(line, e.saving)) {
		return
	}
	r, ok := e.read(line)
	if !ok || r.Side {
		return
	}
	if r.Compacted {
		e.compactions++
		e.saving = nil
	}
	for _, tool := range r.Tools {
		if tool.Saves() && !tool.Failed {
			e.saving = []byte(tool.ID)
		}
	}
	if len(e.saving) > 0 && r.FailedCall(string(e.saving)) {
		e.saving = nil
	}
}

// beginning adds what the first lines tell about the session, but not its
// context.
func (t *File) beginning(head []byte) {
	for line := range bytes.Lines(head) {
		if r, ok := t.read(line); ok {
			t.Session.Add(transcript.Record{Session: r.Session, Dir: r.Dir, DirHash: r.DirHash, Version: r.Version, Window: r.Window})
			if r.Session != "" && r.Dir != "" && r.Version != "" {
				return // the end shows what has changed since
			}
		}
	}
}

// add adds the lines of src and returns how many bytes were used. A last line
// without a line end may be incomplete: it is added only if at last is set, and
// is read again when the file has grown.
func (t *File) add(src []byte, last bool) (done int) {
	for line := range bytes.Lines(src) {
		ended := line[len(line)-1] == '\n'
		if !ended && !last {
			break
		}
		r, ok := t.read(line)
		if !ok && !ended {
			break
		}
		t.Session.Add(r)
		done += len(line)
	}
	return done
}

// Update adds what was appended to the file since the last call, and reports whether
// there was anything. If the file was replaced or truncated, it reads it from the start.
func (t *File) Update() (bool, error) {
	f, err := regular.Open(t.Path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return false, err
	}
	if t.whole || !os.SameFile(now, t.stamp) || now.Size() < t.offset {
		fresh, err := Open(t.Path, t.Format)
		if err != nil {
			return false, err
		}
		fresh.Session.Compactions = max(fresh.Session.Compactions, t.Session.Compactions)
		*t = *fresh
		return true, nil
	}
	t.stamp = now
	src, err := readAt(f, t.offset, int(min(most, now.Size()-t.offset)))
	if err != nil {
		return false, fmt.Errorf("%s: %w", t.Path, err)
	}
	n := t.add(src, false)
	t.offset += int64(n)
	return n > 0, nil
}

// readAt reads at most n bytes.
func readAt(f *os.File, at int64, n int) ([]byte, error) {
	src := make([]byte, n)
	n, err := f.ReadAt(src, at)
	if err == io.EOF {
		err = nil
	}
	return src[:n], err
}
