package tape

import (
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ref is what a tape:// URI names: a tape, or one entry or anchor of it. The
// grammar is in docs/tape-uri.md.
type Ref struct {
	Workspace string // "" is the one that the URI is read in, as is "workspace"
	Tape      string
	Entry     *int64  // at most one of the two is given
	Anchor    *string // the last anchor of that name
}

// anyWorkspace is what the seed's examples say for the workspace.
const anyWorkspace = "workspace"

const scheme = "tape://"

// plainChars are what may stand unescaped in a part of a path (RFC 3986), and
// is not a letter, a digit or one of -_.~ anyway.
const plainChars = "!$&'()*+,;=:@"

// String is the URI, with as little escaped as may be.
func (r Ref) String() string {
	s := scheme + quote(r.Workspace, "") + "/" + quote(r.Tape, plainChars)
	switch {
	case r.Entry != nil:
		s += "/entry/" + strconv.FormatInt(*r.Entry, 10)
	case r.Anchor != nil:
		s += "/anchor/" + quote(*r.Anchor, plainChars)
	}
	return s
}

// ParseRef reads a URI. The slashes in the name of an anchor may stand as they
// are. The error is handoff.ErrInvalid.
func ParseRef(uri string) (r Ref, err error) {
	fail := func(why string) (Ref, error) { return Ref{}, invalid("%s: %s", clip(uri), why) }
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return fail("want tape://WORKSPACE/TAPE/entry/ID or tape://WORKSPACE/TAPE/anchor/NAME")
	}
	parts := strings.Split(uri[len(scheme):], "/")
	for i, p := range parts {
		if parts[i], err = unescape(p); err != nil {
			return fail(err.Error())
		}
	}
	if len(parts) < 2 {
		return fail("it has no tape")
	}
	r.Workspace, r.Tape = parts[0], parts[1]
	if err := CheckName(r.Tape); err != nil {
		return Ref{}, err
	}
	switch rest := parts[2:]; {
	case len(rest) == 0:
	case rest[0] == "entry" && len(rest) == 2:
		id, err := strconv.ParseInt(rest[1], 10, 64)
		if err != nil || strconv.FormatInt(id, 10) != rest[1] {
			return fail("the id of an entry is a whole number")
		}
		r.Entry = &id
	case rest[0] == "anchor" && len(rest) > 1:
		name := strings.Join(rest[1:], "/")
		if name == "" {
			return fail("it has no anchor name")
		}
		r.Anchor = &name
	default:
		return fail("want /entry/ID or /anchor/NAME after the tape; a slash in its name is written %2F")
	}
	return r, nil
}

func unescape(part string) (string, error) {
	for i := range len(part) {
		if c := part[i]; c <= ' ' || c == 0x7f || strings.IndexByte(`?#"<>\^{|}`+"`", c) >= 0 {
			return "", fmt.Errorf("%q must be escaped as %%%02X", c, c)
		}
	}
	s, err := url.PathUnescape(part)
	if err == nil && (!utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl)) {
		err = fmt.Errorf("it is not text")
	}
	return s, err
}

// RefTo is the URI of an entry of a tape of this store.
func (s *Store) RefTo(tape string, e Entry) Ref {
	return Ref{Workspace: s.options.Workspace, Tape: or(e.Source, tape), Entry: &e.ID}
}

// uri is that of the tape, "" for a file that is of no store: nobody could
// find it by one.
func (t *Tape) uri() string {
	if t.bare {
		return ""
	}
	return Ref{Workspace: t.store.options.Workspace, Tape: t.name}.String()
}

// entryURI is the URI of an entry of the tape.
func (t *Tape) entryURI(e *Entry) string {
	if t.bare {
		return ""
	}
	return t.store.RefTo(t.name, *e).String()
}

// Named is the tape that a reference names, or that its entry is of, which
// need not be there. It is fs.ErrNotExist in another workspace.
func (s *Store) Named(r Ref) (*Tape, error) {
	switch {
	case r.Workspace == "" || r.Workspace == anyWorkspace || r.Workspace == s.options.Workspace:
		return s.Tape(r.Tape)
	case r.Workspace == s.sentAs(): // it is not ""
		return s.Tape(r.Tape)
	case s.options.Workspace == anyWorkspace:
		return nil, fmt.Errorf("%s: this workspace has no label: %w", r, fs.ErrNotExist)
	}
	return nil, fmt.Errorf("%s: this workspace is %s: %w", r, clip(s.options.Workspace), fs.ErrNotExist)
}

// Resolve finds what a reference names: the last entry of that id, or the last
// anchor of that name. It is fs.ErrNotExist in another workspace.
func (s *Store) Resolve(r Ref) (Entry, error) {
	t, err := s.Named(r)
	if err != nil {
		return Entry{}, err
	}
	v, err := t.view()
	if err != nil {
		return Entry{}, err
	}
	defer v.close()
	var f found
	ok := false
	switch {
	case v.own() == nil:
		return Entry{}, fmt.Errorf("%s: no such tape here: %w", r, fs.ErrNotExist)
	case r.Entry != nil:
		f, ok, err = v.lastWith(idKey(*r.Entry), func(e *Entry) bool { return e.ID == *r.Entry })
	case r.Anchor != nil:
		f, ok, err = v.lastWith(anchorKey(*r.Anchor), isAnchorNamed(*r.Anchor))
	default:
		return Entry{}, invalid("%s names a tape, not an entry: add /entry/ID or /anchor/NAME", r)
	}
	if err == nil && !ok {
		err = fmt.Errorf("%s: not found: %w", r, fs.ErrNotExist)
	}
	return f.Entry, err
}
