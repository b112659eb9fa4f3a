package task

import (
	"io/fs"
	"testing"
)

func TestHolds(t *testing.T) {
	const file fs.FileMode = 0
	for _, c := range []struct {
		in   Kind
		name string
		mode fs.FileMode
		want Kind
	}{
		{Root, "specs", fs.ModeDir, Specs},
		{Root, "Specs", fs.ModeDir, None},
		{Root, "specs", file, None},
		{Root, "specs", fs.ModeSymlink, Link},
		{Root, "src", fs.ModeDir, None},
		{Root, "1_a", fs.ModeDir, None},
		{Outside, "src", fs.ModeDir, Outside},
		{Outside, "1_a", fs.ModeDir, Outside},
		{Outside, "1_a", fs.ModeSymlink, None},
		{Outside, "handoffs", fs.ModeDir, Documents},
		{Outside, "specs", fs.ModeDir, Specs},
		{Specs, "1_a", fs.ModeDir, Task},
		{Specs, "001_a", fs.ModeDir, Task},
		{Specs, "0_a", fs.ModeDir, Task},
		{Specs, "1_", fs.ModeDir, Group},
		{Specs, "1-a", fs.ModeDir, Group},
		{Specs, "1234567890_a", fs.ModeDir, Group},
		{Specs, "1_a", file, None},
		{Specs, "1_a", fs.ModeSymlink, Link},
		{Specs, "1_a", fs.ModeNamedPipe, None},
		{Specs, "archive", fs.ModeDir, Group},
		{Specs, "archive", fs.ModeSymlink, None},
		{Specs, ".git", fs.ModeDir, None},
		{Specs, "node_modules", fs.ModeDir, None},
		{Specs, "handoffs", fs.ModeDir, Documents},
		{Specs, "specs", fs.ModeDir, Nested},
		{Specs, "specs", fs.ModeSymlink, None},
		{Nested, "specs", fs.ModeDir, Nested},
		{Nested, "1_a", fs.ModeDir, Task},
		{Group, "1_a", fs.ModeDir, Task},
		{Group, "specs", fs.ModeDir, Nested},
		{Task, "1_a", fs.ModeDir, None},
		{Task, "handoffs", fs.ModeDir, None},
		{Documents, "1_a", fs.ModeDir, None},
	} {
		if got := c.in.Holds(c.name, c.mode); got != c.want {
			t.Errorf("a folder of kind %d holds %s (%v) of kind %d, want %d", c.in, c.name, c.mode, got, c.want)
		}
	}
}

func TestAt(t *testing.T) {
	for _, c := range []struct {
		in   Kind
		path string
		want Place
	}{
		{Root, "", Place{Kind: Root}},
		{Root, "specs", Place{Kind: Specs, Dir: "specs"}},
		{Root, "specs/team/archive", Place{Kind: Group, Dir: "specs/team/archive"}},
		{Root, "specs/1_a", Place{Kind: Task, Dir: "specs/1_a"}},
		{Root, "specs/1_a/handoffs/x.md", Place{Task, "specs/1_a", "handoffs/x.md"}},
		{Root, "specs/1_a/2_b/x.md", Place{Task, "specs/1_a", "2_b/x.md"}},
		{Root, "specs/handoffs/1_a", Place{Documents, "specs/handoffs", "1_a"}},
		{Root, "specs/team/specs/1_a", Place{Nested, "specs/team/specs", "1_a"}},
		{Root, "src/specs/1_a", Place{}},
		{Root, "specs/.git/1_a", Place{}},
		{Root, "specs//1_a", Place{}},
		{Outside, "src/specs/1_a", Place{Kind: Task, Dir: "src/specs/1_a"}},
		{Task, "handoffs/x.md", Place{Task, "", "handoffs/x.md"}},
		{Documents, "", Place{Kind: Documents}},
		{Nested, "1_a/x", Place{Task, "1_a", "x"}},
		{Nested, "a/specs/1_a", Place{Nested, "a/specs", "1_a"}},
		{Root, "specs/1_a/", Place{Kind: Task, Dir: "specs/1_a"}},
		{Outside, "src/1_a/b", Place{Kind: Outside, Dir: "src/1_a/b"}},
	} {
		if got := c.in.At(c.path); got != c.want {
			t.Errorf("%q from a folder of kind %d: %+v, want %+v", c.path, c.in, got, c.want)
		}
	}
}

func TestIsDocument(t *testing.T) {
	for name, want := range map[string]bool{"x.md": true, ".x.md": false, ".md": false, "": false, "md": false, "x.txt": false, "x.MD": false} {
		if IsDocument(name) != want || IsDocument([]byte(name)) != want {
			t.Errorf("%q is a document: %v", name, !want)
		}
	}
}
