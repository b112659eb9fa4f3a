package workspace

import (
	"path/filepath"
	"testing"
)

func TestNear(t *testing.T) {
	for _, c := range [][3]string{
		{"/a/b", "/a/b/c/d", "c/d"},
		{"/a/b", "/a/b", "."},
		{"/a/b", "/a/bc/d", "/a/bc/d"},
		{"/a/b", "/a", "/a"},
		{"/", "/a", "/a"},
		{"", "/a", "/a"},
	} {
		if got := WorkingDir(filepath.FromSlash(c[0])).Near(filepath.FromSlash(c[1])); filepath.ToSlash(got) != c[2] {
			t.Errorf("from %s: %s is near as %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
