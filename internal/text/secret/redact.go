package secret

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Masked is what is printed instead of a secret.
const Masked = "[secret]"

// leastQuoted is how many bytes of a secret give it away.
const leastQuoted = 4

// Redactor removes the secrets of one text from the messages that quote parts of
// it. Its lists are sorted, so a message takes the same time whether the text
// holds one secret or thousands.
type Redactor struct {
	heads   []string  // the lines of the secrets as they are and as %q writes them
	shorter []int     // by head: the index of the longest other head that it begins with, -1 for none
	tails   []string  // the heads, each from its end to its start
	first   [256]bool // the bytes that heads begin with
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

// Redact returns the message without the secrets, also where a quotation was cut
// short with "…".
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

// mostCuts is after how many "…" of a message the rest of a secret is looked for.
// A message is cut short at its start once; others are from the document.
const mostCuts = 8

// head is the length of the longest secret that text begins with, 0 for none.
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

// begins reports whether a secret begins with text.
func (r *Redactor) begins(text string) bool { return hasPrefixed(r.heads, text) }

// tail is the length of the longest end of a secret that text begins with, 0 for
// none that gives the secret away.
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

// hasPrefixed reports whether one of the sorted strings begins with prefix.
func hasPrefixed(sorted []string, prefix string) bool {
	i, _ := slices.BinarySearch(sorted, prefix)
	return i < len(sorted) && strings.HasPrefix(sorted[i], prefix)
}

// reversed is s with its bytes from the last to the first.
func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
