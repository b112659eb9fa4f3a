package rip

import (
	"context"
	"errors"
	"io/fs"

	"handoff/artifact"
)

// refs are the ids of blobs that were seen, in the order in which they were.
type refs struct {
	all  []artifact.ID
	seen map[artifact.ID]bool
}

// find takes in all that has the form of an id, between quotes. Frames and
// blobs name blobs in many fields; what only looks like an id names none.
func (r *refs) find(text []byte) {
	const digits = 64
	for i := 0; i+digits+1 < len(text); i++ {
		if text[i] != '"' || text[i+digits+1] != '"' {
			continue
		}
		if id, err := artifact.ParseID(string(text[i+1 : i+1+digits])); err == nil {
			r.add(id)
			i += digits
		}
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

// maxScanned is the largest blob that is looked through for other ids: bundles
// and summaries are small, logs are not.
const maxScanned = 1 << 20

// copyBlobs copies the blobs that are named, and those that these name. What
// cannot be copied is told to problem.
func copyBlobs(ctx context.Context, named refs, from, to *artifact.Store, problem func(artifact.ID, error)) (copied int, err error) {
	for i := 0; i < len(named.all); i++ { // it grows
		if err := ctx.Err(); err != nil {
			return copied, err
		}
		id := named.all[i]
		data, err := from.Get(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it may be none
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

// blobs copies what the streams name, unless both stores have the same folder.
func (im *importer) blobs(ctx context.Context, to *artifact.Store) (err error) {
	from, err := artifact.Open(im.from.Workspace)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	im.report.Blobs, err = copyBlobs(ctx, im.named, from, to, func(id artifact.ID, err error) {
		im.problem(im.from.Workspace, 0, err)
	})
	return err
}
