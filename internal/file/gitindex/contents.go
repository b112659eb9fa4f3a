package gitindex

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// MaxContent is the most bytes of one file that [Contents] reads.
const MaxContent = 64 << 20

// Contents calls take with the staged bytes of each entry, in the order of entries,
// using at most one git process. The bytes are valid until take returns. Contents stops at the
// first error of take or git.
//
// It requests blobs by id, because a path may contain a newline, which ends a request.
func Contents(ctx context.Context, dir string, entries []Entry, take func(Entry, []byte) error) (err error) {
	if d, ok := openDirect(dir); ok {
		if entries, err = d.contents(ctx, entries, take); err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		return nil
	}
	return askContents(ctx, dir, entries, take)
}

// askContents is [Contents] with git.
func askContents(ctx context.Context, dir string, entries []Entry, take func(Entry, []byte) error) (err error) {
	run, stop := context.WithCancel(ctx)
	defer stop()
	args := []string{"cat-file", "--batch"}
	c := command(run, dir, args...)
	c.Stdin = strings.NewReader(questions(entries))
	var talk bytes.Buffer
	c.Stderr = &talk
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return explain(ctx, dir, args, err, "")
	}
	failed := answers(bufio.NewReaderSize(out, 64<<10), entries, take)
	if failed != nil && failed != errEnded {
		stop() // git may be waiting for its output to be read
		_ = c.Wait()
		return failed
	}
	if err := cmp.Or(c.Wait(), failed); err != nil {
		return explain(ctx, dir, args, err, talk.String())
	}
	return nil
}

// errEnded reports that git ended before the last answer.
var errEnded = errors.New("ended too early")

func questions(entries []Entry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.ID)
		b.WriteByte('\n')
	}
	return b.String()
}

// answers reads a line "id blob size", the bytes and a line end for each entry.
func answers(r *bufio.Reader, entries []Entry, take func(Entry, []byte) error) error {
	var buffer []byte
	for _, e := range entries {
		size, err := header(r, e)
		if err != nil {
			return err
		}
		if cap(buffer) < size+1 {
			buffer = make([]byte, size+1)
		}
		buffer = buffer[:size+1]
		if _, err := io.ReadFull(r, buffer); err != nil {
			return errEnded
		}
		if err := take(e, buffer[:size:size]); err != nil {
			return err
		}
	}
	return nil
}

func header(r *bufio.Reader, e Entry) (size int, err error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, errEnded
	}
	f := strings.Fields(line)
	if len(f) == 2 && f[1] == "missing" {
		return 0, fmt.Errorf("%s: its staged content %s is missing: run git fsck", e.Path, e.ID)
	}
	if len(f) != 3 || f[0] != e.ID || f[1] != "blob" {
		return 0, fmt.Errorf("%s: git cat-file returned %q: want a blob", e.Path, strings.TrimSpace(line))
	}
	if size, err = strconv.Atoi(f[2]); err != nil {
		return 0, fmt.Errorf("%s: git cat-file returned the size %q", e.Path, f[2])
	}
	if size > MaxContent {
		return 0, fmt.Errorf("%s: %d MiB are staged, at most %d are read", e.Path, size>>20, MaxContent>>20)
	}
	return size, nil
}
