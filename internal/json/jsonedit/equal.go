package jsonedit

import (
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
)

// equal reports whether two values are equal: numbers by their exact decimal value
// (2 and 2.0, -0 and 0), strings after decoding, objects in any order of keys. An
// object with a duplicate key equals nothing.
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

// equalMembers compares objects with the same number of members. As keys are
// unique, it is enough to find each of one object in the other.
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

// equalText compares strings. U+FFFD may replace bytes that were lost in decoding,
// so strings with it count as different: only their text shows whether they are.
func equalText(a, b Value) bool {
	s := jsontext.Text(a.text())
	return s == jsontext.Text(b.text()) && !strings.Contains(s, "\ufffd")
}

// decimal is digits × 10^exp without zeros at either end of the digits; zero has no
// digits. If the exponent does not fit 32 bits, the value is unknown: ok is false.
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

// int64 is the value of a whole number.
func (d decimal) int64() (int64, bool) {
	if !d.ok || d.exp < 0 || d.exp > 20 {
		return 0, false
	}
	s := "0" + d.digits + strings.Repeat("0", d.exp)
	if d.negative {
		s = "-" + s
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}
