package parse

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/document/handoff"
)

// bom is the byte order mark that some editors write before UTF-8 text.
const bom = "\xef\xbb\xbf"

// pointer begins the file that Git LFS leaves in place of what it has not fetched.
const pointer = "version https://git-lfs.github.com/spec/"

// checkEncoding records the first place of each kind of byte that does not
// belong in text. It returns the bytes to parse, of the same length as src, or
// nil if src is not text. They have no spare capacity, because goldmark appends
// a line end to slices of its source and would overwrite the caller's memory.
func checkEncoding(doc *handoff.Document, src []byte) []byte {
	if bytes.HasPrefix(src, []byte(pointer)) {
		doc.NotText = handoff.LFSPointer
		noteByte(doc, 0, strings.TrimPrefix(doc.NotText, "is ")+": run `git lfs pull`")
		return nil
	}
	nul := bytes.IndexByte(src, 0)
	cr := loneCR(src)
	bad := -1
	if !utf8.Valid(src) {
		bad = badRune(src)
	}
	if nul < 0 && cr < 0 && bad < 0 {
		return slices.Clip(src)
	}
	if isBinary(src) {
		if bad < 0 || 0 <= nul && nul < bad {
			bad = nul
		}
		doc.NotText = "is binary data, not text"
		if marked := utf16(src); marked != "" {
			doc.NotText, bad = "is "+marked+", as some programs on Windows write text", 0
		}
		noteByte(doc, max(bad, 0), strings.TrimPrefix(doc.NotText, "is ")+": save it as UTF-8")
		return nil
	}
	if bad >= 0 {
		noteByte(doc, bad, fmt.Sprintf("byte 0x%02x is not UTF-8: save the file as UTF-8", src[bad]))
	}
	if nul < 0 && cr < 0 {
		return slices.Clip(src)
	}
	if nul >= 0 {
		noteByte(doc, nul, "NUL byte: remove it")
	}
	if cr >= 0 {
		noteByte(doc, cr, `carriage return without a line feed: end lines with \n or \r\n`)
	}
	return withoutControls(src)
}

// withoutControls replaces the characters that would hide headings from
// goldmark, byte by byte, so that offsets stay the same.
func withoutControls(src []byte) []byte {
	clean := bytes.Clone(src)
	for i, c := range clean {
		switch {
		case c == 0:
			clean[i] = '?'
		case c == '\r' && (i+1 == len(clean) || clean[i+1] != '\n'):
			clean[i] = ' '
		}
	}
	return slices.Clip(clean)
}

func noteByte(doc *handoff.Document, at int, text string) {
	line := doc.LineAt(at)
	problem(doc, handoff.BadEncoding, line, at-doc.Offset(line)+1, text)
}

// loneCR is the offset of the first carriage return without a line feed, or -1.
func loneCR(src []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], '\r')
		if i < 0 {
			return -1
		}
		at += i + 1
		if at == len(src) || src[at] != '\n' {
			return at - 1
		}
	}
}

// badRune is the offset of the first byte that is not UTF-8, or -1.
func badRune(src []byte) int {
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// utf16 is the encoding whose mark begins a text, "" for none.
func utf16(src []byte) string {
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return "UTF-16"
	}
	return ""
}

// isBinary reports whether more than a tenth of the first bytes, or of all, are
// NUL or not UTF-8. With fewer of them, such as a NUL or letters in Latin-1,
// text is still readable.
func isBinary(src []byte) bool {
	const head = 1024
	strange := 0
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRune(src[at:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			strange++
		}
		if at < head && at+size >= head && strange*10 > head {
			return true
		}
		at += size
	}
	return strange*10 > len(src)
}
