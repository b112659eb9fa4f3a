package threads

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"handoff/document/handoff"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	conversion "handoff/workspace/convert"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
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
	threads, files, artifacts []string
	document                  operations.AlsoDocument
}

// flags are those of thread handoff: besides the fields of its request, references to
// files and artifacts after the summary, and a document.
func (o *threadHandoffOptions) flags(of []cli.Flag) []cli.Flag {
	summary := slices.IndexFunc(of, func(f cli.Flag) bool { return f.Names()[0] == "summary-artifact-id" })
	return command.Flags(of[:summary+1],
		otherThreadFlag(&o.threads),
		&cli.StringSliceFlag{Name: "file", Action: command.To(&o.files), Usage: "`PATH[=NOTE]`  a file to refer to, with a note; repeat for more"},
		&cli.StringSliceFlag{Name: "artifact", Action: command.To(&o.artifacts), Usage: "`ARTIFACT[=NOTE]`  an artifact to refer to, with a note; repeat for more"},
		of[summary+1:], operations.DocumentToo(&o.document))
}

func otherThreadFlag(to *[]string) cli.Flag {
	return &cli.StringSliceFlag{Name: "thread", Action: command.To(to), Usage: "`THREAD[@EVENT][=NOTE]`  another thread to refer to, up to an event or its last one, with a note; repeat for more"}
}

// messageOptions are those of thread post-message besides its request.
type messageOptions struct{ threads []string }

func (o *messageOptions) flags(of []cli.Flag) []cli.Flag {
	return command.Flags(of, otherThreadFlag(&o.threads))
}

func (o *messageOptions) post(k *operations.Call, t threadStore, id string, r thread.MessageRequest) (err error) {
	if r.Refs.Threads, err = threadRefs(k, o.threads, t); err != nil {
		return err
	}
	posted, err := threadops.PostMessage.On(k, t, id, r)
	if err != nil {
		return err
	}
	return printThread(k, posted)
}

// reference refers to a thread that may have a short name.
func reference(k *operations.Call, t threadStore, id string, r threads.ReferenceRequest) (err error) {
	if r.To == "" {
		return errors.New("thread reference needs the other thread, too (`handoff thread list` lists them)")
	}
	if r.To, err = t.Find(k, r.To); err != nil {
		return err
	}
	made, err := threadops.Reference.On(k, t, id, r)
	if err != nil {
		return err
	}
	return printThread(k, made)
}

// threadRefs are the threads that --thread names, each up to an event or its last one.
func threadRefs(k *operations.Call, values []string, t threadStore) (refs []bundle.ThreadRef, err error) {
	for _, value := range values {
		name, note := noted(value)
		name, event, cut := strings.Cut(name, "@")
		ref := bundle.ThreadRef{Note: note}
		if ref.ThreadID, err = t.Find(k, name); err != nil {
			return nil, fmt.Errorf("--thread %s: %w", value, err)
		}
		if cut {
			ref.Seq, err = strconv.ParseUint(event, 10, 64)
		} else {
			ref.Seq, err = lastEvent(k, t, ref.ThreadID)
		}
		if err != nil {
			return nil, fmt.Errorf("--thread %s: want THREAD@EVENT, the number of an event of it: %w", value, err)
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// lastEvent is the number of the last event of a thread. A server reports it with a context only.
func lastEvent(k *operations.Call, t threadStore, id string) (uint64, error) {
	if here, ok := t.(threadops.Here); ok {
		return here.HeadFrom(id, math.MaxUint64)
	}
	x, err := t.Compile(k, id, threads.CompileRequest{Base: new(false), Store: new(false), Incomplete: true})
	return x.Bundle.Source.FromSeq, err
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
	if r.Refs.Threads, err = threadRefs(k, o.threads, t); err != nil {
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
