package appendlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A line that is too long to be held is skipped, or ends the log.
func TestVeryLongLine(t *testing.T) {
	log := "short\n" + strings.Repeat("x", 200_000) + "\n" + "short\n" + strings.Repeat("y", 100_000)
	r := lines{file: strings.NewReader(log), size: int64(len(log)), most: 1000}
	var got []string
	for {
		l, ok, err := r.read()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		got = append(got, fmt.Sprint(l.end-l.start, len(l.text), l.tooLong, l.fragment))
	}
	want := []string{"6 5 false false", "200001 0 true false", "6 5 false false", "100000 0 true true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
