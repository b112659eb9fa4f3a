package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/thread"
	"handoff/workspace/threadops"
)

func keyFlag() cli.Flag {
	return &cli.StringFlag{Name: "idempotency-key", Usage: "idempotency `KEY`: repeating the request has no further effect"}
}

func actorFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "actor-id", Value: "user", Usage: "who asks: `WHO`"},
		&cli.StringFlag{Name: "origin", Value: "cli", Usage: "where it was asked: `WHERE`"},
	}
}

// handoffFlags are those of thread handoff: besides the fields of its request, references to
// files and artifacts after the summary, and a document.
func handoffFlags(of []cli.Flag) []cli.Flag {
	summary := slices.IndexFunc(of, func(f cli.Flag) bool { return f.Names()[0] == "summary-artifact-id" })
	return flags(of[:summary+1], refFlags(), of[summary+1:], documentToo())
}

func refFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "file", Usage: "refer to a file, with a note: `PATH[=NOTE]`; repeat for more"},
		&cli.StringSliceFlag{Name: "artifact", Usage: "refer to an artifact, with a note: `ARTIFACT[=NOTE]`; repeat for more"},
	}
}

// noted splits the value of a flag into what it names and a note, nil for none.
func noted(value string) (what string, note *string) {
	what, text, ok := strings.Cut(value, "=")
	if ok {
		note = &text
	}
	return what, note
}

// fileRefs are the files that --file names. For a local workspace, paths are
// relative to the working directory; for a server, to its workspace.
func (w *process) fileRefs(c *cli.Context, t threadStore) (refs []bundle.FileRef, err error) {
	here, local := t.(threadops.Here)
	for _, value := range c.StringSlice("file") {
		name, note := noted(value)
		path := filepath.ToSlash(name)
		if local {
			rel, err := filepath.Rel(here.Workspace(), w.path(name))
			if err != nil {
				return nil, fmt.Errorf("--file %s: %w", name, err)
			}
			path = filepath.ToSlash(rel)
		}
		if !bundle.ValidPath(path) {
			return nil, fmt.Errorf("--file %s: want a file below the workspace", name)
		}
		refs = append(refs, bundle.FileRef{Path: path, Note: note})
	}
	return refs, nil
}

// artifact returns the artifact that an argument names. A server's artifacts are named by
// whole ids: those of this machine are others.
func (w *process) artifact(c *cli.Context, name string) (artifact.ID, error) {
	if c.IsSet("server") {
		return artifact.ParseID(name)
	}
	return w.ws.FindArtifact(name)
}

func (w *process) artifactRefs(c *cli.Context) (refs []bundle.ArtifactRef, err error) {
	for _, value := range c.StringSlice("artifact") {
		name, note := noted(value)
		id, err := w.artifact(c, name)
		if err != nil {
			return nil, fmt.Errorf("--artifact: %w", err)
		}
		refs = append(refs, bundle.ArtifactRef{ID: id, Note: note})
	}
	return refs, nil
}

func contentFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "content", Usage: "message `TEXT`"},
		&cli.StringFlag{Name: "content-file", Usage: "read the message from `FILE`, - for standard input"},
	}
}

// maxContent is the maximum length of a message or a summary in bytes: that of
// one event.
const maxContent = 8 << 20

// content is the text of a message.
func (w *process) content(c *cli.Context) (string, error) {
	if c.IsSet("content") == c.IsSet("content-file") {
		return "", fmt.Errorf("%s needs the message: --content TEXT or --content-file FILE", commandName(c))
	}
	text, err := w.textOf(c, "message", "content", "content-file")
	if err != nil {
		return "", err
	}
	return *text, nil
}

// textOf returns the value of a flag, or the content of the file named by
// another flag (- is standard input); nil if neither is set.
func (w *process) textOf(c *cli.Context, what, flag, fileFlag string) (*string, error) {
	text := optional(c, flag, c.String)
	if c.IsSet(fileFlag) {
		src, _, err := w.read(c.String(fileFlag), maxContent)
		if err != nil && len(src) <= maxContent { // a longer one is reported below
			return nil, err
		}
		text = new(string(src))
	}
	switch {
	case text == nil:
	case len(*text) > maxContent:
		return nil, fmt.Errorf("the %s is longer than %d bytes: store it as an artifact (`handoff artifact put`) and refer to that", what, maxContent)
	case !utf8.ValidString(*text):
		return nil, fmt.Errorf("the %s is not UTF-8", what)
	}
	return text, nil
}

func (w *process) threadHandoff(c *cli.Context, t threadStore, id string, r thread.HandoffRequest) error {
	withDocument, err := asksDocument(c)
	if err != nil {
		return err
	}
	if r.Refs.Files, err = w.fileRefs(c, t); err != nil {
		return err
	}
	if r.Refs.Artifacts, err = w.artifactRefs(c); err != nil {
		return err
	}
	if withDocument {
		return w.threadHandoffDocument(c, t, id, r)
	}
	made, err := threadops.Handoff.On(c.Context, t, id, r)
	if err != nil {
		return err
	}
	return w.printThread(c, made)
}
