package lsp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	maxFrame  = 32 << 20 // bytes; a document of 1 MiB is checked, and its JSON may be six times as long
	maxHeader = 4 << 10  // bytes of a header line
)

// frameReader reads messages that are framed as in HTTP: header lines, an empty line,
// and as many bytes as Content-Length says.
type frameReader struct{ in *bufio.Reader }

func newFrameReader(in io.Reader) *frameReader {
	return &frameReader{bufio.NewReaderSize(in, maxHeader)}
}

// frameError is a frame without usable content. Reading continues after it.
type frameError struct{ why string }

func (e frameError) Error() string { return e.why }

// next returns the content of the next frame. A frameError affects one frame only; any
// other error is the last one: io.EOF between two frames, io.ErrUnexpectedEOF in one.
func (r *frameReader) next() ([]byte, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	if length > maxFrame {
		if _, err := io.CopyN(io.Discard, r.in, length); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, frameError{fmt.Sprintf("a message of %d bytes: at most %d are read", length, maxFrame)}
	}
	// A client that announces more than it sends must not make us allocate all of it.
	content, err := io.ReadAll(io.LimitReader(r.in, length))
	if err == nil && int64(len(content)) < length {
		err = io.ErrUnexpectedEOF
	}
	return content, err
}

// header reads the lines up to an empty one and returns the length of the content. Empty
// lines between two frames are skipped.
func (r *frameReader) header() (length int64, err error) {
	length = -1
	for any := false; ; {
		line, err := r.line()
		switch {
		case err == io.EOF && any:
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case len(line) > 0:
			any = true
			if n, ok := contentLength(line); ok {
				length = n
			}
		case any && length < 0:
			return 0, frameError{"a message without a valid Content-Length"}
		case any:
			return length, nil
		}
	}
}

// line returns the next line without its end, or the last bytes of one that is too long.
func (r *frameReader) line() (line []byte, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && len(part) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		return bytes.TrimRight(part, "\r\n"), nil
	}
}

// contentLength finds the length in a header line. The header may come after the content
// of a frame whose own length was unreadable, so it need not start the line: otherwise
// one bad frame would make all others unreadable.
func contentLength(line []byte) (int64, bool) {
	const name = "content-length:"
	low := strings.ToLower(string(line))
	at := strings.LastIndex(low, name)
	if at < 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(low[at+len(name):]), 10, 40)
	return int64(n), err == nil
}

// writeFrame writes one message with one call of Write.
func writeFrame(out io.Writer, content []byte) error {
	_, err := out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(content)), content...))
	return err
}
