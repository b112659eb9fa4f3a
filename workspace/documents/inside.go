package documents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/parse"
	"handoff/workspace"
)

// FindInside is [Find] for callers that may see only the workspace, not the
// rest of the machine: it accepts a path only if List returns it.
func FindInside(ctx context.Context, w *workspace.Workspace, ref string) (Entry, error) {
	if !strings.HasSuffix(ref, ".md") && !w.Config.Documents.IsDocument(ref) {
		return findShort(ctx, w, ref)
	}
	e := EntryAt(w, ref)
	if path.Clean(ref) != ref || !filepath.IsLocal(filepath.FromSlash(ref)) || !w.Config.Documents.IsDocument(ref) {
		return Entry{}, workspace.NoHandoff("no such handoff")
	}
	e.When = When(ctx, w, e, nil)
	return e, nil
}

// ReadInside is [Read], but follows no symbolic link out of the
// workspace.
func ReadInside(w *workspace.Workspace, e Entry) (*handoff.Document, error) {
	src, err := readInside(w, e.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, workspace.NoHandoff(err.Error())
	}
	if err != nil {
		return nil, err
	}
	return w.Config.Documents.Parse(replacedAt(w, e.Path), src, parse.Document), nil
}

// Metadata is the text of the metadata of a task folder below the root. It need
// not be JSON. If there is none, the error is fs.ErrNotExist; a symbolic link
// out of the workspace is not followed.
func Metadata(w *workspace.Workspace, dir string) ([]byte, error) {
	return readInside(w, dir+"/"+handoff.MetadataFile)
}

// readInside reads a file below the root, with forward slashes, at most
// MaxSize bytes.
func readInside(w *workspace.Workspace, name string) ([]byte, error) {
	src, err := w.Trusted().ReadFile(w.Root+string(filepath.Separator)+filepath.FromSlash(name), workspace.MaxSize)
	switch {
	case errors.As(err, new(*nofollow.LinkError)):
		return nil, workspace.NotFound(name + ": leads out of the workspace") // the target is not reported: the caller may not see it
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL):
		return nil, workspace.NotFound(name + ": no such file") // also if no file can have that name
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, workspace.Reason(err))
	}
	return src, nil
}
