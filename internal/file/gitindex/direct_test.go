package gitindex

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDirect compares reading without git with git's answers, in random histories of each
// kind of repository that does not need git.
func TestDirect(t *testing.T) {
	for _, c := range []struct{ name, init, below string }{
		{"plain", "", ""}, {"subfolder", "", "w"}, {"sha256", "--object-format=sha256", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := repository(t)
			if c.init != "" {
				git(t, filepath.Dir(dir), "init", "-q", c.init, "-b", "main", dir+"2")
				dir += "2"
				git(t, dir, "config", "user.email", "a@example.org")
				git(t, dir, "config", "user.name", "A")
			}
			history(t, dir, 14)
			if c.name == "plain" {
				git(t, dir, "pack-refs", "--all")
			}
			agree(t, filepath.Join(dir, c.below))
			git(t, dir, "checkout", "-q", "--detach")
			linked := filepath.Join(t.TempDir(), "linked")
			git(t, dir, "worktree", "add", "-q", linked)
			agree(t, filepath.Join(linked, c.below))
		})
	}
}

// history commits changes at random: files that are written, removed, moved, replaced by a
// folder and by a link, and nothing at all.
func history(t *testing.T, dir string, commits int) {
	t.Helper()
	names := []string{"report.md", "a.go", "b.go", "w/report.md", "w/a.go", "w/b.go", "w/x/y/c.go", "a.go2"}
	random := rand.New(rand.NewPCG(1, 2))
	write(t, dir, "w/a.go", "first")
	for i := range commits {
		for range random.IntN(3) {
			name := names[random.IntN(len(names))]
			path := filepath.Join(dir, filepath.FromSlash(name))
			switch random.IntN(8) {
			case 0:
				os.RemoveAll(path)
			case 1:
				os.RemoveAll(path)
				write(t, dir, name+"/inside.go", fmt.Sprint(i))
			case 2:
				os.RemoveAll(path)
				os.MkdirAll(filepath.Dir(path), 0o755)
				if os.Symlink("a.go", path) != nil {
					write(t, dir, name, "no links here")
				}
			default:
				os.RemoveAll(path)
				write(t, dir, name, fmt.Sprint(random.IntN(4)))
			}
		}
		write(t, dir, "w/always.go", "") // the folder exists
		t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("@%d +0000", 1000000000+100*i))
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "--allow-empty", "-m", "x\n\ntree 1\ncommitter x <y> 5 +0000")
	}
}

// agree compares the answers from each time on.
func agree(t *testing.T, dir string) {
	t.Helper()
	ctx := context.Background()
	files := []string{"a.go", "b.go", "w/a.go", "x/y/c.go", "w/x/y/c.go", "a.go2", "w", "gone.go"}
	for from := int64(1000000050); from < 1000001400; from += 300 {
		for _, of := range []string{"report.md", "w/report.md"} {
			d, ok := openDirect(dir)
			if !ok {
				t.Fatal("not opened")
			}
			got, ok := d.since(time.Unix(from, 0), of, files)
			if !ok {
				t.Fatalf("%s from %d: only git can tell", of, from)
			}
			want, err := askSince(ctx, dir, time.Unix(from, 0).UTC(), of, files)
			if err != nil || got.Commits != want.Commits || !maps.Equal(got.Files, want.Files) {
				t.Errorf("%s from %d: %+v; git: %+v, %v", of, from, got, want, err)
			}
		}
	}
	d, _ := openDirect(dir)
	list, ok := d.committed(files)
	want, err := askCommitted(ctx, dir, files)
	byPath := func(a, b Entry) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(list, byPath)
	want = slices.DeleteFunc(want, func(e Entry) bool { return !slices.Contains(files, e.Path) }) // git lists the siblings of w/a.go if w is requested, too
	slices.SortFunc(want, byPath)
	if err != nil || !ok || !slices.Equal(list, want) {
		t.Fatalf("committed: %v, %v; git: %v, %v", list, ok, want, err)
	}
	var read, asked bytes.Buffer
	into := func(b *bytes.Buffer) func(Entry, []byte) error {
		return func(e Entry, src []byte) error { _, err := fmt.Fprintf(b, "%s=%s\n", e.Path, src); return err }
	}
	left, err := d.contents(ctx, list, into(&read))
	if err != nil || len(left) > 0 {
		t.Errorf("contents: left %v, %v", left, err)
	}
	if err := askContents(ctx, dir, list, into(&asked)); err != nil || read.String() != asked.String() {
		t.Errorf("contents: %q; git: %q, %v", &read, &asked, err)
	}
}

