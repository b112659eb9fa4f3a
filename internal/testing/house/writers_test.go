package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// door is the package that all files are written through: it follows no link.
const door = "internal/file/nofollow"

// writes are the functions that create, change or remove a file or folder.
// Packages that change the disk in other ways need none of them.
var writes = map[string][]string{
	"os": {"Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "Lchown", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "OpenFile", "OpenInRoot", "OpenRoot",
		"Remove", "RemoveAll", "Rename", "Symlink", "Truncate", "WriteFile"},
	"syscall":                nil, // all that begin so
	"golang.org/x/sys/unix":  nil,
	"github.com/gofrs/flock": {"New", "NewFlock"},
	"net":                    {"ListenUnix"},
}

// system are the beginnings of those functions of syscall and unix.
var system = []string{"Open", "Creat", "Mkdir", "Mknod", "Mkfifo", "Rename", "Link", "Symlink", "Unlink", "Rmdir", "Truncate", "Chmod", "Chown", "Lchown", "Fchmodat",
	"Fchownat", "Utim", "Lutimes"}

// elsewhere lists the exceptions, and why they cannot lead out of a workspace.
var elsewhere = map[string]string{
	"internal/testing/natstest/natstest.go os.Mkdir":         "the folder of a server, in the folder of a test",
	"internal/testing/natstest/natstest.go os.WriteFile":     "the configuration of a server, in the folder of a test",
	"internal/testing/realagents/realagents.go os.MkdirAll":  "the home folder of an agent in a test",
	"internal/testing/realagents/realagents.go os.WriteFile": "the home folder of an agent in a test",
	"internal/file/lockfile/kept_other.go flock.New":         "where there is no flock: the file was opened by the door just before",
	"internal/file/regular/read_unix.go unix.Openat":         "reads",
	"internal/file/regular/read.go os.OpenFile":              "reads",
	"log/artifact/artifact.go os.OpenRoot":                   "reads blobs",
	"internal/web/caller/caller.go os.OpenFile":              "reads the file of a token, which the user named",
	"surface/command/check/outputs.go os.OpenFile":           "a pipe or a device that the user named",
	"workspace/daemon/answer.go os.CreateTemp":               "an empty file of which an event is awaited, in the system's folder for temporary files",
	"workspace/daemon/answer.go os.Remove":                   "that file",
	"internal/file/gitwork/take.go os.MkdirTemp":             "a scratch index for git, in the system's folder for temporary files",
	"internal/file/gitwork/take.go os.Mkdir":                 "an empty folder beside it",
	"internal/file/gitwork/take.go os.WriteFile":             "that index",
	"internal/file/gitwork/take.go os.RemoveAll":             "that folder",
	"surface/command/handoffs/edit.go os.CreateTemp":         "the text for the editor, in the system's folder for temporary files",
	"surface/command/handoffs/edit.go os.Remove":             "that text",
	"surface/command/handoffs/newkept.go os.CreateTemp":      "values of a pipe that were not written, in the system's folder for temporary files",
	"cmd/handoff/demo.go os.MkdirTemp":                       "the folder of the demo, new and private, in the system's folder for temporary files",
	"cmd/handoff/demo_write.go os.CopyFS":                    "the example, into that folder",
	"cmd/handoff/demo_write.go os.WriteFile":                 "the values, into that folder",
	"cmd/handoff/demo_relay.go os.MkdirAll":                  "a folder in it, for the entry of the agent",
	"cmd/handoff/demo_relay.go os.Rename":                    "that entry, in it",
	"cmd/handoff/demo_story.go os.Mkdir":                     "folders in it",
	"cmd/handoff/demo_story.go os.MkdirAll":                  "folders in it",
	"cmd/handoff/demo_story.go os.WriteFile":                 "the files and the session of the story, into them",
	"cmd/handoff/demo_story.go os.Chtimes":                   "that session",
	"cmd/handoff/demo.go os.RemoveAll":                       "that folder",
	"cmd/handoff/main_clock.go os.Mkdir":                     "the ids of tests, which are numbered by folders; no release has the file",
	"surface/command/threads/detach.go os.CreateTemp":        "what a run in the background says until it has begun, in a file that no other has",
	"surface/command/threads/detach.go os.Remove":            "that file",
	"surface/command/serving/service.go os.MkdirAll":         "the user's own folder of services",
	"surface/command/serving/service.go os.Remove":           "a service in it",
	"internal/web/listening/unix.go os.Chmod":                "the socket in a folder that was made just before, and is nobody else's",
	"internal/web/listening/unix.go net.ListenUnix":          "in that folder",
	"internal/web/listening/listening.go os.Remove":          "that socket",
}

// TestWriters keeps the functions that follow links out of all other packages:
// whatever writes goes through the door.
func TestWriters(t *testing.T) {
	unused := map[string]bool{}
	for use := range elsewhere {
		unused[use] = true
	}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == door || path == "bench" || path == "measure" || path == "release" || path == "internal/testing/needs" || path == "internal/testing/treetest" || path == "sdk" || strings.HasPrefix(e.Name(), ".") && path != "."):
			return filepath.SkipDir
		case e.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		for use, at := range usesOf(t, path) {
			if _, ok := elsewhere[path+" "+use]; !ok {
				t.Errorf("%s: %s follows links: use %s", at, use, door)
			}
			delete(unused, path+" "+use)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for use := range unused {
		t.Errorf("%s is used no more: take it off the list", use)
	}
}

// usesOf are the writing functions that a file names, and where.
func usesOf(t *testing.T, path string) map[string]token.Position {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]string{}
	for _, imp := range file.Imports {
		from, _ := strconv.Unquote(imp.Path.Value)
		name := from[strings.LastIndex(from, "/")+1:]
		if imp.Name != nil {
			name = imp.Name.Name
		}
		if _, ok := writes[from]; ok {
			imports[name] = from
			if name == "." {
				t.Errorf("%s: imports all of %s", path, from)
			}
		}
	}
	uses := map[string]token.Position{}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := sel.X.(*ast.Ident)
		if from := ""; ok {
			if from, ok = imports[pkg.Name]; ok && isWrite(from, sel.Sel.Name) {
				uses[pkg.Name+"."+sel.Sel.Name] = files.Position(sel.Pos())
			}
		}
		return true
	})
	return uses
}

func isWrite(from, name string) bool {
	if writes[from] != nil {
		return slices.Contains(writes[from], name)
	}
	return slices.ContainsFunc(system, func(begin string) bool { return strings.HasPrefix(name, begin) })
}
