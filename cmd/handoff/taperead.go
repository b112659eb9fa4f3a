package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff"
	"handoff/surface/httpapi/client"
	"handoff/tape"
	"handoff/tape/chat"
	"handoff/workspace"
	"handoff/workspace/tapes"
)

// tapeLooks read tapes.
func (w *process) tapeLooks() []tapeSub {
	return []tapeSub{
		{name: "anchors", usage: "list the last anchors, with their states",
			flags: flags(atLeast(0, &cli.IntFlag{Name: "limit", Value: 20, Usage: "the last `N`; 0 for all"})), ask: w.tapeAnchors},
		{name: "read", usage: "print entries of a tape, or what a tape:// URI names", args: "[URI]", most: 2,
			about: "Filters apply in this order: anchors, dates, text, kinds, --limit.\n" +
				"The anchors at the cuts are not printed.",
			flags: flags(windowFlags(), archiveFlag(),
				spanFlags(), &cli.StringFlag{Name: "text", Usage: "only entries that contain `TEXT`, ignoring case"}, kindFlag(),
				&cli.Int64Flag{Name: "from-id", Usage: "start at entry `ID`, or at the first with a larger id"},
				&cli.IntFlag{Name: "limit", Usage: "the first `N`; if negative, all but the last N", DefaultText: "all"},
				&cli.BoolFlag{Name: "follow", Usage: "wait for more at the end, also when the tape is reset"}), do: w.tapeRead, ask: w.readEntries},
		{name: "search", usage: "search for a text, newest first", args: "TEXT", most: 1,
			flags: flags(&cli.BoolFlag{Name: "fuzzy", Usage: "also find misspellings"}, &cli.BoolFlag{Name: "all-tapes", Usage: "search all tapes"},
				kindFlag(), spanFlags(), archiveFlag(), &cli.IntFlag{Name: "limit", Usage: "at most `N` per tape; all if negative", DefaultText: "20"}), ask: w.tapeSearch},
		{name: "context", usage: "print the messages for a model", most: 1,
			about: "By default it starts after the last anchor, with that anchor's state. Token counts are estimates, made without the\nmodel's tokenizer.",
			flags: flags(oneOf(&cli.StringFlag{Name: "for", Value: "openai", Usage: "`FORM`: openai or anthropic"}), windowFlags(), archiveFlag(),
				&cli.BoolFlag{Name: "all", Usage: "all of the tape"},
				&cli.BoolFlag{Name: "no-anchor-state", Usage: "leave out that anchor's state, as Bub does"},
				&cli.BoolFlag{Name: "no-reasoning", Usage: "leave out reasoning, which some servers refuse"},
				&cli.BoolFlag{Name: "contract", Usage: "start with the note on the context's length"},
				atLeast(1, &cli.IntFlag{Name: "context-limit", Value: chat.DefaultLimit, Usage: "context window of the model: `N` tokens"})), ask: w.tapeContext},
		{name: "recover", usage: "show where to resume: last anchor, its state, entries since, unfinished calls", ask: w.tapeRecover},
		{name: "info", usage: "print a tape's counts, last anchor and state", flags: flags(archiveFlag()), ask: w.tapeInfo},
		{name: "list", usage: "list the tapes", all: true, do: w.tapeList,
			askAll: func(c *cli.Context, s *client.Client) error { return w.listTapes(c, s.Tapes) }},
		{name: "lineage", usage: "draw which tape was forked from which", args: "[NAME]", most: 1, all: true, forms: []string{"mermaid", "dot"},
			about: "With NAME, a tape or the session of a fork, it draws only the tree that contains it.", do: w.tapeLineage},
	}
}

func windowFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "last-anchor", Usage: "after the last anchor"},
		&cli.StringFlag{Name: "after-anchor", Usage: "after the last anchor `NAME`, also beyond later anchors"},
		&cli.StringFlag{Name: "between", Usage: "between the last anchor `A` and the first B after it: --between A B"},
	}
}

func spanFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "since", Usage: "since `DATE`: 2026-02-12, or with a time"},
		&cli.StringFlag{Name: "until", Usage: "until `DATE`, including that day"},
	}
}

func kindFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "kind", Usage: "only `KIND`: message, tool_call, tool_result, anchor, event, system, error; may be repeated"}
}

func archiveFlag() cli.Flag {
	return &cli.StringFlag{Name: "archive", Usage: "read the archived tape at `PATH`, as printed by reset and merge"}
}

// tapeNamedBy is the name of the tape that ref names: its name, or the beginning of it. Only
// for what neither creates nor deletes a tape: there a name must be whole.
func tapeNamedBy(t *tapes.Tapes, ref string) (string, error) {
	if t.Home != nil || ref == "" {
		return ref, nil
	}
	name, err := handoff.FindTitle(ref, "tape", t.Titled())
	return cmp.Or(name, ref), err
}

// readable is the tape to read: that of a URI, if there is one.
func (w *process) readable(c *cli.Context, t *tapes.Tapes, ref *tape.Ref) (*tapes.Tape, error) {
	if ref != nil {
		if c.IsSet("tape") || c.IsSet("archive") || t.Home != nil {
			return nil, errors.New("the URI names the tape: leave out --tape, --archive and --bub")
		}
		one, err := t.Store.Named(*ref)
		if err == nil {
			err = w.sayMissing(c, one)
		}
		return t.Of(one), err
	}
	if c.Bool("all-tapes") { // any tape of the store works
		one, err := t.Store.Tape(tape.Main)
		return t.Of(one), err
	}
	if !c.IsSet("archive") {
		name, err := tapeNamedBy(t, c.String("tape"))
		if err != nil {
			return nil, err
		}
		one, err := t.Tape(name)
		if err == nil {
			err = w.sayMissing(c, one.Tape)
		}
		return one, err
	}
	if c.IsSet("tape") || t.Home != nil {
		return nil, errors.New("--archive names the tape: leave out --tape and --bub")
	}
	one, err := t.Store.OpenArchive(strings.TrimPrefix(c.String("archive"), workspace.StateDir+"/"))
	if err != nil {
		return nil, err
	}
	if there, err := one.Exists(); err != nil || !there {
		return nil, errors.Join(err, fmt.Errorf("--archive %s: no such file", c.String("archive")))
	}
	return t.Of(one), nil
}

