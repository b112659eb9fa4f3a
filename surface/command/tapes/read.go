package tapes

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"handoff/internal/text/tree"
	"handoff/log/tape"
	"handoff/log/tape/bub"
	"handoff/surface/command"
	"handoff/surface/command/operations"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// printTape prints the result of an operation at a tape.
func printTape(k *operations.Call, v any) error {
	switch v := v.(type) {
	case []tape.Anchor:
		return printEach(k, v, anchorText)
	case []tapeops.Archive:
		return printEach(k, v, func(a tapeops.Archive) string { return a.Path })
	case []tapes.Hit:
		return printEach(k, v, func(h tapes.Hit) string { return h.Tape + " " + entryText(h.Entry, 0) })
	case tape.Recovery:
		return tapePrint(k, v, forModel(k.W, recoveryText(v, command.Width(k.W.Stdout, 0))))
	case tape.Info:
		return tapePrint(k, v, infoOfTape(v))
	case tape.ForkResult:
		return tapePrint(k, v, v.Tape)
	case tape.MergeResult:
		done := "discarded " + command.Plural(v.Entries, "entry")
		if k.About.Name == tapeops.Merge.Name {
			done = fmt.Sprintf("merged %s into %s", command.Plural(v.Entries, "entry"), v.Parent)
		}
		if v.Notified {
			done += "\nnotified: " + v.Parent
		}
		return tapePrint(k, v, done+"\narchived: "+v.Archived)
	case tapes.Created:
		if v.Existed {
			return tapePrint(k, v, "it already exists")
		}
		return tapePrint(k, v, "created")
	case tapes.Archived:
		switch {
		case k.About.Name == tapeops.Reset.Name:
			return tapePrint(k, v, v.Text())
		case v.Archived == "":
			return tapePrint(k, v, "deleted")
		}
		return tapePrint(k, v, "archived: "+v.Archived)
	}
	return command.WriteLine(k.W.Stdout, v)
}

func infoOfTape(info tape.Info) string {
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
	return text
}

// between completes --between A, whose second name is an argument, and checks the choice of
// anchors.
func between(k *operations.Call, r *tapes.WindowRequest) error {
	if r.Between != nil {
		r.Between = append(r.Between, k.Args...)
	}
	switch _, _, err := r.Window(); {
	case errors.Is(err, tapes.ErrWindows):
		return errors.New("give one of --last-anchor, --after-anchor and --between")
	case errors.Is(err, tapes.ErrBetween):
		return errors.New("--between needs the names of two anchors: --between A B")
	}
	return nil
}

// checkRead refuses what cannot be read.
func checkRead(k *operations.Call, r *tapeops.ReadRequest) error {
	ref, err := k.TapeURI()
	switch {
	case err != nil:
		return err
	case ref != nil && k.Server.Given && r.Follow:
		return errors.New("--follow: name the tape (--tape NAME); a URI is not followed on a server")
	case ref != nil && (ref.Entry != nil || ref.Anchor != nil):
		for _, flag := range k.Given {
			if !slices.Contains([]string{"C", "json", "format", "server", "token-file"}, flag) {
				return fmt.Errorf("--%s: a URI names one entry, so there is nothing to choose", flag)
			}
		}
	}
	if err := between(k, &r.WindowRequest); err != nil || !r.Follow {
		return err
	}
	switch {
	case r.Between != nil:
		return errors.New("--follow cannot be combined with --between, which has an end: use --after-anchor NAME")
	case k.Tape.ArchiveGiven:
		return errors.New("--follow cannot be combined with --archive: nothing is added to an archived tape")
	case r.Limit != nil && *r.Limit < 0:
		return fmt.Errorf("--follow cannot be combined with --limit %d: the last entries are not known yet", *r.Limit)
	}
	return nil
}

// readTape reads the entry that a URI names, or a tape.
func readTape(k *operations.Call, one tapePlace, _ string, r tapeops.ReadRequest) error {
	if here, local := one.(tapeops.Here); local && here.Tape.Tape == nil {
		ref, err := k.TapeURI()
		if err != nil {
			return err
		}
		e, err := here.All().Resolve(*ref)
		return printEntries(k, sequence(err, e), false)
	}
	q, err := r.Query()
	if err != nil {
		return err
	}
	return printEntries(k, entriesOf(k, one, q, r.Follow), r.Follow)
}

