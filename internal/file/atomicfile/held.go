package atomicfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"handoff/internal/file/nofollow"
)

// heldPrefix begins the name of a file that changes places with another, or
// did. Such a file may be all that is left of what somebody wrote.
const heldPrefix = ".handoff-swap-"

// held is what the name of such a file says.
type held struct {
	machine   string
	pid       int
	begun     time.Time
	old, data string // digests of the content it takes the place of, and of its own
	base      string // the name it changes places with
}

// heldName is ".handoff-swap-MACHINE-PID-TIME-RANDOM-OLD-DATA-BASE".
func heldName(base string, old, data []byte, now time.Time) string {
	const radix = 36
	return heldPrefix + strings.Join([]string{
		machine(), strconv.Itoa(os.Getpid()), strconv.FormatInt(now.Unix(), radix), strconv.FormatUint(rand.Uint64(), radix),
		digest(old), digest(data), base,
	}, "-")
}

// parseHeld reads such a name. What only begins like one is none of ours.
func parseHeld(name string) (h held, ok bool) {
	rest, ok := strings.CutPrefix(name, heldPrefix)
	parts := strings.SplitN(rest, "-", 7)
	if !ok || len(parts) != 7 || len(parts[4]) != digestLen || len(parts[5]) != digestLen || !filepath.IsLocal(parts[6]) {
		return held{}, false
	}
	pid, err := strconv.Atoi(parts[1])
	begun, timeErr := strconv.ParseInt(parts[2], 36, 64)
	return held{parts[0], pid, time.Unix(begun, 0), parts[4], parts[5], parts[6]}, errors.Join(err, timeErr) == nil
}

// IsHeld reports whether a base name is that of a file that changes places
// with another. It is there for a moment only, unless the process was killed.
func IsHeld(base string) bool { _, ok := parseHeld(base); return ok }

// abandoned reports whether the process that made the exchange is gone. The
// file's own time is another writer's, so the name has one.
func (h held) abandoned() bool {
	return wroteHere(h.machine, h.pid) || time.Since(h.begun) > abandonedAfter
}

const digestLen = 16

// digest tells contents apart. Who makes two that have the same one only
// confuses himself.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:digestLen]
}

// Finish ends an exchange of a process that was killed, as [Sweep] names it.
// Content that the process had read, or had made, is deleted; what another
// writer wrote gets its name back if nobody wrote the file since, else it is
// kept beside it, and the error is a [*SavedError]. Only one process at a time
// may do so in a folder; one that finds it done returns nil.
func Finish(root nofollow.Root, path string) error { return finish(root, path, nil) }

func finish(root nofollow.Root, at string, steps steps) error {
	h, ok := parseHeld(filepath.Base(at))
	if !ok {
		return &fs.PathError{Op: "finish", Path: at, Err: fs.ErrInvalid}
	}
	dir, name, err := root.Parent(at)
	if err != nil {
		return err
	}
	defer dir.Close()
	x := exchanging{dir, name, h.base}
	data, quiet, err := settled(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	steps.at("finish")
	if sum := digest(data); err == nil && quiet && (sum == h.old || sum == h.data) {
		return x.drop()
	}
	ours := func(b []byte) bool { return digest(b) == h.data }
	if got, err := readIn(dir, h.base); err != nil || !ours(got) {
		return x.save()
	}
	if err := x.putBack(ours, steps); err != nil {
		return err
	}
	return dir.Sync()
}
