package jsonedit

import (
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
)

// equal reports whether two values say the same: numbers by their exact
// decimal value (2 and 2.0, -0 and 0), strings after decoding, objects in any
// order of keys. An object with a key that stands twice equals nothing.
func equal(a, b Value) bool {
	if a.n.Kind != b.n.Kind || len(a.n.Children) != len(b.n.Children) {
		return false
	}
	switch a.n.Kind {
	case KindObject:
		return equalMembers(a, b)
	case KindArray:
		for i := range a.n.Children {
			if !equal(Value{a.src, &a.n.Children[i].Value}, Value{b.src, &b.n.Children[i].Value}) {
				return false
			}
		}
		return true
	case KindNumber:
		return a.text() == b.text() || readDecimal(a.text()).equal(readDecimal(b.text()))
	case KindString:
		return a.text() == b.text() || equalText(a, b)
	}
	return a.text() == b.text()
}

// equalMembers compares objects with as many members. As the keys of each
// are unique, finding all of one in the other is enough.
func equalMembers(a, b Value) bool {
	if a.n.Repeats() != nil || b.n.Repeats() != nil {
		return false
	}
	for i := range a.n.Children {
		c := &a.n.Children[i]
		other := b.n.Find(c.Name)
		if other == nil || !equal(Value{a.src, &c.Value}, Value{b.src, &other.Value}) {
			return false
		}
	}
	return true
}

// equalText compares strings. U+FFFD can stand for bytes that were lost in
// decoding; two such strings are taken for different, as only the text tells.
func equalText(a, b Value) bool {
	s := jsontext.Text(a.text())
	return s == jsontext.Text(b.text()) && !strings.Contains(s, "\ufffd")
}

// decimal is digits × 10^exp without zeros at either end of the digits; zero
// has no digits. Numbers with a monstrous exponent are not ok: nothing is said
// of their value.
type decimal struct {
	negative bool
	digits   string
	exp      int
	ok       bool
}

func readDecimal(text string) decimal {
	d := decimal{ok: true}
	text, d.negative = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exp, err := strconv.ParseInt(text[i+1:], 10, 32)
		d.exp, d.ok = int(exp), err == nil
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exp -= len(fraction)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(d.digits, "0")
	d.exp += len(d.digits) - len(trimmed)
	d.digits = trimmed
	if d.digits == "" {
		return decimal{ok: true}
	}
	return d
}

func (d decimal) equal(other decimal) bool { return d.ok && d == other }

// whole spells out a whole number of at most 20 digits.
func (d decimal) whole() (string, bool) {
	if !d.ok || d.exp < 0 || d.exp > 20 {
		return "", false
	}
	return "0" + d.digits + strings.Repeat("0", d.exp), true
}

func (d decimal) int64() (int64, bool) {
	s, ok := d.whole()
	if d.negative {
		s = "-" + s
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if !ok || err != nil {
		return 0, false
	}
	return n, true
}

func (d decimal) uint64() (uint64, bool) {
	s, ok := d.whole()
	n, err := strconv.ParseUint(s, 10, 64)
	if !ok || err != nil || d.negative {
		return 0, false
	}
	return n, true
}
