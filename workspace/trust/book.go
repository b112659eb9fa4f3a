package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/file/userstate"
	"handoff/internal/text/shellword"
	"handoff/workspace/config"
)

// Variable is the environment variable that lists trusted roots, separated as in PATH. They
// need no record, and a change in them is not asked about: for CI and containers.
const Variable = "HANDOFF_TRUST"

// Book has the records of one user.
type Book struct {
	dir   string   // of the records; "" if it is unknown
	roots []string // trusted by the environment
	owner func(path string) (uid int, ok bool)
	uids  []int // the user's own
}

// Open returns the records of the user whose environment this is. It reads nothing yet.
func Open(getenv func(string) string) *Book {
	b := &Book{owner: regular.Owner, uids: []int{regular.User()}}
	if uid, err := strconv.Atoi(getenv("SUDO_UID")); err == nil && b.uids[0] == 0 {
		b.uids = append(b.uids, uid) // sudo, in a repository of the user who typed it
	}
	if state := userstate.Dir(getenv); state != "" {
		b.dir = filepath.Join(state, "trust")
	}
	for _, root := range filepath.SplitList(getenv(Variable)) {
		if filepath.IsAbs(root) { // a relative one would mean another root in each folder
			b.roots = append(b.roots, real(root))
		}
	}
	return b
}

// Record is the trust in one root.
type Record struct {
	Root  string    `json:"root"`  // absolute, without symlinks
	Owner int       `json:"owner"` // uid of the owner of the root, -1 where there are none
	Hash  string    `json:"hash"`  // of the acts
	Acts  []Act     `json:"acts"`
	At    time.Time `json:"at"`

	// The root is the folder Below in a working tree of Repository, which is the git folder
	// that all worktrees share; "" for none.
	Repository string `json:"repository"`
	Below      string `json:"below"`
}

// real is a path without symlinks, so that each root has one record.
func real(root string) string {
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		return resolved
	}
	return root
}

func (b *Book) file(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(b.dir, hex.EncodeToString(sum[:8])+".json")
}

// ErrNoPlace: the environment has no place for records.
var ErrNoPlace = errors.New("there is no place to record trust: set HOME or XDG_STATE_HOME")

// inside reports whether the records are in the root, as in that of a home folder. Whoever may
// write there, as an agent that may edit files, could have written them: they trust nothing.
func (b *Book) inside(root string) bool {
	return b.dir != "" && nofollow.Within(root, real(b.dir))
}

// ErrInside: the repository contains the place of records.
var ErrInside = errors.New("this is where trust is recorded, and it is in the repository, so that its agents could write records")

// Trust records that what can act in a workspace now may act.
func (b *Book) Trust(root string, c config.Config, now time.Time) (Record, error) {
	acts, root := Acts(root, c), real(root)
	switch {
	case b.dir == "":
		return Record{}, ErrNoPlace
	case b.inside(root):
		return Record{}, fmt.Errorf("%s: %w: set XDG_STATE_HOME to a folder outside of %s, or name the root in %s", b.dir, ErrInside, root, Variable)
	}
	r := Record{Root: root, Owner: b.ownerOf(root), Hash: Hash(acts), Acts: acts, At: now.UTC()}
	r.Repository, r.Below = placeOf(root)
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return r, err
	}
	folder := nofollow.Root(filepath.Dir(filepath.Dir(b.dir)))
	if err := nofollow.Named.MkdirAll(string(folder), 0o700); err != nil {
		return r, err
	}
	if err := atomicfile.MkdirAll(folder, b.dir, 0o700); err != nil {
		return r, err
	}
	return r, atomicfile.Write(folder, b.file(root), append(text, '\n'), 0o600)
}

// Revoke removes the record of a root, and those of the other worktrees of its repository,
// which would lend it theirs. found is false if there is none.
func (b *Book) Revoke(root string) (found bool, err error) {
	if b.dir == "" {
		return false, nil
	}
	root = real(root)
	files := []string{b.file(root)}
	for _, r := range b.worktrees(root) {
		files = append(files, b.file(r.Root))
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		removed := nofollow.Root(b.dir).Remove(file)
		found = found || removed == nil
		if !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return found, err
}

// read returns the record of a root, which has no symlinks; nil for none. A file that another user could
// have written is an error: it would be his word, not the user's.
func (b *Book) read(root string) (*Record, error) {
	if b.dir == "" || b.inside(root) {
		return nil, nil
	}
	r, err := b.readFile(b.file(root))
	if err != nil || r == nil || r.Root != root {
		return nil, err
	}
	return r, nil
}

func (b *Book) readFile(path string) (*Record, error) {
	src, err := nofollow.Root(b.dir).ReadUnlinked(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if owner := b.ownerOf(path); !slices.Contains(b.uids, owner) {
		return nil, fmt.Errorf("%s: belongs to another user (%d): delete it", path, owner)
	}
	var r Record
	if err := json.Unmarshal(src, &r); err != nil {
		return nil, fmt.Errorf("%s: %w: `handoff trust` writes it again", path, err)
	}
	return &r, nil
}

func (b *Book) ownerOf(path string) int {
	if uid, ok := b.owner(path); ok {
		return uid
	}
	return -1
}

// TypeFor is the command that trusts a root.
func TypeFor(root string) string { return "`" + shellword.Join("handoff", "trust", root) + "`" }
