package visible

import (
	"io"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer writes untrusted text to a terminal. It escapes the characters that [Escaped]
// reports, except line ends and tabs. JSON stays valid: characters that JSON may
// contain are escaped as JSON does. Several goroutines may use a Writer.
type Writer struct {
	to   io.Writer
	mu   sync.Mutex
	held []byte // an incomplete character, or a carriage return, until the next Write
}

// NewWriter returns a Writer that writes to the terminal.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes p, escaped. It returns len(p) if all of it was written.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
	}
	whole := wholeCharacters(text)
	safe := appendSafe(make([]byte, 0, whole+64), text[:whole])
	w.held = append([]byte(nil), text[whole:]...)
	if _, err := w.to.Write(safe); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what Write has held back.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

func (w *Writer) flush() error {
	if len(w.held) == 0 {
		return nil
	}
	safe := appendSafe(nil, w.held)
	w.held = nil
	_, err := w.to.Write(safe)
	return err
}

// Raw returns a writer that does not escape, for colours and cursor movements. Its
// users must pass untrusted text through [Line] first.
func (w *Writer) Raw() io.Writer { return raw{w} }

type raw struct{ w *Writer }

func (r raw) Write(p []byte) (int, error) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if err := r.w.flush(); err != nil {
		return 0, err
	}
	return r.w.to.Write(p)
}

// wholeCharacters is the length of text without an incomplete character at its end, and
// without a final carriage return, which may be half of a line end.
func wholeCharacters(text []byte) int {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		return n - 1
	}
	return Whole(text)
}

// Whole is the length of text without an incomplete character at its end.
func Whole(text []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// appendSafe is Text for a terminal: "\r\n" is a line end, and characters
// beyond U+FFFF are escaped as JSON does, by two surrogates.
func appendSafe(b, text []byte) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c <= '~' || c == '\n' || c == '\t' {
			b = append(b, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = appendByte(b, text[i])
		case !Escaped(r), r == '\r' && i+1 < len(text) && text[i+1] == '\n':
			b = append(b, text[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = appendHex(append(b, `\u`...), high, 12)
			b = appendHex(append(b, `\u`...), low, 12)
		default:
			b = appendRune(b, r)
		}
		i += size
	}
	return b
}
