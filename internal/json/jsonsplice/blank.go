package jsonsplice

import (
	"strings"

	"handoff/internal/json/jsontext"
)

// blank replaces comments and trailing commas by spaces, so that a parser of strict
// JSON reads the text and its offsets are those of the text. Unclosed comments
// stay, so that the parser reports them.
func blank(src string) string {
	if !strings.ContainsAny(src, "/,") {
		return src
	}
	out := []byte(src)
	comma, before := -1, byte(0) // the comma just read; the last byte that means something
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case strings.IndexByte(jsontext.Blanks, c) >= 0:
			continue
		case c == '/':
			if end := comment(src, i); end > i {
				wipe(out[i:end])
				i = end - 1
				continue
			}
			before, comma = c, -1
		case c == '"':
			i = closing(src, i)
			before, comma = c, -1
		case c == ',':
			if comma = i; strings.IndexByte("[{,\x00", before) >= 0 {
				comma = -1 // nothing before it: an error
			}
			before = c
		default:
			if (c == '}' || c == ']') && comma >= 0 {
				out[comma] = ' '
			}
			before, comma = c, -1
		}
	}
	return string(out)
}

// wipe keeps line breaks, so that lines are counted right.
func wipe(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// comment is the offset after the comment that begins at i; i if none does, or if it
// is not closed.
func comment(src string, i int) int {
	switch rest := src[i:]; {
	case strings.HasPrefix(rest, "//"):
		if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
			return i + n
		}
		return len(src)
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			return i + 2 + n + 2
		}
	}
	return i
}

// closing is the offset of the quote that closes the string at i, or of the last
// byte.
func closing(src string, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(src) - 1
}
