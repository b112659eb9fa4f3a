package gitwork

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Difference is a path that differs between two trees. Changed is what the second one has.
type Difference struct {
	Changed
	Was File // in the first one; no mode for nothing
}

// Diff lists the paths that differ between two trees, sorted. A tree that is "" is empty.
func (r *Repo) Diff(ctx context.Context, from, to string) (list []Difference, err error) {
	if from == "" || to == "" {
		if from, to, err = r.orEmpty(ctx, from, to); err != nil {
			return nil, err
		}
	}
	out, err := r.run(ctx, job{args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", from, to}})
	if err != nil {
		return nil, err
	}
	for len(out) > 0 {
		record, rest, _ := bytes.Cut(out, []byte{0})
		name, rest, ok := bytes.Cut(rest, []byte{0})
		f := strings.Fields(string(record)) // :oldmode newmode oldid newid status
		if !ok || len(f) != 5 || f[0][0] != ':' {
			return nil, fmt.Errorf("git diff-tree returned %q", record)
		}
		out = rest
		d := Difference{Changed: Changed{Path: string(name), File: fileOf(f[1], f[3])}, Was: fileOf(f[0][1:], f[2])}
		list = append(list, d)
	}
	return list, nil
}

func fileOf(mode, id string) File {
	if mode == "000000" {
		return File{}
	}
	return File{mode, id}
}

func (r *Repo) orEmpty(ctx context.Context, from, to string) (string, string, error) {
	out, err := r.run(ctx, job{args: []string{"mktree"}})
	if from == "" {
		from = line(out)
	}
	if to == "" {
		to = line(out)
	}
	return from, to, err
}

// Contents calls use for each of some contents, in their order. ids must be blobs.
func (r *Repo) Contents(ctx context.Context, ids []string, use func(i int, src []byte) error) error {
	const batch = 200 // so that only a part is in memory
	for at := 0; at < len(ids); at += batch {
		part := ids[at:min(at+batch, len(ids))]
		out, err := r.run(ctx, job{args: []string{"cat-file", "--batch", "--buffer"}, in: []byte(strings.Join(part, "\n") + "\n")})
		if err != nil {
			return err
		}
		for i, id := range part {
			head, rest, _ := bytes.Cut(out, []byte{'\n'})
			f := strings.Fields(string(head)) // id type size
			if len(f) != 3 || f[0] != id || f[1] != "blob" {
				return fmt.Errorf("%s: git has no such content: %s", id, head)
			}
			n, err := strconv.Atoi(f[2])
			if err != nil || len(rest) < n+1 {
				return fmt.Errorf("%s: git cat-file returned less than %s bytes", id, f[2])
			}
			if err := use(at+i, rest[:n]); err != nil {
				return err
			}
			out = rest[n+1:]
		}
	}
	return nil
}
