package regular_test

import (
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/file/regular"
)

func TestWithin(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "real")
	link := filepath.Join(dir, "link")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ opened, abs, want string }{
		{root, root + "/a/b.go", "a/b.go"},
		{root, root + "/a/../b.go", "b.go"},
		{link, link + "/a/b.go", "a/b.go"},
		{link, root + "/a/b.go", "a/b.go"},
		{root, root, ""},
		{root, root + "er/b.go", ""},
		{root, root + "/../b.go", ""},
		{root, "/etc/passwd", ""},
		{root, "a/b.go", ""},
		{root, "", ""},
		{filepath.Join(dir, "gone"), root + "/b.go", ""},
	}
	for _, tt := range tests {
		got, ok := regular.Within(tt.opened)(filepath.ToSlash(tt.abs))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s within %s: %q, %t; want %q", tt.abs, tt.opened, got, ok, tt.want)
		}
	}
}
