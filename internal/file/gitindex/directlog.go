package gitindex

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxDirect is the most commits that are followed without git. After so many, git is
// faster.
const maxDirect = 20

// maxCommit is the most bytes of a commit that is read without git.
const maxCommit = 1 << 20

// commit is a parsed commit.
type commit struct {
	tree    string
	parents []string
	at      int64 // seconds, by its committer
}

// since is [Since] without git. ok is false if the answer needs git: if a commit does
// not have exactly one parent, or is packed.
func (d *direct) since(from time.Time, of string, files []string) (c Changes, ok bool) {
	id, ok := d.head()
	if !ok || !d.plain() {
		return c, false
	}
	now, ok := d.commit(id)
	c.Files = map[string]int{}
	for range maxDirect {
		if !ok || now.at < from.Unix() {
			return c, ok
		}
		if len(now.parents) != 1 {
			return c, false
		}
		before, exists := d.commit(now.parents[0])
		if !exists || !d.count(&c, before.tree, now.tree, of, files) {
			return c, false
		}
		now = before
	}
	return c, false
}

// count adds the changes of a commit between two trees.
func (d *direct) count(c *Changes, before, now, of string, files []string) (ok bool) {
	var changed []string
	for _, name := range slices.Concat(files, []string{of}) {
		old, ok1 := d.entry(before, d.prefix+name)
		current, ok2 := d.entry(now, d.prefix+name)
		if !ok1 || !ok2 {
			return false
		}
		if old != current {
			changed = append(changed, name)
		}
	}
	if slices.Contains(changed, of) {
		return true
	}
	c.Commits++
	for _, name := range changed {
		c.Files[name]++
	}
	return true
}

func (d *direct) commit(id string) (c commit, ok bool) {
	src, ok := d.object(id, "commit", maxCommit)
	head, _, _ := strings.Cut(string(src), "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
			ok = ok && isID(value)
		case "committer": // NAME <ADDRESS> SECONDS ZONE
			f := strings.Fields(value[strings.LastIndexByte(value, '>')+1:])
			if len(f) != 2 {
				return c, false
			}
			at, err := strconv.ParseInt(f[0], 10, 64)
			c.at, ok = at, ok && err == nil
		}
	}
	return c, ok && isID(c.tree) && c.at > 0
}

// leaf is what a tree has at a path; the zero value for nothing, and for a folder.
type leaf struct{ mode, id string }

// folder is the mode of a folder in a tree.
const folder = "40000"

// entry finds a path in a tree.
func (d *direct) entry(tree, path string) (e leaf, ok bool) {
	for {
		name, rest, deeper := strings.Cut(path, "/")
		content, ok := d.tree(tree)
		if !ok {
			return leaf{}, false
		}
		if e, ok = find(content, name, len(tree)/2); !ok {
			return leaf{}, false
		}
		switch {
		case deeper && e.mode == folder:
			tree, path = e.id, rest
		case deeper || e.mode == folder:
			return leaf{}, true
		default:
			return e, true
		}
	}
}

func (d *direct) tree(id string) (content []byte, ok bool) {
	if content, ok = d.trees[id]; ok {
		return content, true
	}
	if content, ok = d.object(id, "tree", maxTree); ok {
		d.trees[id] = content
	}
	return content, ok
}

// find finds a name in the content of a tree: mode, a blank, name, a zero, and the bytes of the id. ok
// is false if the content is something else.
func find(content []byte, name string, size int) (e leaf, ok bool) {
	for len(content) > 0 {
		about, rest, cut := bytes.Cut(content, []byte{0})
		mode, n, named := bytes.Cut(about, []byte{' '})
		if !cut || !named || len(rest) < size {
			return leaf{}, false
		}
		if string(n) == name {
			return leaf{string(mode), hex.EncodeToString(rest[:size])}, true
		}
		content = rest[size:]
	}
	return leaf{}, true
}

// committed is [Committed] without git. ok is false if the answer needs git.
func (d *direct) committed(files []string) (list []Entry, ok bool) {
	id, ok := d.head()
	if !ok || !d.plain() {
		return nil, false
	}
	head, ok := d.commit(id)
	if !ok {
		return nil, false
	}
	for _, name := range files {
		e, ok := d.entry(head.tree, d.prefix+name)
		if !ok {
			return nil, false
		}
		switch e.mode {
		case "100644", "100755", "120000":
			list = append(list, Entry{Path: name, ID: e.id, Link: e.mode == "120000"})
		case "":
		default:
			return nil, false // a submodule, or a mode of an old version
		}
	}
	return list, true
}

// contents is [Contents] without git, as far as that goes; it returns the entries that
// are left.
func (d *direct) contents(ctx context.Context, entries []Entry, take func(Entry, []byte) error) (left []Entry, err error) {
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		content, ok := []byte(nil), false
		if isID(e.ID) {
			content, ok = d.object(e.ID, "blob", maxLoose)
		}
		if !ok {
			return entries[i:], nil
		}
		if err := take(e, content); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
