package jetstream

import (
	"fmt"
	"strings"
)

// The subject of a log has a token for each part of the log's name:
// handoff.STREAM.log.threads.ID%2Ejsonl. What has a meaning in subjects, or is not
// ASCII, is written as %XX. Blobs are handoff.STREAM.blob.ID, the pieces of long ones
// handoff.STREAM.chunk.SHA256.

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// logSubject is the subject of a log with a valid name.
func (e *Engine) logSubject(log string) string {
	var b strings.Builder
	b.WriteString(e.prefix + "log.")
	for i := range len(log) {
		switch c := log[i]; {
		case c == '/':
			b.WriteByte('.')
		case plain(c):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// logOf is the log of a subject, if it is one that logSubject makes.
func (e *Engine) logOf(subject string) (log string, ok bool) {
	rest, ok := strings.CutPrefix(subject, e.prefix+"log.")
	if !ok {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '.':
			b.WriteByte('/')
		case '%':
			var c byte
			if n, err := fmt.Sscanf(rest[i:min(i+3, len(rest))], "%%%02X", &c); n != 1 || err != nil {
				return "", false
			}
			b.WriteByte(c)
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), e.logSubject(b.String()) == subject
}

// filter is a subject with wildcards for all logs whose names begin with a prefix, and
// for some more.
func (e *Engine) filter(prefix string) string {
	dir := prefix[:strings.LastIndexByte(prefix, '/')+1]
	return e.logSubject(dir) + ">"
}

func (e *Engine) blobSubject(id string) string  { return e.prefix + "blob." + id }
func (e *Engine) chunkSubject(id string) string { return e.prefix + "chunk." + id }