// TestDirectAsks: git is asked where only it has the right answer.
func TestDirectAsks(t *testing.T) {
	const since = 1000000150
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, dir string)
	}{
		{"packed objects", func(t *testing.T, dir string) { git(t, dir, "repack", "-a", "-d", "-q") }},
		{"the first commit", func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "--orphan", "new")
			at(t, dir, 1000000900)
		}},
		{"a merge", func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "-b", "side", "HEAD~2")
			write(t, dir, "side.go", "1")
			at(t, dir, 1000000900)
			git(t, dir, "merge", "-q", "--no-ff", "-m", "x", "main", "-X", "ours")
		}},
		{"a commit that is replaced", func(t *testing.T, dir string) { git(t, dir, "replace", "HEAD", "HEAD~1") }},
		{"one in packed refs", func(t *testing.T, dir string) {
			git(t, dir, "replace", "HEAD", "HEAD~1")
			git(t, dir, "pack-refs", "--all")
			os.Remove(filepath.Join(dir, ".git", "refs", "replace"))
		}},
		{"objects elsewhere", func(t *testing.T, dir string) {
			old := filepath.Join(dir, ".git", "objects")
			other := filepath.Join(filepath.Dir(dir), "objects")
			if err := os.Rename(old, other); err != nil {
				t.Fatal(err)
			}
			write(t, dir, ".git/objects/info/alternates", other+"\n")
		}},
		{"an object of another kind", func(t *testing.T, dir string) {
			tag := "refs/heads/tag"
			git(t, dir, "tag", "-a", "-m", "x", "v1")
			src, err := os.ReadFile(filepath.Join(dir, ".git", "refs", "tags", "v1"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, ".git/"+tag, string(src))
			write(t, dir, ".git/HEAD", "ref: "+tag+"\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := repository(t)
			history(t, dir, 5)
			c.prepare(t, dir)
			d, ok := openDirect(dir)
			if ok {
				_, ok = d.since(time.Unix(since, 0), "report.md", []string{"w/a.go"})
			}
			if ok {
				t.Error("it was not asked")
			}
			got, err := Since(t.Context(), dir, time.Unix(since-1, 0), "report.md", []string{"w/a.go"})
			want, bad := askSince(t.Context(), dir, time.Unix(since, 0), "report.md", []string{"w/a.go"})
			if fmt.Sprint(err) != fmt.Sprint(bad) || got.Commits != want.Commits || !maps.Equal(got.Files, want.Files) {
				t.Errorf("%+v, %v; git: %+v, %v", got, err, want, bad)
			}
		})
	}
}

// TestDirectDamaged: a repository that is damaged is left to git, whatever the damage is.
func TestDirectDamaged(t *testing.T) {
	dir := repository(t)
	history(t, dir, 2)
	d, _ := openDirect(dir)
	id, ok := d.head()
	if !ok {
		t.Fatal("no HEAD")
	}
	path := filepath.Join(dir, ".git", "objects", id[:2], id[2:])
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	for _, bad := range [][]byte{nil, good[:len(good)/2], []byte("no zlib"), slices.Concat(good[:2], []byte("garbage"))} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, ok := d.commit(id); ok {
			t.Errorf("%q is a commit: %+v", bad, c)
		}
	}
	for _, tree := range []string{"40000 a", "40000 a\x00short", "a\x0012345678901234567890"} {
		if e, ok := find([]byte(tree), "b", 20); ok {
			t.Errorf("%q is a tree: %v", tree, e)
		}
	}
	for _, text := range []string{"", "ref: refs/heads/../../HEAD", "ref: refs/heads/none", "ref: HEAD", strings.Repeat("g", 40), strings.Repeat("a", 39)} {
		write(t, dir, ".git/HEAD", text+"\n")
		if id, ok := d.head(); ok {
			t.Errorf("HEAD %q: %s", text, id)
		}
	}
}
