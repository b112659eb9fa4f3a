package notes

import (
	"os"
	"time"

	"handoff/log/receipt"
)

// Quiet is how long a session may give no sign of life before it counts as over: longer
// than an agent takes to read a handoff and begin, and than most of its commands run.
const Quiet = 30 * time.Minute

// Sign is what is known of a session's life. The zero value is for one that no hook of
// this machine reported.
type Sign struct {
	Past
	At time.Time // the latest hook, or change of its transcript
}

// Signs reads the file once, for many sessions. A file that cannot be read knows none:
// the hooks report that.
func (b *Book) Signs() func(receipt.Session) Sign {
	var p page
	read := false
	return func(s receipt.Session) (sign Sign) {
		if s.ID == "" {
			return sign
		}
		if !read {
			p, _ = b.file.Read()
			read = true
		}
		e, err := p.entry(s.Host + " " + s.ID)
		if err != nil {
			return sign
		}
		return b.signOf(e)
	}
}

func (b *Book) signOf(e entry) Sign {
	sign := Sign{Past: e.Past}
	for _, at := range []time.Time{e.Heard, e.Started, e.Compacting, e.Resumed, b.grown(e.Transcript)} {
		if at.After(sign.At) {
			sign.At = at
		}
	}
	return sign
}

// grown is when a transcript grew last, zero if that is not known. A time in the future is
// that of another clock.
func (b *Book) grown(transcript string) (at time.Time) {
	if transcript == "" {
		return at
	}
	st, err := os.Lstat(transcript)
	if err != nil || !st.Mode().IsRegular() || st.ModTime().After(b.now().Add(2*time.Minute)) {
		return at
	}
	return st.ModTime().UTC()
}
