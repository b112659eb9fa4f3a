package prose

import "testing"

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		s, part string
		want    int
	}{{"a Phase", "phase", 2}, {"PHASE", "phase", 0}, {"phas", "phase", -1}, {"", "", 0}} {
		if got := IndexFold(tt.s, tt.part); got != tt.want {
			t.Errorf("IndexFold(%q, %q) = %d, want %d", tt.s, tt.part, got, tt.want)
		}
	}
	if !OneOf("None", "nothing", "none") || OneOf("non", "nothing", "none") || OneOf("none") {
		t.Error("OneOf does not compare whole words, ignoring case")
	}
}
