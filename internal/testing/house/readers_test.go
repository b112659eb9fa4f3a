package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// opens are the functions and methods that open or read a file.
var opens = []string{"Open", "OpenFile", "OpenUnverified", "ReadFile", "ReadUnlinked", "ReadInside", "openHere", "openFile"}

// readers lists the functions that open a blob, a stream or another file, in the packages
// that know where blobs and streams are, and why what they read needs no other check. The
// commands open only files that the user names: TestDamagedBytes runs them.
var readers = map[string]string{
	"workspace/relay/word/word.go Questions ReadUnlinked":   "a question beside a journal, which it only looks for",
	"log/artifact/artifact.go openHere OpenFile":            "the door: Get, Open and OpenUnverified are its only users",
	"log/artifact/read.go Get openHere":                     "compares the bytes",
	"log/artifact/read.go Open OpenUnverified":              "compares the bytes",
	"log/artifact/read.go OpenUnverified openHere":          "its users are in this list",
	"log/artifact/put.go holds OpenFile":                    "compares with the bytes to store",
	"log/artifact/put.go holdsHash OpenUnverified":          "compares the bytes",
	"workspace/places.go some Open":                         "lists a folder",
	"workspace/artifacts.go SalvageArtifact OpenUnverified": "what is left of a damaged blob, which it reports",
	"workspace/gc/mark.go markBlob OpenUnverified":          "looks for ids, so that nothing is removed that a damaged blob names",
	"workspace/gc/mark.go markFile Open":                    "looks for ids in files of any kind",
	"log/thread/streams.go Chunk OpenFile":                  "bytes of a stream, to compare with those of another store",
	"log/thread/rip/lock.go lock OpenFile":                  "the lock of RIP's store",
	"log/thread/rip/log.go scanLines Open":                  "RIP's log, whose lines it checks",
	"log/thread/rip/write.go copyLog Open":                  "RIP's log, which was checked before it is replaced",
	"log/tape/archive.go linkTo OpenFile":                   "copies a whole tape to its archive",
	"log/tape/archive.go newArchive OpenFile":               "creates the archive",
	"log/tape/chain.go firstLines OpenFile":                 "two lines, parsed as entries",
	"log/tape/generation.go readSeal OpenFile":              "the last line, parsed as an entry",
	"log/tape/torn.go endsWithin OpenFile":                  "compares the end with a line",
	"log/tape/handover.go GeneratedName ReadUnlinked":       "an identity, not a stream",
	"log/tape/manifest.go readManifest ReadUnlinked":        "derived from the tapes",
	"log/tape/manifest.go writeManifest ReadUnlinked":       "compares with the bytes to write",
	"log/tape/bub/check.go Check Open":                      "looks for damage",
	"log/tape/bub/check.go CheckEnd Open":                   "looks for damage",
	"log/tape/bub/check.go Fix Open":                        "looks for damage",
	"log/tape/bub/delete.go Delete Open":                    "copies a whole tape to its archive",
	"log/receipt/changes.go names Open":                     "lists a folder",
	"workspace/stores/exclude.go read ReadUnlinked":         "the list of git",
	"log/receipt/mark.go Marked ReadUnlinked":               "an identity, not a stream",
	"log/receipt/store.go Lives Open":                       "lists a folder",
	"log/receipt/store.go readAll ReadUnlinked":             "checks each step and its number",
	"workspace/relay/log/journal.go fold ReadUnlinked":      "checks each fact and its number",
	"workspace/draft/draft.go In ReadInside":                "a document",
	"workspace/places.go handoffs ReadFile":                 "a form or an index, which no list has",
	"workspace/plans/plans.go read ReadFile":                "plans of other tools",
	"workspace/state.go RemoveStateDir ReadUnlinked":        "a file .gitignore",
	"workspace/stores/private.go Update ReadUnlinked":       "a file .gitignore",
	"workspace/stores/private.go artifacts ReadUnlinked":    "a file .gitignore",
	"workspace/workspace.go Reload Open":                    "a folder",
}

// TestReaders finds, in each package that names the folder of the blobs or the ending of a
// stream, the functions that open files. Blobs are read through artifact.Store, which
// compares the bytes with the id, and streams through package journal, which checks each
// record: whatever opens them otherwise would pass on bytes that were not checked.
func TestReaders(t *testing.T) {
	unused := map[string]bool{}
	for use := range readers {
		unused[use] = true
	}
	knows, uses := map[string]bool{}, map[string][]string{}
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		file = filepath.ToSlash(file)
		switch {
		case err != nil || e.IsDir() && (slices.Contains([]string{"bench", "measure", "release", "internal/testing", "internal/file", "conformance", "cmd"}, file) || e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".") && file != "."):
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return err
		case e.IsDir(), !strings.HasSuffix(file, ".go"), strings.HasSuffix(file, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		dir := path.Dir(file)
		knows[dir] = knows[dir] || namesStreams(f)
		uses[dir] = append(uses[dir], opened(file, f)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, list := range uses {
		for _, use := range list {
			unchecked := strings.HasSuffix(use, " OpenUnverified") || strings.HasSuffix(use, " openHere")
			if _, ok := readers[use]; !ok && (knows[dir] || unchecked) {
				t.Errorf("%s: read blobs through artifact.Store and streams through package journal, or add it to readers with the reason", use)
			}
			delete(unused, use)
		}
	}
	for use := range unused {
		t.Errorf("%s: not found: remove it from readers", use)
	}
}

// namesStreams reports whether a file has the folder of blobs, or the ending or folder of
// streams.
func namesStreams(f *ast.File) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			text, _ := strconv.Unquote(n.Value)
			found = found || strings.HasSuffix(text, ".jsonl") && !strings.Contains(text, " ") || strings.Contains(text, "artifacts/blobs")
		case *ast.SelectorExpr:
			on, ok := n.X.(*ast.Ident)
			found = found || ok && on.Name == "artifact" && n.Sel.Name == "Blobs"
		}
		return !found
	})
	return found
}

// opened lists the calls that open files, as "file function method".
func opened(file string, f *ast.File) (list []string) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
				if on, ok := f.X.(*ast.Ident); name == "Open" && (!ok || on.Name != "os" && on.Name != "regular") {
					return true // of a store, a journal or a workspace
				}
			case *ast.Ident:
				name = f.Name
			}
			if use := file + " " + fn.Name.Name + " " + name; slices.Contains(opens, name) && !slices.Contains(list, use) {
				list = append(list, use)
			}
			return true
		})
	}
	return list
}
