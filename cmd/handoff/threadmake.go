package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/workspace/threadops"
)

func keyFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "idempotency-key", Destination: to, Usage: "idempotency `KEY`: repeating the request has no further effect"}
}

// actorOptions are who asks for something, and where.
type actorOptions struct{ id, origin string }

func actorFlags(o *actorOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "actor-id", Destination: &o.id, Value: "user", Usage: "who asks: `WHO`"},
		&cli.StringFlag{Name: "origin", Destination: &o.origin, Value: "cli", Usage: "where it was asked: `WHERE`"},
	}
}

// threadHandoffOptions are those of thread handoff besides its request.
type threadHandoffOptions struct {
	files, artifacts []string
	document         alsoDocument
}

// flags are those of thread handoff: besides the fields of its request, references to
// files and artifacts after the summary, and a document.
func (o *threadHandoffOptions) flags(of []cli.Flag) []cli.Flag {
	summary := slices.IndexFunc(of, func(f cli.Flag) bool { return f.Names()[0] == "summary-artifact-id" })
	return flags(of[:summary+1],
		&cli.StringSliceFlag{Name: "file", Action: to(&o.files), Usage: "refer to a file, with a note: `PATH[=NOTE]`; repeat for more"},
		&cli.StringSliceFlag{Name: "artifact", Action: to(&o.artifacts), Usage: "refer to an artifact, with a note: `ARTIFACT[=NOTE]`; repeat for more"},
		of[summary+1:], documentToo(&o.document))
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
func fileRefs(w *process, files []string, t threadStore) (refs []bundle.FileRef, err error) {
	here, local := t.(threadops.Here)
	for _, value := range files {
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

func artifactRefs(k *call, names []string) (refs []bundle.ArtifactRef, err error) {
	for _, value := range names {
		name, note := noted(value)
		id, err := k.artifact(name)
		if err != nil {
			return nil, fmt.Errorf("--artifact: %w", err)
		}
		refs = append(refs, bundle.ArtifactRef{ID: id, Note: note})
	}
	return refs, nil
}

// textOptions are a text, and the file with one; nil is what is not given.
type textOptions struct{ text, file *string }

func (o *textOptions) given() bool { return o.text != nil || o.file != nil }

func contentFlags(o *textOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "content", Action: some(&o.text), Usage: "message `TEXT`"},
		&cli.StringFlag{Name: "content-file", Action: some(&o.file), Usage: "read the message from `FILE`, - for standard input"},
	}
}

// maxContent is the maximum length of a message or a summary in bytes: that of
// one event.
const maxContent = 8 << 20

// contentOf is the text of a message.
func contentOf(w *process, command string, o *textOptions) (string, error) {
	if (o.text != nil) == (o.file != nil) {
		return "", fmt.Errorf("%s needs the message: --content TEXT or --content-file FILE", command)
	}
	text, err := textOf(w, "message", o)
	if err != nil {
		return "", err
	}
	return *text, nil
}

// textOf returns the text, or the content of the file (- is standard input); nil if neither
// is given.
func textOf(w *process, what string, o *textOptions) (*string, error) {
	text := o.text
	if o.file != nil {
		src, _, err := w.read(*o.file, maxContent)
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

func threadHandoff(k *call, o *threadHandoffOptions, t threadStore, id string, r thread.HandoffRequest) error {
	err := o.document.check()
	if err != nil {
		return err
	}
	if r.Refs.Files, err = fileRefs(k.w, o.files, t); err != nil {
		return err
	}
	if r.Refs.Artifacts, err = artifactRefs(k, o.artifacts); err != nil {
		return err
	}
	if o.document.document {
		return threadHandoffDocument(k, &o.document, t, id, r)
	}
	made, err := threadops.Handoff.On(k.Context, t, id, r)
	if err != nil {
		return err
	}
	return printThread(k, made)
}