func (w *process) tapeAnchors(c *cli.Context, one oneTape) error {
	anchors, err := one.Anchors(c.Context, c.Int("limit"))
	return printEach(w, c, anchors, err, anchorText)
}

// tapeRead reads the tape or entry that a URI names, or a tape.
func (w *process) tapeRead(c *cli.Context, t *tapes.Tapes) error {
	ref, err := uriArgument(c)
	if err == nil && ref != nil && (ref.Entry != nil || ref.Anchor != nil) {
		return w.tapeReadRef(c, t, *ref)
	}
	if err != nil {
		return err
	}
	one, err := w.readable(c, t, ref)
	if err != nil {
		return err
	}
	return w.readEntries(c, one)
}

func (w *process) readEntries(c *cli.Context, one oneTape) error {
	ref, err := uriArgument(c)
	if err == nil && ref != nil && c.IsSet("server") {
		err = errors.New("a URI is read from the local workspace: leave out --server, or name the tape (--tape NAME --from-id ID --limit 1)")
	}
	if err != nil {
		return err
	}
	q := tape.Query{From: c.String("since"), To: c.String("until"), Text: c.String("text"), Kinds: c.StringSlice("kind")}
	q.Limit = optional(c, "limit", c.Int)
	q.FromID = optional(c, "from-id", c.Int64)
	if q.Window, _, err = windowFlag(c); err != nil {
		return err
	}
	entries := one.Query(c.Context, q)
	if c.Bool("follow") {
		if entries, err = w.tapeFollow(c, one, q); err != nil {
			return err
		}
	}
	return w.printEntries(c, entries)
}

// tapeFollow iterates over the existing and future entries of a tape, until it is
// interrupted.
func (w *process) tapeFollow(c *cli.Context, one oneTape, q tape.Query) (iter.Seq2[tape.Entry, error], error) {
	switch {
	case c.IsSet("between"):
		return nil, errors.New("--follow cannot be combined with --between, which has an end: use --after-anchor NAME")
	case c.IsSet("archive"):
		return nil, errors.New("--follow cannot be combined with --archive: nothing is added to an archived tape")
	case c.Int("limit") < 0:
		return nil, fmt.Errorf("--follow cannot be combined with --limit %d: the last entries are not known yet", c.Int("limit"))
	}
	anew := func() { w.say("tape %s was reset: ids start at 1 again", plain(one.Name())) }
	return one.Follow(c.Context, tape.FollowRequest{Query: q, Reset: anew}), nil
}

// uriArgument is the URI among the arguments, nil without one.
func uriArgument(c *cli.Context) (*tape.Ref, error) {
	if c.IsSet("between") || c.NArg() == 0 {
		return nil, nil
	}
	if c.NArg() > 1 || !strings.Contains(c.Args().First(), "://") {
		return nil, fmt.Errorf("unexpected argument %q: want a tape:// URI, or --tape NAME", c.Args().Get(c.NArg()-1))
	}
	ref, err := tape.ParseRef(c.Args().First())
	return &ref, err
}

// tapeReadRef prints the one entry that a URI names.
func (w *process) tapeReadRef(c *cli.Context, t *tapes.Tapes, ref tape.Ref) error {
	for _, flag := range c.LocalFlagNames() {
		if flag != "C" && flag != "json" && flag != "format" {
			return fmt.Errorf("--%s: a URI names one entry, so there is nothing to choose", flag)
		}
	}
	e, err := t.Store.Resolve(ref)
	return w.printEntries(c, sequence(err, e))
}

func (w *process) tapeSearch(c *cli.Context, one oneTape) error {
	text, err := oneArgument(c, "what to look for")
	if err != nil {
		return err
	}
	s := tape.Search{Text: text, Fuzzy: c.Bool("fuzzy"), Kinds: c.StringSlice("kind"), From: c.String("since"), To: c.String("until"), Limit: c.Int("limit")}
	if c.IsSet("limit") && s.Limit == 0 {
		return errors.New("--limit 0: want 1 or more, or -1 for all")
	}
	if c.Bool("all-tapes") && (c.IsSet("tape") || c.IsSet("archive") || c.IsSet("bub")) {
		return errors.New("--all-tapes searches the workspace's tapes: leave out --tape, --archive and --bub")
	}
	hits, err := one.Search(c.Context, s, c.Bool("all-tapes"))
	return printEach(w, c, hits, err, func(h tapes.Hit) string { return h.Tape + " " + entryText(h.Entry, 0) })
}

func (w *process) tapeRecover(c *cli.Context, one oneTape) error {
	r, err := one.Recover(c.Context)
	return w.tapePrint(c, r, w.forModel(recoveryText(r, width(w.stdout, 0))), err)
}

func (w *process) tapeInfo(c *cli.Context, one oneTape) error {
	info, err := one.Info(c.Context)
	text := tapes.InfoText(info, "-")
	if info.Passed > 0 {
		text += fmt.Sprintf("\nunreadable_lines: %d", info.Passed)
	}
	if info.Owner != nil {
		text += "\nowner: " + *info.Owner
	}
	if info.URI != "" {
		text += "\nuri: " + info.URI
	}
	return w.tapePrint(c, info, text, err)
}