// entriesOf are the entries of a tape; with follow also the future ones, until it is
// interrupted.
func entriesOf(k *operations.Call, one tapePlace, q tape.Query, follow bool) iter.Seq2[tape.Entry, error] {
	if !follow {
		return one.Query(k, q)
	}
	anew := func() { k.W.Say("tape %s was reset: ids start at 1 again", command.Plain(one.Name())) }
	return one.Follow(k, tape.FollowRequest{Query: q, Reset: anew})
}

func checkSearch(k *operations.Call, r *tapes.SearchRequest) error {
	switch {
	case len(k.Args) == 0:
		return k.Needs("what to look for")
	case r.Limit != nil && *r.Limit == 0:
		return errors.New("--limit 0: want 1 or more, or -1 for all")
	case r.All && (k.Tape.Given || k.Tape.ArchiveGiven || k.Tape.BubGiven):
		return errors.New("--all-tapes searches the workspace's tapes: leave out --tape, --archive and --bub")
	}
	return nil
}

func checkContext(k *operations.Call, r *tapes.ContextRequest) error {
	if r.Between == nil && len(k.Args) > 0 {
		return fmt.Errorf("unexpected argument %q (`handoff %s --help` shows the usage)", k.Args[0], k.Command)
	}
	if err := between(k, &r.WindowRequest); err != nil {
		return err
	}
	if _, err := r.Part(); err != nil {
		return errors.New("--all is the whole tape: leave out --last-anchor, --after-anchor and --between")
	}
	return nil
}

func tapeContext(k *operations.Call, one tapePlace, id string, r tapes.ContextRequest) error {
	made, err := tapeops.Context.On(k, one, id, r)
	if err != nil {
		return err
	}
	sayContext(k, made)
	return k.W.Print(strings.TrimSuffix(string(made.Request), "\n") + "\n") // over HTTP the line end is lost
}

// sayContext prints the length of a context, and what was left out.
func sayContext(k *operations.Call, made tapes.Context) {
	for _, d := range made.Dropped {
		if d.Entry == 0 {
			k.W.Say("%s", command.Plain(d.Why))
			continue
		}
		k.W.Say("entry %d: %s", d.Entry, command.Plain(d.Why))
	}
	k.W.Say("%s, about %d of %d tokens", command.Plural(made.Messages, "message"), made.Tokens, made.Limit)
	if made.Full && !k.Tape.ArchiveGiven { // nothing is added to an archived tape
		k.W.Say("time to hand off: `%s`", k.TapeHint("handoff NAME --summary TEXT"))
	}
}

func tapeLineage(k *operations.Call, one tapePlace, id string, r tapes.LineageRequest) error {
	if k.Tape.BubGiven {
		return errors.New("--bub: a home of Bub has no lineage")
	}
	trees, err := tapeops.Lineage.On(k, one, id, r)
	if err != nil {
		return err
	}
	if k.PrintsJSON() {
		for _, n := range trees {
			err = errors.Join(err, command.WriteLine(k.W.Stdout, n))
		}
		return err
	}
	var drawn []*tree.Node
	for _, n := range trees {
		drawn = append(drawn, n.Drawn())
	}
	return k.W.Print(tree.Draw(k.Tape.Format, drawn...))
}

// listTapes lists the tapes that can be read, also with an error about others.
func listTapes(k *operations.Call, at tapePlace, _ string, _ ops.None) error {
	if here, local := at.(tapeops.Here); local && here.All().Home != nil {
		return listHome(k, here.All())
	}
	list, err := tapeops.List.On(k, at, "", ops.None{})
	if len(list) == 0 && err == nil && !k.PrintsJSON() {
		k.W.Say("no tapes here (`handoff tape append TEXT` creates one)")
	}
	return errors.Join(err, printEach(k, list, func(info tape.Info) string {
		last := "no anchor"
		if info.LastAnchor != nil {
			last = "anchor " + *info.LastAnchor
		}
		return fmt.Sprintf("%s  %s, %d since %s", info.Name, command.Plural(info.Entries, "entry"), info.SinceLastAnchor, last)
	}))
}

// listHome lists the tapes of a home of Bub.
func listHome(k *operations.Call, t *tapes.Tapes) error {
	files, err := t.InHome()
	return errors.Join(err, printEach(k, files, func(f bub.File) string {
		if f.Link != "" {
			return fmt.Sprintf("%s  %s  is a symbolic link to %q, which is not followed", f.Stem, f.Name, f.Link)
		}
		return fmt.Sprintf("%s  %s  %d bytes", f.Stem, f.Name, f.Bytes)
	}))
}
