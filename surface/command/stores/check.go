// Package stores has the command store: it checks, copies and drains the store of a workspace.
package stores

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"handoff/internal/text/say"
	"handoff/log/engine"
	"handoff/log/engine/copy"
	"handoff/log/engine/open"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/outbox"
)

// storeCheckOptions are the options of store check.
type storeCheckOptions struct {
	timeout time.Duration
	json    bool
}

func storeCheckCommand(w *command.Process) *cli.Command {
	o := new(storeCheckOptions)
	return &cli.Command{
		Name: "check", Usage: "show which store is authoritative, and compare the copy with it",
		Description: "It compares the number of records and the last common record of each log, and the ids of artifacts.\n" +
			"Exit status: 0 if the copy is an earlier state of the store, or the files are the store; 1 if the copy has something\n" +
			"that the store does not have, or the store warns; 2 if the store cannot be reached.",
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "timeout", Destination: &o.timeout, Value: 15 * time.Second, Usage: "`TIME`  how long to wait for the store, e.g. 5s"},
			cli.JSON(&o.json, "print JSON", cli.Published("store-check")),
		},
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return storeCheck(c.Context, w, o, ws) })),
	}
}

// storeChecked is what store check --json prints: see docs/schema/store-check.schema.json.
type storeChecked struct {
	Store     string        `json:"store"`     // the address of the authoritative store
	Copy      *string       `json:"copy"`      // what is a copy of it; null if the files are the store
	Scope     string        `json:"scope"`     // what the store has: all, or receipts
	Reachable bool          `json:"reachable"` // it answered
	Problem   string        `json:"problem"`   // why not, "" if it did
	Queued    int           `json:"queued"`    // requests that wait for the store
	Outbox    storeOutbox   `json:"outbox"`    // where they wait
	Facts     []engine.Fact `json:"facts"`     // what the store reports about itself
	Compared  *copy.Status  `json:"compared"`  // null if there is no copy, or no answer
}

// storeOutbox is what waits in the outbox, and how much fits in.
type storeOutbox struct {
	outbox.Size
	MaxRequests int `json:"max_requests"`
	MaxBytes    int `json:"max_bytes"`
	Refused     int `json:"refused"` // requests that the store refused, and that are kept
}

func outboxOf(box *outbox.Box) (o storeOutbox, err error) {
	o.MaxRequests, o.MaxBytes = outbox.MaxRequests, outbox.MaxBytes
	if o.Size, err = box.Size(); err != nil {
		return o, err
	}
	refused, err := box.Refused()
	o.Refused = len(refused)
	return o, err
}

func storeCheck(ctx context.Context, w *command.Process, o *storeCheckOptions, ws *workspace.Workspace) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	r := storeChecked{Store: ws.Config.Store.String(), Scope: "all", Reachable: true, Facts: []engine.Fact{}}
	if prefixFor(ws.Config.Store) != "" {
		r.Scope = "receipts"
	}
	box, err := ws.Outbox()
	if err == nil {
		r.Outbox, err = outboxOf(box)
	}
	if err != nil {
		return err
	}
	r.Queued = r.Outbox.Requests
	if !ws.Config.Store.IsFiles() {
		text := "files"
		r.Copy = &text
		if err = askStore(ctx, w, ws, &r); err != nil {
			r.Reachable, r.Problem = false, err.Error()
		}
	}
	if printErr := w.Answer(o.json, r, r.text()); printErr != nil {
		return printErr
	}
	return cmp.Or(err, command.Found(r.warns()))
}

// askStore fills in what the store answers.
func askStore(ctx context.Context, w *command.Process, ws *workspace.Workspace, r *storeChecked) error {
	if err := ws.MayAct(); err != nil {
		return err
	}
	store, err := command.StoreAt(ctx, w, ws.Root, ws.Config.Store, false)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := ofProject(ctx, ws, store); err != nil {
		return err
	}
	if d, ok := store.(engine.Describer); ok {
		if r.Facts, err = d.Describe(ctx); err != nil {
			return err
		}
	}
	files, err := open.Files(open.Options{Root: ws.Root})
	if err != nil {
		return err
	}
	defer files.Close()
	compared, err := command.During(w, "comparing", func() (copy.Status, error) {
		return copy.Compare(ctx, store, files, prefixFor(ws.Config.Store))
	})
	if err == nil {
		r.Compared = &compared
	}
	return err
}

