package facts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"handoff/agents/transcript"
)

// maxLine is the most bytes of a line that are read. Hosts write whole files and pictures
// into one.
const maxLine = 16 << 20

// Read reads a transcript in one pass, and keeps one line in memory at a time. format is
// one of package transcript, "" to detect it from the first lines. It reads as much as
// possible of a transcript that was cut anywhere; the error is a read error or an
// unknown format.
func Read(from io.Reader, format string) (*Facts, error) {
	var c Collector
	if err := c.Read(from, format); err != nil {
		return nil, err
	}
	return c.Facts(), nil
}

// ErrFormat reports a transcript whose format is not known.
var ErrFormat = errors.New("not a transcript that handoff knows")

const headSize = 256 << 10

// Read adds a whole transcript; lines are counted on after those that were added before.
func (c *Collector) Read(from io.Reader, format string) error {
	src := bufio.NewReaderSize(from, headSize)
	head, err := src.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	found := transcript.Detect(head)
	if format == "" || found == "acp" { // any agent's stream over ACP has that format
		format = found
	}
	c.facts.Format = format
	if (format == "" || format == transcript.Exporter) && found == "" && isDocument(head) {
		return c.document(src)
	}
	read := transcript.Formats[format]
	if read == nil {
		return fmt.Errorf("%w (`handoff agents` lists them)", ErrFormat)
	}
	return c.lines(src, read)
}

// isDocument reports whether a text may be one JSON value on many lines.
func isDocument(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && head[0] == '{' && bytes.Contains(head, []byte(`"info"`))
}

func (c *Collector) document(src io.Reader) error {
	begin := c.facts.Lines
	x := transcript.ReadExport(src, func(line int, r transcript.Record) { c.Add(begin+line, &r) })
	if x.Session == "" {
		return ErrFormat
	}
	c.facts.Format = transcript.Exporter
	c.facts.Lines, c.facts.Cut = begin+x.Lines, x.Cut
	c.facts.Skipped += x.Skipped
	return nil
}

func (c *Collector) lines(src *bufio.Reader, read transcript.Format) error {
	l := lines{src: src}
	types, parts := idleOf(c.facts.Format)
	for {
		line, ended, err := l.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c.facts.Lines++
		if !isIdle(line, types, parts) {
			c.line(shorten(line), ended, read)
		}
	}
}

func (c *Collector) line(line []byte, ended bool, read transcript.Format) {
	r, ok := read(line)
	switch {
	case ok:
		c.Add(c.facts.Lines, &r)
	case !ended:
		c.facts.Cut = true
	case len(bytes.TrimSpace(line)) > 0:
		c.facts.Skipped++
	}
}

// lines splits a transcript. The bytes of a line are valid until the next one is read.
type lines struct {
	src *bufio.Reader
	buf []byte
}

// next is the next line. ended is false for a last line without an end. A line that is
// too long is empty, so that it is counted as one that cannot be read.
func (l *lines) next() (line []byte, ended bool, err error) {
	line, err = l.src.ReadSlice('\n')
	if err == nil {
		return line, true, nil
	}
	l.buf = append(l.buf[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if line, err = l.src.ReadSlice('\n'); len(l.buf) <= maxLine {
			l.buf = append(l.buf, line...)
		}
	}
	ended = err == nil
	if err != nil && (!errors.Is(err, io.EOF) || len(l.buf) == 0) {
		return nil, false, err
	}
	if len(l.buf) > maxLine {
		l.buf = []byte("too long")
	}
	return l.buf, ended, nil
}

// Texts that are longer than this lose their middle before they are decoded: a draft
// quotes the beginning of texts, hosts report the status of a command at the
// beginning or at the end, and programs print their totals at the end.
const (
	longText = 8 << 10
	keepHead = 5 << 10
	keepTail = 2 << 10
	gap      = "\ufffd" // stands for the middle
)

// shorten cuts the long strings of a line of JSON, in place.
func shorten(line []byte) []byte {
	if len(line) <= longText {
		return line
	}
	out := line[:0]
	for {
		open := bytes.IndexByte(line, '"')
		if open < 0 {
			return append(out, line...)
		}
		out = append(out, line[:open+1]...)
		line = line[open+1:]
		end := closing(line)
		if end < 0 { // torn
			return append(out, line...)
		}
		text := line[:end]
		line = line[end:]
		if len(text) > longText {
			out = append(out, text[:whole(text, keepHead)]...)
			out = append(out, gap...)
			text = text[whole(text, len(text)-keepTail):]
		}
		out = append(out, text...)
		out = append(out, '"')
		line = line[1:]
	}
}

// closing is the index of the quote that ends a string, -1 for none.
func closing(text []byte) int {
	for at := 0; ; {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote
		slashes := 0
		for slashes < at && text[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
		at++
	}
}

// whole is an index near at, in a string of JSON, that is in no escape sequence and no
// character.
func whole(text []byte, at int) int {
	const longest = 12 // a surrogate pair: \ud83d\ude00
	for back := 0; back <= at && back < 4*longest; back++ {
		begin := at - back
		if begin >= longest && bytes.IndexByte(text[begin-longest:begin], '\\') >= 0 {
			continue
		}
		if begin < len(text) && text[begin]&0xc0 == 0x80 {
			continue
		}
		return begin
	}
	n := 0 // escapes only: count them from the beginning
	for n < at {
		if text[n] == '\\' {
			if n++; n < len(text) && text[n] == 'u' {
				n += 4
			}
		}
		n++
	}
	return min(n, len(text))
}
