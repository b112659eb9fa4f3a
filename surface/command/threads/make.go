package threads

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	conversion "handoff/workspace/convert"
	"handoff/workspace/threadops"
)

// actorOptions are who asks for something, and where.
type actorOptions struct{ id, origin string }

func actorFlags(o *actorOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "actor-id", Destination: &o.id, Value: "user", Usage: "`WHO`  who asks"},
		&cli.StringFlag{Name: "origin", Destination: &o.origin, Value: "cli", Usage: "`WHERE`  where it was asked"},
	}
}

// threadHandoffOptions are those of thread handoff besides its request.
type threadHandoffOptions struct {
	files, artifacts []string
	document         operations.AlsoDocument
}

// flags are those of thread handoff: besides the fields of its request, references to
// files and artifacts after the summary, and a document.
func (o *threadHandoffOptions) flags(of []cli.Flag) []cli.Flag {
	summary := slices.IndexFunc(of, func(f cli.Flag) bool { return f.Names()[0] == "summary-artifact-id" })
	return command.Flags(of[:summary+1],
		&cli.StringSliceFlag{Name: "file", Action: command.To(&o.files), Usage: "`PATH[=NOTE]`  a file to refer to, with a note; repeat for more"},
		&cli.StringSliceFlag{Name: "artifact", Action: command.To(&o.artifacts), Usage: "`ARTIFACT[=NOTE]`  an artifact to refer to, with a note; repeat for more"},
		of[summary+1:], operations.DocumentToo(&o.document))
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
func fileRefs(w *command.Process, files []string, t threadStore) (refs []bundle.FileRef, err error) {
	here, local := t.(threadops.Here)
	for _, value := range files {
		name, note := noted(value)
		path := filepath.ToSlash(name)
		if local {
			rel, err := filepath.Rel(here.Workspace(), w.Path(name))
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

func artifactRefs(k *operations.Call, names []string) (refs []bundle.ArtifactRef, err error) {
	for _, value := range names {
		name, note := noted(value)
		id, err := k.Artifact(name)
		if err != nil {
			return nil, fmt.Errorf("--artifact: %w", err)
		}
		refs = append(refs, bundle.ArtifactRef{ID: id, Note: note})
	}
	return refs, nil
}

func threadHandoff(k *operations.Call, o *threadHandoffOptions, t threadStore, id string, r thread.HandoffRequest) error {
	err := o.document.Check()
	if err != nil {
		return err
	}
	if r.Refs.Files, err = fileRefs(k.W, o.files, t); err != nil {
		return err
	}
	if r.Refs.Artifacts, err = artifactRefs(k, o.artifacts); err != nil {
		return err
	}
	if o.document.Document {
		return threadHandoffDocument(k, &o.document, t, id, r)
	}
	made, err := threadops.Handoff.On(k.Context, t, id, r)
	if err != nil {
		return err
	}
	return printThread(k, made)
}

// threadHandoffDocument makes a handoff of a thread and writes the task's
// document.
func threadHandoffDocument(k *operations.Call, o *operations.AlsoDocument, t threadStore, id string, r thread.HandoffRequest) error {
	local, ok := t.(threadops.Here)
	if !ok {
		return errors.New("--document writes here, not on a server: leave out --server or --document")
	}
	ws, document, err := operations.DocumentHere(k, k.W, o)
	if err != nil {
		return err
	}
	made, doc, err := conversion.HandOffThread(k, ws, local.Threads, id, r, document)
	if err == nil || doc.Path != "" {
		operations.DocumentWritten(k, k.W, ws, doc)
	}
	if err != nil {
		return operations.ConvertError(k, err, func(doc *handoff.Document, l handoff.Lines) string {
			return operations.SectionAt(doc, l, "the summary")
		})
	}
	if made.Existed {
		k.W.Say("the thread already existed: no document is written")
	}
	return printThread(k, made)
}
