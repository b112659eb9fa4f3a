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

// heldPrefix is the prefix of the name of a file that is being exchanged with
// another, or was. Such a file may be the only copy of what another process wrote.
const heldPrefix = ".handoff-swap-"

// held is the parsed form of such a name.
type held struct {
	machine   string
	pid       int
	begun     time.Time
	old, data string // digests of the content that is replaced, and of the new content
	base      string // the name of the other file, or its path: see [held.file]
}

// heldName is, for a name or an escaped path, ".handoff-swap-MACHINE-PID-TIME-RANDOM-OLD-DATA-BASE".
func heldName(base string, old, data []byte, now time.Time) string {
	const radix = 36
	return heldPrefix + strings.Join([]string{
		machine(), strconv.Itoa(os.Getpid()), strconv.FormatInt(now.Unix(), radix), strconv.FormatUint(rand.Uint64(), radix),
		digest(old), digest(data), base,
	}, "-")
}

// parseHeld parses such a name. ok is false for other names with the prefix.
func parseHeld(name string) (h held, ok bool) {
	rest, ok := strings.CutPrefix(name, heldPrefix)
	parts := strings.SplitN(rest, "-", 7)
	if !ok || len(parts) != 7 || len(parts[4]) != digestLen || len(parts[5]) != digestLen ||
		!filepath.IsLocal(parts[6]) || !filepath.IsLocal(filepath.FromSlash(unescaped.Replace(parts[6]))) {
		return held{}, false
	}
	pid, err := strconv.Atoi(parts[1])
	begun, timeErr := strconv.ParseInt(parts[2], 36, 64)
	return held{parts[0], pid, time.Unix(begun, 0), parts[4], parts[5], parts[6]}, errors.Join(err, timeErr) == nil
}

// IsHeld reports whether a base name is the name of a file that is being exchanged.
// Such a file exists only for a moment, unless the process is killed.
func IsHeld(base string) bool { _, ok := parseHeld(base); return ok }

// abandoned reports whether the process of the exchange has ended. The modification
// time of the file comes from another writer, so the time is in the name.
func (h held) abandoned() bool {
	return diedHere(h.machine, h.pid) || time.Since(h.begun) > abandonedAfter
}

const digestLen = 16

// digest distinguishes contents. A writer could forge a collision, but only for its
// own content.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:digestLen]
}

// Finish completes an exchange of a killed process; [Sweep] returns its path. It
// deletes content that the process had read or written itself. Content of another
// writer gets its name back, unless the file was written since: then it is saved
// beside the file, and the error is a [*SavedError]. Only one process at a time may
// call Finish in a folder. If the exchange is already finished, it returns nil.
func Finish(root nofollow.Root, path string) error { return finish(root, path, nil) }

func finish(root nofollow.Root, at string, steps steps) error {
	h, ok := parseHeld(filepath.Base(at))
	if !ok {
		return &fs.PathError{Op: "finish", Path: at, Err: fs.ErrInvalid}
	}
	in, name, err := root.Parent(at)
	if err != nil {
		return err
	}
	defer in.Close()
	dir, base, err := root.Parent(h.file(root, at))
	if err != nil {
		return err
	}
	defer dir.Close()
	x := exchanging{in, dir, name, base}
	data, quiet, err := settled(in, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	steps.at("finish")
	if sum := digest(data); err == nil && quiet && (sum == h.old || sum == h.data) {
		return x.drop()
	}
	ours := func(b []byte) bool { return digest(b) == h.data }
	if got, err := readIn(dir, base); err != nil || !ours(got) {
		return x.save()
	}
	return x.putBack(ours, steps)
}
