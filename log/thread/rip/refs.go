package rip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"handoff/log/artifact"
)

// refs are the ids of artifacts, in the order in which they were found.
type refs struct {
	all  []artifact.ID
	seen map[artifact.ID]bool
}

// find adds everything between quotes that has the form of an id. Frames and
// artifacts refer to artifacts in many fields; what only looks like an id does no
// harm.
func (r *refs) find(text []byte) {
	const digits = 64
	for i := 0; i+digits+1 < len(text); i++ {
		next := bytes.IndexByte(text[i:], '"')
		if i += next; next < 0 || i+digits+1 >= len(text) {
			return
		}
		if word := text[i+1 : i+1+digits]; text[i+1+digits] == '"' && !bytes.ContainsFunc(word, notHex) {
			if id, err := artifact.ParseID(string(word)); err == nil {
				r.add(id)
				i += digits
			}
		}
	}
}

func notHex(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') }

// need adds an id, if it is valid.
func (r *refs) need(name string) {
	if id, err := artifact.ParseID(name); err == nil {
		r.add(id)
	}
}

func (r *refs) add(id artifact.ID) {
	if r.seen == nil {
		r.seen = map[artifact.ID]bool{}
	}
	if !r.seen[id] {
		r.seen[id] = true
		r.all = append(r.all, id)
	}
}

// maxScanned is the size of the largest artifact that is searched for ids: bundles
// and summaries are small, logs are not.
const maxScanned = 1 << 20

// copyBlobs copies the artifacts, and those that they refer to, each from the first
// store that has it. It calls problem for each that cannot be copied.
func copyBlobs(ctx context.Context, named refs, from []*artifact.Store, to *artifact.Store, problem func(artifact.ID, error)) (copied int, err error) {
	for i := 0; i < len(named.all); i++ { // it grows
		if err := ctx.Err(); err != nil {
			return copied, err
		}
		id := named.all[i]
		data, err := firstOf(from, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it may not be an id
		}
		if err != nil {
			problem(id, err)
			continue
		}
		if len(data) <= maxScanned {
			named.find(data)
		}
		switch outcome, err := to.Adopt(id, data); {
		case errors.Is(err, fs.ErrExist), errors.As(err, new(*artifact.DamagedError)), errors.As(err, new(*artifact.TooLargeError)), errors.Is(err, artifact.ErrNotRegular):
			problem(id, err)
		case err != nil:
			return copied, err
		case outcome == artifact.Created:
			copied++
		}
	}
	return copied, nil
}

func firstOf(stores []*artifact.Store, id artifact.ID) (data []byte, err error) {
	err = fs.ErrNotExist
	for _, s := range stores {
		if data, err = s.Get(id); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return data, err
}

// shownMissing is how many missing artifacts a problem lists.
const shownMissing = 3

// missingBlobs is the problem of missing artifacts that events refer to, nil for
// none.
func missingBlobs(ids []artifact.ID, where []string, advice string) error {
	if len(ids) == 0 {
		return nil
	}
	var names []string
	for _, id := range ids[:min(len(ids), shownMissing)] {
		names = append(names, id.String())
	}
	list := strings.Join(names, ", ")
	if more := len(ids) - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	looked := "no folder to search for them"
	if len(where) > 0 {
		looked = "not in " + strings.Join(where, ", ")
	}
	what := fmt.Sprintf("%d artifacts that the events refer to are missing", len(ids))
	if len(ids) == 1 {
		what = "1 artifact that the events refer to is missing"
	}
	return fmt.Errorf("%s (%s): %s%s", what, looked, list, advice)
}

// blobs copies the artifacts that the streams refer to. Those that events depend
// on and that are still missing are a problem.
func (im *importer) blobs(ctx context.Context, to *artifact.Store) error {
	var from []*artifact.Store
	var where []string
	for _, dir := range im.workspaces() {
		s, err := artifact.Open(dir)
		if err != nil && im.from.Workspace == "" || errors.Is(err, fs.ErrNotExist) {
			continue // of another machine, or deleted
		}
		if err != nil {
			return err
		}
		defer s.Close()
		from, where = append(from, s), append(where, dir)
	}
	copied, err := copyBlobs(ctx, im.named, from, to, func(_ artifact.ID, err error) {
		im.report.problem(strings.Join(where, ", "), 0, err)
	})
	im.report.Blobs = copied
	if err != nil {
		return err
	}
	im.report.Missing = to.Missing(im.needed.all)
	if err := missingBlobs(im.report.Missing, where, "; name RIP's workspace (RIP_WORKSPACE_ROOT) with --rip-workspace DIR, and import again"); err != nil {
		im.report.problem(im.from.events(), 0, err)
	}
	return nil
}

// workspaces are the folders that may have the artifacts: the given one, or those
// that the threads name and the parent folder of the store.
func (im *importer) workspaces() []string {
	if im.from.Workspace != "" {
		return []string{im.from.Workspace}
	}
	var dirs []string
	for _, dir := range append(im.of, filepath.Dir(im.from.Data)) {
		if filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
