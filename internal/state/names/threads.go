package names

import "strings"

// The logs about all streams, and the folders of the logs of one stream each.
const (
	Catalogue = "threads.jsonl"  // of threads
	Finished  = "sessions.jsonl" // runs that had ended before they were written

	Threads  = "threads"
	Sessions = "sessions"
	Tasks    = "tasks"
)

// MaxID is the longest ID of a stream, in bytes. It keeps all file names of a thread below
// 255 bytes.
const MaxID = 128

// OfThreads reports whether a path is that of a log with events, or of one about all
// streams.
func OfThreads(path string) bool {
	if path == Catalogue || path == Finished {
		return true
	}
	folder, name, _ := strings.Cut(path, "/")
	id, ok := strings.CutSuffix(name, Suffix)
	return ok && (folder == Threads || folder == Sessions || folder == Tasks) && IsID(id)
}

// IsID reports whether a text can be the ID of a stream: a name that is safe as a file
// name on every system.
func IsID(id string) bool {
	if id == "" || len(id) > MaxID || id[0] == '.' || id[len(id)-1] == '.' || isDevice(id) {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
