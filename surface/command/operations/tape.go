package operations

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/internal/text/shellword"
	"handoff/log/tape"
	"handoff/log/tape/bub"
	"handoff/surface/command"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// NamesTape rejects an empty name: an unset variable would select the main tape.
func NamesTape(given bool, name string) error {
	if given && name == "" {
		return errors.New("--tape is empty: name a tape, or leave it out for " + tape.Main)
	}
	return nil
}

// TapeError adds what to type. The texts of Bub's errors are left unchanged, and
// the hint is on a line of its own.
func (k *Call) TapeError(err error) error {
	if err == nil {
		return nil
	}
	var code command.Exit
	if errors.As(err, &code) {
		return err
	}
	text, hint := command.ThreadError(err).Error(), ""
	var missing *tape.Error
	var other misspelled
	switch {
	case errors.As(err, &other):
		hint = fmt.Sprintf(": did you mean %s?", other.near)
	case errors.Is(err, tapes.ErrUnconfirmed):
		hint = " with --yes"
	case errors.As(err, &missing) && missing.Kind == tape.NotFound && strings.HasPrefix(missing.Message, "Anchor"):
		if !k.Tape.ArchiveGiven { // tape anchors has no --archive
			hint = "\n`" + k.TapeHint("anchors") + "` lists them"
		}
	case errors.As(err, &missing) && missing.Kind == tape.InvalidInput && strings.HasPrefix(missing.Message, "Invalid ISO date"):
		hint = "\nwant 2026-02-12 or 2026-02-12T16:05:00Z"
	case errors.Is(err, bub.ErrTorn):
		hint = ": `handoff tape check --fix --bub DIR` rewrites it"
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(text, "tape://") && strings.Contains(text, ": this workspace "):
		hint = " (`handoff tape book FOLDER` makes another one known)"
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(text, "tape "):
		hint = " (`handoff tape list` lists them)"
	}
	return command.Reworded(text+hint, err)
}

// TapeHint is a tape command to print. It uses the tape of this call: without its
// flags it would read or write another one.
func (k *Call) TapeHint(rest string) string {
	var args []string
	name := k.Tape.Name
	if ref, err := k.TapeURI(); err == nil && ref != nil {
		name = ref.Tape
	}
	for _, f := range [][2]string{{"--tape", name}, {"--server", k.Server.URL}, {"--token-file", k.Server.TokenFile}, {"--bub", k.Tape.Bub}, {"-C", k.W.Under}} {
		if f[1] != "" {
			args = append(args, f[:]...)
		}
	}
	return command.Plain(strings.TrimSpace("handoff tape " + rest + " " + shellword.Join(args...)))
}

// TapeURI is the URI among the arguments of tape read or convert, nil without one.
func (k *Call) TapeURI() (*tape.Ref, error) {
	r, reads := k.Request.(*tapeops.ReadRequest)
	if !reads && k.About != nil || reads && r.Between != nil || len(k.Args) == 0 {
		return nil, nil
	}
	if len(k.Args) > 1 || !strings.Contains(k.Args[0], "://") {
		return nil, fmt.Errorf("unexpected argument %q: want a tape:// URI, or --tape NAME", k.Args[len(k.Args)-1])
	}
	ref, err := tape.ParseRef(k.Args[0])
	return &ref, err
}

// misspelled is the error for a tape that does not exist, when another one has
// nearly its name.
type misspelled struct {
	error
	near string
}

// Meant makes the error for a tape that does not exist one that suggests another name.
func Meant(err error, near string) error { return misspelled{err, near} }

func (m misspelled) Unwrap() error { return m.error }
