package receipt

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// FuzzLife reads any file. Reading it, writing the result and reading that
// gives the same life.
func FuzzLife(f *testing.F) {
	var l Life
	m := Moment{Now: noon}
	var file []byte
	for _, decide := range []Decision{m.Deliver("a", ""), m.Acknowledge("a", "", true), claim("a", false, "")(m), claim("b", true, "x")(m)} {
		steps, err := decide(doc, &l)
		if err != nil {
			f.Fatal(err)
		}
		lines, err := l.add(doc, steps)
		if err != nil {
			f.Fatal(err)
		}
		file = append(append(file, bytes.Join(lines, []byte("\n"))...), '\n')
		f.Add(file)
	}
	f.Add([]byte(`{"seq":0,"at":"2026-02-12T12:00:00Z","step":"released","handoff":"x"}` + "\n" + `{"seq":1`))
	f.Fuzz(func(t *testing.T, src []byte) {
		l, _, err := parseOne(src)
		if err != nil {
			return
		}
		l.State(noon)
		l.Since(noon)
		var again []byte
		for _, s := range l.Steps {
			line, err := s.line()
			if err != nil {
				return // a year that JSON cannot hold
			}
			again = append(append(again, line...), '\n')
		}
		back, _, err := parseOne(again)
		if err != nil || len(back.Steps) != len(l.Steps) || back.Claim.ID != l.Claim.ID || back.State(noon) != l.State(noon) {
			t.Errorf("%q became %q: %v", src, again, err)
		}
	})
}

// FuzzParseClaim: an accepted claim leads to a file name and nowhere else.
func FuzzParseClaim(f *testing.F) {
	f.Add(claimID(doc, 1, "r"))
	f.Add("../../x.1.r")
	f.Fuzz(func(t *testing.T, id string) {
		key, _, err := ParseClaim(id)
		if err == nil && (len(key) != 2*keyBytes || strings.ContainsAny(key, `/\.`) || !strings.HasPrefix(id, key)) {
			t.Errorf("%q: %q", id, key)
		}
	})
}

// parseOne reads a file with one life.
func parseOne(src []byte) (l Life, number int, err error) {
	all, number, err := parseLog(src)
	if err == nil && len(all.order) > 1 {
		return l, 0, errors.New("several lives")
	}
	if len(all.order) == 1 {
		l = all.life(all.order[0])
	}
	return l, number, err
}