// warns reports whether something is wrong that the store or the comparison shows.
func (r storeChecked) warns() bool {
	for _, f := range r.Facts {
		if f.Warning != "" {
			return true
		}
	}
	return r.Compared != nil && !r.Compared.Clean()
}

func (o storeOutbox) text() (text string) {
	if o.Requests > 0 {
		text = fmt.Sprintf("queued    %s of at most %s, %s of at most %d MiB (`handoff store drain` sends what waits)\n",
			say.Count(o.Requests, "request"), say.Number(o.MaxRequests), say.Count(o.Bytes, "byte"), o.MaxBytes>>20)
	}
	if o.Refused > 0 {
		text += fmt.Sprintf("refused   %s of the outbox (`handoff store drain --dry-run` lists what was refused, --forget forgets it)\n", say.Count(o.Refused, "request"))
	}
	return text
}

func (r storeChecked) text() string {
	var b strings.Builder
	what := map[string]string{"all": "threads, tapes, receipts and artifacts", "receipts": "receipts"}[r.Scope]
	fmt.Fprintf(&b, "store     %s, authoritative for %s\n", r.Store, what)
	switch {
	case r.Copy == nil:
		b.WriteString("copy      none\n" + r.Outbox.text())
		return b.String()
	case r.Scope == "receipts":
		b.WriteString("copy      the files of the receipts; threads, tapes and artifacts are only in the workspace\n")
	default:
		b.WriteString("copy      the files of this workspace\n")
	}
	for _, f := range r.Facts {
		fmt.Fprintf(&b, "%-9s %s\n", command.Plain(f.Name), command.Plain(f.Value))
		if f.Warning != "" {
			fmt.Fprintf(&b, "          warning: %s\n", command.Plain(f.Warning))
		}
	}
	if !r.Reachable {
		b.WriteString("reachable no\n")
	}
	b.WriteString(r.Outbox.text())
	if s := r.Compared; s != nil {
		b.WriteString("reachable yes\n")
		compared(&b, *s, r)
	}
	return b.String()
}

// manyLogs is how many logs a list names.
const manyLogs = 10

func compared(b *strings.Builder, s copy.Status, r storeChecked) {
	fmt.Fprintf(b, "has       %s in %s", say.Count(s.Records, "record"), say.Count(s.Logs, "log"))
	if r.Scope == "all" {
		fmt.Fprintf(b, ", %s", say.Count(s.Artifacts, "artifact"))
	}
	b.WriteString("\nbehind    ")
	switch {
	case len(s.Behind)+s.ArtifactsMissing == 0:
		b.WriteString("nothing: the copy is complete\n")
	default:
		fmt.Fprintf(b, "%s in %s, %s (fetched when they are read)\n", say.Count(s.Lacks(), "record"), say.Count(len(s.Behind), "log"), say.Count(s.ArtifactsMissing, "artifact"))
	}
	list := func(name, problem string, logs []copy.Log) {
		for i, l := range logs {
			if i == manyLogs {
				fmt.Fprintf(b, "          and %d more (--json lists them)\n", len(logs)-i)
				return
			}
			fmt.Fprintf(b, "%-9s %s: %s: %d in the copy, %d in the store\n", name, command.Plain(l.Log), problem, l.Copy, l.Store)
		}
	}
	list("ahead", "the copy has records that the store does not have", s.Ahead)
	list("differs", "the copy has another record than the store", s.Differing)
	for _, why := range s.Foreign {
		fmt.Fprintf(b, "foreign   %s\n", command.Plain(why))
	}
	if n := len(s.ArtifactsAhead); n > 0 {
		fmt.Fprintf(b, "ahead     %s only in the copy (`handoff store copy files %s` copies them)\n", say.Count(n, "artifact"), r.Store)
	}
}

// Store is the command `handoff store`.
func Store(w *command.Process) *cli.Command {
	return &cli.Command{
		Name:  "store",
		Usage: "check or copy the store of threads, tapes, receipts and artifacts",
		Description: "The key store in .handoff.yaml names the store: files (default), git:REMOTE or nats://HOST:PORT/STREAM.\n" +
			"With git or JetStream the files in the workspace are a copy.",
		Subcommands: []*cli.Command{storeCheckCommand(w), storeCopyCommand(w), storeDrainCommand(w)},
	}
}

// receiptsOnly is the prefix of the logs that a git remote stores.
const receiptsOnly = "receipts/"

// prefixFor is the prefix of the logs that all of the stores have.
func prefixFor(stores ...engine.Address) string {
	for _, a := range stores {
		if a.Remote != "" {
			return receiptsOnly
		}
	}
	return ""
}
