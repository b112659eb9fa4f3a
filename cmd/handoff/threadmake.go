package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/thread"
	"handoff/workspace/threadops"
)

// threadMakers create threads and write to them.
func (w *process) threadMakers() []threadSub {
	return []threadSub{
		{name: "create", usage: "create a thread", writes: true,
			flags: flags(titleFlag(), keyFlag()), do: threadCreate},
		{name: "ensure", usage: "print the workspace's default thread, creating it if needed", writes: true,
			do: func(c *cli.Context, t threadStore, _ string) (any, error) {
				info, err := t.Ensure(c.Context)
				return threadID{info.ThreadID}, err
			}},
		{name: "post-message", usage: "append a message", args: "THREAD --content TEXT", most: 1, writes: true,
			flags: flags(contentFlags(), actorFlags()), do: w.threadPost},
		{name: "branch", usage: "create a thread that continues from a cut, with everything before it", args: "THREAD", most: 1, writes: true,
			flags: flags(titleFlag(), cutFlags(), actorFlags(), keyFlag()), do: threadBranch},
		{name: "handoff", usage: "create a thread that starts from a summary of another", args: "THREAD --summary-markdown TEXT", most: 1, writes: true,
			flags: flags(titleFlag(), summaryFlags("that the successor must know", "an existing handoff bundle with it"), refFlags(), cutFlags(), actorFlags(), keyFlag(), documentToo()), do: w.threadHandoff},
		w.operation(threadops.Archive, nil),
		w.operation(threadops.Unarchive, nil),
		w.operation(threadops.Rename, nil),
	}
}

func titleFlag() cli.Flag { return &cli.StringFlag{Name: "title", Usage: "title `TEXT`"} }

func keyFlag() cli.Flag {
	return &cli.StringFlag{Name: "idempotency-key", Usage: "idempotency `KEY`: repeating the request has no further effect"}
}

func actorFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "actor-id", Value: "user", Usage: "who asks: `WHO`"},
		&cli.StringFlag{Name: "origin", Value: "cli", Usage: "where it was asked: `WHERE`"},
	}
}

func cutFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from-message-id", Usage: "cut after message `ID` and its runs"},
		&cli.Uint64Flag{Name: "from-seq", Usage: "cut after event `N`", DefaultText: "the last"},
	}
}

func summaryFlags(what, artifact string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "summary-markdown", Usage: "`TEXT` " + what},
		&cli.StringFlag{Name: "summary-file", Usage: "read the message from `FILE`, - for standard input"},
		&cli.StringFlag{Name: "summary-artifact-id", Usage: "`ARTIFACT`, the id or its beginning, of " + artifact},
	}
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

// artifactOf is the whole id of the artifact that a flag names, nil without the flag.
func (w *process) artifactOf(c *cli.Context, flag string) (*string, error) {
	if !c.IsSet(flag) {
		return nil, nil
	}
	id, err := w.artifact(c, c.String(flag))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return new(id.String()), nil
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

// threadID is the result of ensure: RIP reports no more than that.
type threadID struct {
	ThreadID string `json:"thread_id"`
}

func threadCreate(c *cli.Context, t threadStore, _ string) (any, error) {
	info, _, err := t.Create(c.Context, thread.CreateRequest{Title: optional(c, "title", c.String), Key: c.String("idempotency-key")})
	return info, err
}

func (w *process) threadPost(c *cli.Context, t threadStore, id string) (any, error) {
	content, err := w.content(c)
	if err != nil {
		return nil, err
	}
	p, err := t.Post(c.Context, id, thread.MessageRequest{Content: content, ActorID: c.String("actor-id"), Origin: c.String("origin")})
	if err == nil && p.Queued {
		w.sayQueued("message "+p.MessageID, p.Waits)
	}
	return p, err
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

// summary is the text of a summary, nil for none.
func (w *process) summary(c *cli.Context) (*string, error) {
	if c.IsSet("summary-markdown") && c.IsSet("summary-file") {
		return nil, fmt.Errorf("%s takes one summary: --summary-markdown TEXT or --summary-file FILE", commandName(c))
	}
	return w.textOf(c, "summary", "summary-markdown", "summary-file")
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

func threadBranch(c *cli.Context, t threadStore, id string) (any, error) {
	return t.Branch(c.Context, id, thread.BranchRequest{
		Title: optional(c, "title", c.String), FromMessageID: optional(c, "from-message-id", c.String), FromSeq: optional(c, "from-seq", c.Uint64),
		ActorID: c.String("actor-id"), Origin: c.String("origin"), Key: c.String("idempotency-key"),
	})
}

func (w *process) threadHandoff(c *cli.Context, t threadStore, id string) (any, error) {
	withDocument, err := asksDocument(c)
	if err != nil {
		return nil, err
	}
	markdown, err := w.summary(c)
	if err != nil {
		return nil, err
	}
	summary, err := w.artifactOf(c, "summary-artifact-id")
	if err != nil {
		return nil, err
	}
	r := thread.HandoffRequest{
		Title: optional(c, "title", c.String), SummaryMarkdown: markdown, SummaryArtifactID: summary,
		FromMessageID: optional(c, "from-message-id", c.String), FromSeq: optional(c, "from-seq", c.Uint64),
		ActorID: c.String("actor-id"), Origin: c.String("origin"), Key: c.String("idempotency-key"),
	}
	if r.Refs.Files, err = w.fileRefs(c, t); err != nil {
		return nil, err
	}
	if r.Refs.Artifacts, err = w.artifactRefs(c); err != nil {
		return nil, err
	}
	if withDocument {
		return w.threadHandoffDocument(c, t, id, r)
	}
	return t.Handoff(c.Context, id, r)
}
