package regular

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestAbove(t *testing.T) {
	top := filepath.VolumeName(t.TempDir()) + string(filepath.Separator)
	dir := filepath.Join(top, "a", "b")
	if got, want := slices.Collect(Above(dir)), []string{dir, filepath.Join(top, "a"), top}; !slices.Equal(got, want) {
		t.Errorf("Above(%q) = %q, want %q", dir, got, want)
	}
	if got, want := slices.Collect(Above("a")), []string{"a", "."}; !slices.Equal(got, want) {
		t.Errorf("Above of a relative path = %q, want %q", got, want)
	}
	for up := range Above(dir) {
		if up != dir {
			t.Errorf("went on to %q after the end", up)
		}
		break
	}
}
