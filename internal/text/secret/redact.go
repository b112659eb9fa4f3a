package secret

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Masked replaces a secret in output.
const Masked = "[secret]"

// leastQuoted is the number of bytes of a secret that must not be shown.
const leastQuoted = 4

// Redactor removes the secrets of one text from messages that quote parts of it. Its
// lists are sorted, so the time for a message hardly depends on the number of secrets.
type Redactor struct {
	heads   []string  // the lines of the secrets, plain and as %q writes them
	shorter []int     // by head: the index of its longest prefix among the heads, -1 for none
	tails   []string  // the heads, reversed
	first   [256]bool // the first bytes of the heads
	longest int
}

// NewRedactor returns the redactor for secrets that [All] found in src.
func NewRedactor(src string, secrets []Found) *Redactor {
	r := new(Redactor)
	for _, f := range secrets {
		for line := range strings.Lines(src[f.From:f.End]) {
			if line = strings.TrimSpace(line); len(line) >= leastQuoted {
				quoted := strconv.Quote(line)
				r.heads = append(r.heads, line, quoted[1:len(quoted)-1])
			}
		}
	}
	slices.Sort(r.heads)
	r.heads = slices.Compact(r.heads)
	r.shorter = make([]int, len(r.heads))
	r.tails = make([]string, len(r.heads))
	for i, head := range r.heads {
		at := i - 1
		for at >= 0 && !strings.HasPrefix(head, r.heads[at]) {
			at = r.shorter[at]
		}
		r.shorter[i] = at
		r.tails[i] = reversed(head)
		r.first[head[0]] = true
		r.longest = max(r.longest, len(head))
	}
	slices.Sort(r.tails)
	return r
}

// Redact returns the message without the secrets, also if it quotes only a part of one,
// cut with "…".
func (r *Redactor) Redact(message string) string {
	const cut = "…"
	if len(r.heads) == 0 {
		return message
	}
	var out strings.Builder
	cuts := 0
	next := strings.Index(message, cut) // at or after i, len(message) for none
	written := 0
	mask := func(from, to int) int {
		out.WriteString(message[written:from] + Masked)
		written = to
		return to
	}
	for i := 0; i < len(message); {
		if next >= 0 && next < i {
			if next = strings.Index(message[i:], cut); next >= 0 {
				next += i
			}
		}
		switch {
		case next == i:
			i += len(cut)
			if n := r.tail(message[i:]); cuts < mostCuts && n > 0 {
				i = mask(i, i+n)
			}
			cuts++
		case !r.first[message[i]]:
			i++
		default:
			if n := r.head(message[i:]); n > 0 {
				i = mask(i, i+n)
			} else if next >= i+leastQuoted && next <= i+r.longest && r.begins(message[i:next]) {
				i = mask(i, next)
			} else {
				i++
			}
		}
	}
	if written == 0 {
		return message
	}
	return out.String() + message[written:]
}

// mostCuts is the number of "…" in a message after which the end of a secret is
// searched for. A message is cut once; the others come from the document.
const mostCuts = 8

// head is the length of the longest secret at the start of text, 0 for none.
func (r *Redactor) head(text string) int {
	at := sort.Search(len(r.heads), func(i int) bool { return r.heads[i] > text }) - 1
	for at >= 0 && !strings.HasPrefix(text, r.heads[at]) {
		at = r.shorter[at]
	}
	if at < 0 {
		return 0
	}
	return len(r.heads[at])
}

// begins reports whether text is a prefix of a secret.
func (r *Redactor) begins(text string) bool { return hasPrefixed(r.heads, text) }

// tail is the length of the longest suffix of a secret at the start of text, 0 if it is
// shorter than leastQuoted.
func (r *Redactor) tail(text string) int {
	text = text[:min(len(text), r.longest)]
	back := reversed(text)
	for n := len(text); n >= leastQuoted; n-- {
		if hasPrefixed(r.tails, back[len(text)-n:]) {
			return n
		}
	}
	return 0
}

// hasPrefixed reports whether one of the sorted strings has the prefix.
func hasPrefixed(sorted []string, prefix string) bool {
	i, _ := slices.BinarySearch(sorted, prefix)
	return i < len(sorted) && strings.HasPrefix(sorted[i], prefix)
}

// reversed is s with its bytes in reverse order.
func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
