// Package artifacts has the commands of content by its hash: artifact and bundle.
package artifacts

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/log/artifact"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
)

// artifactOptions are the options of put, get and ls; each has some of them.
type artifactOptions struct {
	offset        int64
	max           *int64
	file          string
	damaged, json bool
}

// Artifact is the command `handoff json`.
func Artifact(w *command.Process) *cli.Command {
	o := new(artifactOptions)
	return &cli.Command{
		Name:  "artifact",
		Usage: "store immutable blobs named by their SHA-256",
		Subcommands: []*cli.Command{
			{
				Name: "put", Usage: "store a file or standard input and print its id",
				UsageText: "handoff artifact put [FILE|-] [flags]",
				Flags:     []cli.Flag{cli.JSON(&o.json, "print JSON", cli.Prints[putJSON]("artifact-put"))},
				Action:    w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return artifactPut(w, o, ws, command.ArgsOf(c)) }),
			},
			{
				Name: "get", Usage: "print an artifact, or a part of it",
				UsageText: "handoff artifact get ARTIFACT [flags]\n\nARTIFACT is the id of an artifact, or the beginning of it. A damaged artifact is refused: --damaged prints what is left of it, and exits with 1.",
				Flags: []cli.Flag{
					&cli.Int64Flag{Name: "offset", Destination: &o.offset, Usage: "`N`  byte to start at"},
					&cli.Int64Flag{Name: "max", Action: command.Some(&o.max), Usage: "`N`  most bytes to print", DefaultText: "all"},
					&cli.BoolFlag{Name: "damaged", Destination: &o.damaged, Usage: "print it even if it is damaged"},
					&cli.StringFlag{Name: "o", Destination: &o.file, Usage: "`FILE`  file to write to"},
				},
				Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
					return artifactGet(c.Context, w, o, ws, command.ArgsOf(c))
				}),
			},
			{
				Name: "ls", Usage: "list the artifacts",
				Flags:  []cli.Flag{cli.JSON(&o.json, "print JSON", cli.Prints[[]artifact.Info]("artifact-ls"))},
				Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return artifactLs(w, o, ws) })),
			},
			{
				Name: "verify", Usage: "compare artifacts with their ids",
				UsageText: "handoff artifact verify [ARTIFACT …] [flags]\n\nARTIFACT is the id of an artifact, or the beginning of it. Without an id, it checks all artifacts.",
				Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
					return artifactVerify(c.Context, w, ws, command.ArgsOf(c))
				}),
			},
			artifactGCCommand(w), artifactFetchCommand(w), artifactSchemaCommand(w),
		},
	}
}

func artifactPut(w *command.Process, o *artifactOptions, ws *workspace.Workspace, args command.Arguments) error {
	name := "-"
	if len(args) > 0 {
		var err error
		if name, err = args.Only("artifact put", "one file, or - for standard input"); err != nil {
			return err
		}
	}
	in, shown, err := w.Opened(name)
	if err != nil {
		return err
	}
	defer in.Close()
	id, size, outcome, err := ws.PutArtifact(in, artifact.ID{})
	if _, named := errors.AsType[*fs.PathError](err); named { // the file that cannot be read, or that of the store
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	if outcome == artifact.Healed {
		w.Say("%s was damaged and has been restored", id)
	}
	return w.Answer(o.json, putJSON{id, size, outcome.String()}, id.String()+"\n")
}

// putJSON is what artifact put --json prints.
type putJSON struct {
	ID      artifact.ID `json:"id"`
	Size    int64       `json:"size"`
	Outcome string      `json:"outcome" enum:"created,kept,healed"`
}

func artifactGet(ctx context.Context, w *command.Process, o *artifactOptions, ws *workspace.Workspace, args command.Arguments) error {
	arg, err := args.Only("artifact get", "one id (`handoff artifact ls` lists them)")
	if err != nil {
		return err
	}
	id, err := ws.FindArtifact(arg)
	if err != nil {
		return err
	}
	offset, n := o.offset, int64(-1)
	if o.max != nil {
		n = *o.max
	}
	if offset < 0 || o.max != nil && n < 0 {
		return errors.New("--offset and --max must be 0 or more")
	}
	read := func(out io.Writer) error { return ws.ReadArtifact(ctx, out, id, offset, n) }
	var damage *artifact.DamagedError
	if o.damaged {
		read = func(out io.Writer) error {
			err := ws.SalvageArtifact(ctx, out, id, offset, n)
			if errors.As(err, &damage) {
				err = nil
			}
			return err
		}
	}
	err = artifactTo(w, o.file, read)
	if err == nil && damage != nil {
		w.Complain(damage)
		err = command.Exit(1)
	}
	return err
}

// artifactTo writes to a file, or to standard output if name is "".
func artifactTo(w *command.Process, name string, read func(io.Writer) error) error {
	if name != "" {
		return artifactFile(w, name, read)
	}
	out := w.Out()
	return errors.Join(read(out), out.Flush())
}

// artifactFile writes an artifact to a file atomically: a failure leaves no
// partial file.
func artifactFile(w *command.Process, name string, read func(io.Writer) error) error {
	f, err := atomicfile.Begin(nofollow.Named, w.Path(name), 0o644)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	out := bufio.NewWriter(f)
	err = read(out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

func artifactLs(w *command.Process, o *artifactOptions, ws *workspace.Workspace) error {
	store, err := ws.Artifacts()
	if err != nil {
		return err
	}
	defer store.Close()
	rows, odd := []artifact.Info{}, 0
	for info, err := range store.List() {
		if err != nil {
			w.Complain(err)
			odd++
			continue
		}
		info.Modified = info.Modified.UTC().Truncate(time.Second)
		rows = append(rows, info)
	}
	var text strings.Builder
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.ID.String())
	}
	short := handoff.ShortIDs(ids)
	for _, r := range rows {
		fmt.Fprintf(&text, "%s  %10d  %s\n", short[r.ID.String()], r.Size, r.Modified.Format(time.RFC3339))
	}
	return cmp.Or(w.Answer(o.json, rows, text.String()), command.Found(odd > 0))
}

// shortArtifacts are the short ids of all artifacts; none if they cannot be listed.
func shortArtifacts(ws *workspace.Workspace) map[string]string {
	store, err := ws.Artifacts()
	if err != nil {
		return nil
	}
	defer store.Close()
	all, _ := store.IDs()
	return handoff.ShortIDs(all)
}

func artifactVerify(ctx context.Context, w *command.Process, ws *workspace.Workspace, args command.Arguments) error {
	var ids []artifact.ID
	for _, arg := range args {
		id, err := ws.FindArtifact(arg)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	all, bad, foreign := 0, 0, 0
	err := ws.VerifyArtifacts(ctx, ids, func(a workspace.CheckedArtifact) error {
		all++
		switch {
		case errors.Is(a.Err, artifact.ErrNotHashed):
			foreign++
		case a.Err != nil:
			bad++
			return w.Print(command.Plain(a.Err.Error()) + "\n")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if foreign > 0 {
		w.Say("%s with an id made up by RIP, which is not a hash: cannot be checked", command.Plural(foreign, "artifact"))
	}
	if bad > 0 {
		w.Say("%d of %s failed the check", bad, command.Plural(all, "artifact"))
	}
	return command.Found(bad > 0)
}
