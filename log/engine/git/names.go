package git

import (
	"fmt"
	"slices"
	"strings"
)

// The ref of a log has a part for each part of the log's name: d-DIR for folders and
// l-NAME for the log itself, so that a log "a" and a log "a/b" can both exist. A long
// part is split in two, c-BEGIN/l-END, because servers keep refs as files, whose names
// are limited. What git forbids in refs is written as %XX; so are capital letters,
// because some file systems ignore case.

// maxPart is the most bytes of a part, without its two letters.
const maxPart = 200

// refOf is the ref of a log with a valid name.
func refOf(log string) string {
	var parts []string
	segments := strings.Split(log, "/")
	for i, segment := range segments {
		text := escape(segment)
		for len(text) > maxPart {
			parts = append(parts, "c-"+text[:maxPart])
			text = text[maxPart:]
		}
		kind := "d-"
		if i == len(segments)-1 {
			kind = "l-"
		}
		parts = append(parts, kind+text)
	}
	return prefix + strings.Join(parts, "/")
}

// logOf is the log of a ref, if it is one that refOf makes.
func logOf(ref string) (log string, ok bool) {
	rest, ok := strings.CutPrefix(ref, prefix)
	if !ok {
		return "", false
	}
	parts := strings.Split(rest, "/")
	var b strings.Builder
	for i, part := range parts {
		if len(part) < 2 || (part[:2] == "l-") != (i == len(parts)-1) {
			return "", false
		}
		b.WriteString(part[2:])
		if part[:2] == "d-" {
			b.WriteByte('/')
		}
	}
	log, ok = unescape(b.String())
	return log, ok && refOf(log) == ref
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

func escape(s string) string {
	if !slices.ContainsFunc([]byte(s), func(c byte) bool { return !plain(c) }) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if plain(s[i]) {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}

func unescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		var c byte
		if n, err := fmt.Sscanf(s[i:min(i+3, len(s))], "%%%02X", &c); n != 1 || err != nil {
			return "", false
		}
		b.WriteByte(c)
		i += 2
	}
	return b.String(), true
}
