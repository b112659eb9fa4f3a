package envelope

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/state/names"
)

// Ref is what a tape:// URI names: a tape, or one entry or anchor of it.
type Ref struct {
	Workspace string // "" or [Workspace] for the one in which the URI is read
	Tape      string
	Entry     *int64  // at most one of the two is given
	Anchor    *string // the last anchor of that name
}

// Workspace is the name for the workspace in which a URI is read.
const Workspace = "workspace"

const scheme = "tape://"

// plainChars are the characters that need no escape in a part of a path
// (RFC 3986), other than letters, digits and -_.~.
const plainChars = "!$&'()*+,;=:@"

// String is the URI, with no more escapes than needed.
func (r Ref) String() string {
	s := scheme + names.Escape(r.Workspace, "") + "/" + names.Escape(r.Tape, plainChars)
	switch {
	case r.Entry != nil:
		s += "/entry/" + strconv.FormatInt(*r.Entry, 10)
	case r.Anchor != nil:
		s += "/anchor/" + names.Escape(*r.Anchor, plainChars)
	}
	return s
}

// ParseURI reads a URI. Slashes in the name of an anchor need no escape. The error
// is handoff.ErrInvalid.
func ParseURI(uri string) (r Ref, err error) {
	fail := func(why string) (Ref, error) { return Ref{}, fmt.Errorf("%.60q: %s: %w", uri, why, handoff.ErrInvalid) }
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
