package handoff

import (
	"errors"
	"testing"
)

func TestFindID(t *testing.T) {
	ids := []string{"0011aabb", "0011aacc", "00220000", "0022"}
	for ref, want := range map[string]string{"0011aabb": "0011aabb", "0011aab": "0011aabb", "00220": "00220000", "0022": "0022", "002": "", "ffff": "", "": ""} {
		if got, err := FindID(ref, "thread", ids); got != want || err != nil {
			t.Errorf("%q: %q, %v", ref, got, err)
		}
	}
	_, err := FindID("0011", "thread", ids)
	if !errors.Is(err, ErrInvalid) || err.Error() != `thread "0011": 2 begin so, such as 0011aabb and 0011aacc: write more of it` {
		t.Error(err)
	}
}

func TestFindTitle(t *testing.T) {
	list := []Titled{{"a", []string{"Prove it", "259_prove"}}, {"b", []string{"prove it twice"}}, {"c", []string{"x"}}, {"d", nil}, {"e", []string{"a_b"}}, {"f", []string{"a-b"}}}
	for ref, want := range map[string]string{"PROVE-IT": "a", "prove_it_t": "b", "259": "", "259_p": "a", "x": "c", "a_b": "e", "a-b": "f", "pr": "", "twice": "", "": "", " ": ""} {
		if got, err := FindTitle(ref, "thread", list); got != want || err != nil {
			t.Errorf("%q: %q, %v", ref, got, err)
		}
	}
	if _, err := FindTitle("prov", "thread", list); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	// More of a whole title cannot be written.
	list = append(list, Titled{"g", []string{"PROVE it"}})
	if _, err := FindTitle("prove-it", "thread", list); !errors.Is(err, ErrInvalid) || err.Error() != `thread "prove-it": 2 are called so: name one of them: a, g` {
		t.Error(err)
	}
}

// TestShortIDs: each short form finds its id again.
func TestShortIDs(t *testing.T) {
	ids := []string{"0123456789ab", "0123456789ac", "0123", "ffffffffffff", "ffffffffffff", "01234567"}
	short := ShortIDs(ids)
	for id, want := range map[string]string{"0123456789ab": "0123456789ab", "0123": "0123", "ffffffffffff": "ffffffff", "01234567": "01234567"} {
		if short[id] != want {
			t.Errorf("%s: %s, want %s", id, short[id], want)
		}
	}
	for id, s := range short {
		if found, err := FindID(s, "thread", []string{"0123456789ab", "0123456789ac", "ffffffffffff"}); len(id) == 12 && (found != id || err != nil) {
			t.Errorf("%s: %s finds %q, %v", id, s, found, err)
		}
	}
}
