// Package secret finds keys, tokens and passwords in text, to report them and to keep
// them out of all output about the text.
package secret

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Found is a secret in a text, by byte offsets.
type Found struct {
	From, To int
	End      int    // of the whole secret; To is the end of its first line
	Kind     string // "a GitHub token"
}

// All lists the secrets of a text in order, without overlaps. The most precise finder
// runs first, because `TOKEN=12345678:AA…` is found by its shape and by its name.
func All(src string) []Found {
	s := secrets{src: src}
	s.tokens()
	s.literals()
	s.wideColons()
	s.stated()
	s.netrc()
	s.passwordsInURLs()
	s.privateKeys()
	slices.SortStableFunc(s.found, func(a, b Found) int { return cmp.Compare(a.From, b.From) })
	list, end := s.found[:0], 0
	for _, f := range s.found {
		if f.From >= end {
			list, end = append(list, f), f.To
		}
	}
	return list
}

// secrets collects the findings in a text.
type secrets struct {
	src   string
	found []Found

	header int  // the end of the last header of cookies
	says   bool // a password is called one
}

func (s *secrets) add(from, to int, kind string) {
	s.found = append(s.found, Found{from, to, to, kind})
}

// Hide is text with each secret replaced by [Masked].
func Hide(text string) string {
	secrets := All(text)
	if len(secrets) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, f := range secrets {
		if f.From >= at {
			b.WriteString(text[at:f.From] + Masked)
		}
		at = max(at, f.End)
	}
	return b.String() + text[at:]
}

// Stars replaces each character of the secrets by a star or a similar character of the
// same length. All offsets stay the same, in bytes and in characters.
func Stars(src string, secrets []Found) string {
	if len(secrets) == 0 {
		return src
	}
	b := []byte(src)
	for _, f := range secrets {
		for i := f.From; i < f.End; {
			r, size := utf8.DecodeRune(b[i:])
			if r != '\n' && r != '\r' {
				copy(b[i:], stars[size])
			}
			i += size
		}
	}
	return string(b)
}

// stars replace characters, by their length in bytes.
var stars = [...]string{1: "*", 2: "·", 3: "•", 4: "🔑"}
