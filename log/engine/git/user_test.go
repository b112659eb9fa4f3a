package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
)

// files are the content and the mode of all files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(path)
		info, _ := d.Info()
		all[path] = info.Mode().String() + string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The user's files in a repository do not change, and nothing that the repository
// or the environment names is run.
func TestUntouched(t *testing.T) {
	_, clone := remote(t)
	git(t, clone, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "first")
	ran := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\necho \"$0\" >>" + ran + "\n"
	for _, hook := range []string{"pre-push", "reference-transaction", "post-commit"} {
		if err := os.WriteFile(filepath.Join(clone, ".git", "hooks", hook), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git(t, clone, "config", "core.hooksPath", filepath.Join(clone, ".git", "hooks"))
	git(t, clone, "config", "core.fsmonitor", filepath.Join(clone, ".git", "hooks", "pre-push"))
	git(t, clone, "config", "push.gpgSign", "true")
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
	t.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(t.TempDir(), "objects"))
	t.Setenv("GIT_ASKPASS", filepath.Join(clone, ".git", "hooks", "pre-push"))

	before := files(t, clone)
	e := open(t, clone)
	if err := e.Append(waittest.Context(t), engine.Batch{Log: "receipts/a.jsonl", Records: [][]byte{[]byte("one")}}); err != nil {
		t.Fatal(err)
	}
	if n, err := open(t, clone).Len(waittest.Context(t), "receipts/a.jsonl"); n != 1 || err != nil {
		t.Errorf("Len = %d, %v", n, err)
	}
	after := files(t, clone)
	for path := range after {
		if before[path] != after[path] {
			t.Errorf("%s was changed", path)
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d files, want %d", len(after), len(before))
	}
	if src, err := os.ReadFile(ran); err == nil {
		t.Errorf("was run: %s", src)
	}
}

func TestAway(t *testing.T) {
	bare, clone := remote(t)
	e := open(t, clone)
	if err := os.Rename(bare, bare+".gone"); err != nil {
		t.Fatal(err)
	}
	b := engine.Batch{Log: "a.jsonl", Records: [][]byte{[]byte("one")}}
	_, lenErr := e.Len(waittest.Context(t), "a.jsonl")
	for _, err := range []error{lenErr, e.Append(waittest.Context(t), b)} {
		if !errors.Is(err, engine.ErrUnavailable) || !strings.Contains(err.Error(), "does not appear to be a git repository") {
			t.Errorf("%v, want git's reason and ErrUnavailable", err)
		} else if strings.HasSuffix(err.Error(), ".") || strings.Contains(err.Error(), ".;") {
			t.Errorf("%v, want no full stop", err)
		}
	}
	if err := os.Rename(bare+".gone", bare); err != nil {
		t.Fatal(err)
	}
	if err := e.Append(waittest.Context(t), b); err != nil {
		t.Error(err)
	}
}

func TestNoRemote(t *testing.T) {
	_, clone := remote(t)
	_, err := Open(waittest.Context(t), clone, "upstream", nofollow.Root(clone), filepath.Join(clone, ".git", "handoff"), Options{})
	if err == nil || err.Error() != "the repository has no such remote" {
		t.Errorf("%v, want an error for a remote that does not exist", err)
	}
}

// A remote may forbid a push, or cut it off after it was written.
func TestRefusedPush(t *testing.T) {
	bare, clone := remote(t)
	e := open(t, clone)
	b := engine.Batch{Log: "a.jsonl", Records: [][]byte{[]byte("one")}}
	hook := func(name, script string) {
		if err := os.WriteFile(filepath.Join(bare, "hooks", name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hook("pre-receive", "echo not here >&2; exit 1")
	err := e.Append(waittest.Context(t), b)
	forbidden := (*engine.ForbiddenError)(nil)
	if !errors.As(err, &forbidden) || !strings.Contains(forbidden.Why, "hook declined") || !strings.HasSuffix(forbidden.Why, ": not here") {
		t.Errorf("%v, want the refusal of the hook, with what it said", err)
	}
	hook("pre-receive", "exit 0")
	hook("post-receive", "kill -9 $PPID") // the process that would answer
	if err = e.Append(waittest.Context(t), b); !errors.Is(err, engine.ErrUnknown) {
		t.Errorf("%v, want ErrUnknown", err)
	}
	if n, err := e.Len(waittest.Context(t), "a.jsonl"); n != 1 || err != nil {
		t.Errorf("Len = %d, %v", n, err)
	}
	if err := engine.Append(waittest.Context(t), e, waittest.Limit, b); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("%v, want a conflict: an earlier request wrote this record", err)
	}
}

// A user who may read the remote and not push learns it before he claims, and nothing is written
// for that.
func TestDescribe(t *testing.T) {
	bare, clone := remote(t)
	before := files(t, bare)
	for _, c := range []struct{ push, want, warning string }{
		{":", "allowed", ""},
		{`echo "ERROR: Permission to a/b.git denied to bob." >&2; exit 1`, "refused", "denied to bob"},
		{`echo "ERROR: This repository was archived so it is read-only." >&2; exit 1`, "refused", "archived"},
	} {
		ssh := filepath.Join(t.TempDir(), "ssh") // of HOST COMMAND, which is quoted for a shell
		if err := os.WriteFile(ssh, []byte("#!/bin/sh\ncase \"$2\" in *receive-pack*) "+c.push+" ;; esac\neval \"exec $2\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GIT_SSH", ssh)
		t.Setenv("GIT_SSH_VARIANT", "simple")
		e := open(t, clone)
		e.url = "ssh://localhost" + filepath.ToSlash(bare)
		facts, err := e.Describe(waittest.Context(t))
		if err != nil || len(facts) != 1 || !strings.HasPrefix(facts[0].Value, c.want) {
			t.Errorf("%s: %v, %v", c.push, facts, err)
		} else if w := facts[0].Warning; !strings.Contains(w, c.warning) || (w == "") != (c.warning == "") {
			t.Errorf("%s: warning %q, want %q in it", c.push, w, c.warning)
		}
	}
	if after := files(t, bare); len(after) != len(before) {
		t.Errorf("the remote has %d files, had %d", len(after), len(before))
	}
}
