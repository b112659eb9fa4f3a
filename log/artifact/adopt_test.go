package artifact

import (
	"errors"
	"io/fs"
	"testing"
)

func TestAdopt(t *testing.T) {
	s := open(t, t.TempDir())
	made, _ := ParseID(madeUp)
	hashed := Sum([]byte("hashed"))
	for _, c := range []struct {
		id   ID
		data string
		want Outcome
		err  error
	}{
		{made, "whatever", Created, nil}, {made, "whatever", Kept, nil}, {made, "other", 0, fs.ErrExist},
		{hashed, "hashed", Created, nil}, {hashed, "hashed", Kept, nil}, {ID{}, "x", 0, nil},
	} {
		got, err := s.Adopt(c.id, []byte(c.data))
		if got != c.want || c.want == 0 && err == nil || c.err != nil && !errors.Is(err, c.err) || c.want != 0 && err != nil {
			t.Errorf("%s as %s: %v, %v", c.data, c.id, got, err)
		}
	}
	var damaged *DamagedError
	if _, err := s.Adopt(Sum([]byte("x")), []byte("y")); !errors.As(err, &damaged) {
		t.Errorf("damage came in: %v", err)
	}
	if data, err := s.Get(made); err != nil || string(data) != "whatever" {
		t.Errorf("%q, %v", data, err)
	}
}
