package ops

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestPaging: a list that changes between its pages is read to its end, without an item left out that is in it
// all the time.
func TestPaging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		self := func(s string) string { return s }
		var list, kept, seen []string
		for i := range rapid.IntRange(0, 60).Draw(t, "items") {
			list = append(list, strconv.Itoa(i))
		}
		kept = slices.Clone(list)
		limit, cursor := rapid.IntRange(1, 20).Draw(t, "limit"), ""
		for round := 0; ; round++ {
			if round > 200 {
				t.Fatal("the list never ends")
			}
			rest, err := After(list, self, cursor)
			if err != nil {
				t.Fatal(err)
			}
			page := rest[:min(limit, len(rest))]
			if seen = append(seen, page...); len(page) == 0 {
				break
			}
			cursor = CursorAfter(page)
			if len(list) > 0 && round < 20 {
				gone := rapid.IntRange(0, len(list)-1).Draw(t, "gone")
				kept = slices.DeleteFunc(kept, func(s string) bool { return s == list[gone] })
				list = slices.Delete(slices.Clone(list), gone, gone+1)
				list = slices.Insert(list, 0, "new"+strconv.Itoa(round))
			}
		}
		for _, item := range kept {
			if !slices.Contains(seen, item) {
				t.Errorf("%s was in the list all the time, and was left out: %q", item, seen)
			}
		}
	})
	for _, bad := range []string{"!", "AAAA", CursorAfter([]string{"a"}) + "A", CursorAfter(make([]string, 16)) + CursorAfter([]string{"a"})} {
		if _, err := After([]string{"a"}, func(s string) string { return s }, bad); !errors.Is(err, ErrCursor) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if got, err := After([]string{"c", "b", "a"}, func(s string) string { return s }, CursorAfter([]string{"x", "b", "y"})); err != nil || !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q, %v", got, err)
	}
}
