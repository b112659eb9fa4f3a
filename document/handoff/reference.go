package handoff

import (
	"fmt"
	"slices"
	"strings"
)

// Latest names the newest of what can be named: handoffs, threads, relays.
const Latest = "latest"

// The least that a short name must have, so that a slip of the finger names nothing: of an
// id, and of a title that is not whole.
const (
	LeastOfID    = 4
	leastOfTitle = 3
)

// AmbiguousError reports a short name that several things have.
type AmbiguousError struct {
	What, Ref string
	Found     []string // what each can be named by instead
	Whole     bool     // Ref is the whole title of each, so that more of it does not help
}

func (e *AmbiguousError) Error() string {
	if e.Whole {
		return fmt.Sprintf("%s %q: %d are called so: name one of them: %s, %s", e.What, e.Ref, len(e.Found), e.Found[0], e.Found[1])
	}
	return fmt.Sprintf("%s %q: %d begin so, such as %s and %s: write more of it", e.What, e.Ref, len(e.Found), e.Found[0], e.Found[1])
}

func (e *AmbiguousError) Is(target error) bool { return target == ErrInvalid }

// FindID returns the only one of some ids that begins with ref; "" if none does. what is the
// kind of thing, for the error.
func FindID(ref, what string, ids []string) (string, error) {
	if len(ref) < LeastOfID {
		return "", nil
	}
	if slices.Contains(ids, ref) {
		return ref, nil
	}
	var found []string
	for _, id := range ids {
		if strings.HasPrefix(id, ref) {
			found = append(found, id)
		}
	}
	return only(ref, what, found, false)
}

// Titled is something with an id and names for people.
type Titled struct {
	ID     string
	Titles []string
}

// FindTitle returns the id of the only thing with a title that begins with ref, ignoring
// case, and with blanks, dashes and underscores as the same; "" if there is none. One whose
// title is ref comes before others that begin so. A number is that of a task, and never the
// beginning of another one.
func FindTitle(ref, what string, list []Titled) (string, error) {
	short := folded(ref)
	begins := len(short) >= leastOfTitle && strings.Trim(short, "0123456789") != ""
	for round, fits := range []func(title string) bool{
		func(title string) bool { return title == ref },
		func(title string) bool { return folded(title) == short },
		func(title string) bool { return begins && strings.HasPrefix(folded(title), short) },
	} {
		var found []string
		for _, t := range list {
			if short != "" && slices.ContainsFunc(t.Titles, fits) {
				found = append(found, t.ID)
			}
		}
		if len(found) > 0 {
			return only(ref, what, found, round < 2)
		}
	}
	return "", nil
}

func only(ref, what string, found []string, whole bool) (string, error) {
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", &AmbiguousError{what, ref, found, whole}
}

func folded(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '\t' }), " "))
}

// shortID is how much of an id people read, if that is unique.
const shortID = 8

// ShortIDs returns the short form of each of some ids: its first 8 characters, or as many
// more as distinguish it from all others. FindID finds it again.
func ShortIDs(ids []string) map[string]string {
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	short := make(map[string]string, len(sorted))
	for i, id := range sorted {
		n := shortID
		if i > 0 {
			n = max(n, shared(id, sorted[i-1])+1)
		}
		if i+1 < len(sorted) {
			n = max(n, shared(id, sorted[i+1])+1)
		}
		short[id] = id[:min(n, len(id))]
	}
	return short
}

// shared is how many bytes two texts have in common at their start.
func shared(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
