package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/agents/setup/edit"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/json/jsonsplice"
)

const maxFile = 32 << 20 // bytes; Claude Code's own file has a history of all projects

// read returns the content of a file. In a project no symlink is followed: its author
// could lead it to any file of the user.
func read(at place) (edit.Text, error) {
	do := at.root.ReadUnlinked
	if at.root == nofollow.Named {
		do = at.root.ReadFile
	}
	src, err := do(at.path, maxFile)
	var link *nofollow.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return edit.Text{}, nil
	case errors.As(err, &link):
		return edit.Text{}, fmt.Errorf("%w: replace the link by a file or folder, then run this again", &nofollow.LinkError{Path: at.shown, To: link.To, Out: link.Out})
	case err != nil:
		return edit.Text{}, fmt.Errorf("%s: %w", at.shown, bare(err))
	}
	return edit.Text{Bytes: string(src), Exists: true}, nil
}

// bare is an error without the path, which the caller adds.
func bare(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// locate is the place of an error in a file: path:line:col for one of the parser.
func locate(shown string, err error) string {
	if syntax := (*jsonsplice.Error)(nil); errors.As(err, &syntax) {
		return fmt.Sprintf("%s:%d:%d", shown, syntax.Line, syntax.Col)
	}
	return shown
}

// hint adds what to do to the error of a file that cannot be parsed.
func hint(err error) error {
	if syntax := (*jsonsplice.Error)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("%s: fix that, then run this again", syntax.Text)
	}
	if errors.Is(err, jsonsplice.ErrKind) {
		return fmt.Errorf("%w: correct that, then run this again", err)
	}
	return err
}

// writable is an error for a file that the user made read-only: the rename that
// replaces a file would succeed.
func writable(s *Step) error {
	st, err := os.Stat(s.place.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode()&0o200 == 0 {
		return fmt.Errorf("%s: is read-only: `chmod u+w` it, then run this again (nothing was changed)", s.Path)
	}
	return nil
}

// errMeanwhile: another process changed a file after the plan had read it.
var errMeanwhile = errors.New("was changed while this ran: run it again")

// attempts is how often [Plan.Apply] plans: so many other processes may change the files
// meanwhile.
const attempts = 10

// Apply writes the files of a plan, each one atomically. If another process changes one
// of them in between, as a second setup does, it plans again. done are the steps that
// were carried out, also if there is an error.
func (p *Plan) Apply() (done []*Step, err error) {
	p.sweep()
	for range attempts {
		if done, err = p.apply(done); !errors.Is(err, errMeanwhile) {
			break
		}
		again, failed := Make(p.request)
		if failed != nil {
			return done, failed
		}
		p.Steps = again.Steps
		if len(p.Next) == 0 {
			p.Next = again.Next
		}
	}
	return done, err
}

// sweep removes the temporary files that a killed setup left. They are in the scratch folder
// of a project, and beside the file where there is none: below the user's home, and in a
// project of which an older version wrote. No other command looks there.
func (p *Plan) sweep() {
	for _, s := range p.Steps {
		atomicfile.Sweep(s.place.root, filepath.Dir(s.place.path))
		atomicfile.SweepScratch(s.place.root)
	}
}

// apply carries out the steps. before are those of an earlier attempt.
func (p *Plan) apply(before []*Step) (done []*Step, err error) {
	written := map[string]bool{}
	for _, s := range before {
		if s.Changes() {
			done, written[s.Path] = append(done, s), true
		}
	}
	for _, s := range p.Steps {
		if s.Changes() {
			if err := s.apply(); err != nil {
				return done, err
			}
		}
		if !written[s.Path] {
			done = append(done, s)
		}
	}
	return done, nil
}

func (s *Step) apply() error {
	now, err := read(s.place)
	switch {
	case err != nil:
		return err
	case now != s.Before:
		return fmt.Errorf("%s: %w", s.Path, errMeanwhile)
	case !s.After.Exists:
		return s.delete()
	}
	if err := s.place.root.MkdirAll(filepath.Dir(s.place.path), 0o755); err != nil {
		return fmt.Errorf("%s: %w", s.Path, bare(err))
	}
	if !s.Before.Exists {
		err = atomicfile.Create(s.place.root, s.place.path, []byte(s.After.Bytes), 0o644)
		if errors.Is(err, fs.ErrExist) { // its text names a temporary file
			err = errMeanwhile
		}
	} else {
		err = atomicfile.Write(s.place.root, s.place.path, []byte(s.After.Bytes), 0o644)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, bare(err))
	}
	return nil
}

// delete removes the file, and the folders above it that are empty then.
func (s *Step) delete() error {
	if err := s.place.root.Remove(s.place.path); err != nil {
		return fmt.Errorf("%s: %w", s.Path, bare(err))
	}
	for dir := filepath.Dir(s.place.path); dir != s.place.top; dir = filepath.Dir(dir) {
		if s.place.root.Remove(dir) != nil { // not empty
			break
		}
	}
	return nil
}
