package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/lint"
	"handoff/lint/rules"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/help"
	taskrules "handoff/workspace/reconcile/rules"
)

// badWords are words that made the texts read like a translation, with what
// to write instead. Each is wrong in every sense a text of ours may have.
var badWords = []struct{ pattern, instead string }{
	{`mend(s|ed|ing|able)?`, "fix"},
	{`dressed up`, "formatted"},
	{`in (the )?place of`, "instead of"},
	{`ails`, "name the problem"},
	{`born`, "created"},
	{`(is|are|was|were) no valid`, "is not a valid X, invalid X"},
	{`stands? (behind|twice)|stands? here twice`, "comes after, duplicate X"},
	{`(go|goes|going|went) on (from|with|at|where)`, "continue"},
	{`(take|takes|taken) \w+ for (a|an|the|those)`, "treat A as B"},
	{`take (it|them|that) out`, "remove it"},
	{`leads? nowhere`, "does not exist"},
	{`flagged is|flagged are`, "flags"},
}

// wordSources are the texts that users read, by their source. A source is added
// here once its texts contain none of badWords.
var wordSources = []struct {
	name string
	read func(t *testing.T, add func(where, text string))
}{
	{"rules of lint", rulesOf(rules.Docs)},
	{"rules of verify", rulesOf(taskrules.Docs)},
	{"messages", messagesOf("lint", "workspace/reconcile", "parse", "parse/hidden", "document/brief", "templates", "workspace", "log/thread", "log/tape", "log/receipt", "agents", "agents/transcript", "log/bundle", "log/artifact", "log/convert", "watch", "cmd/handoff", "surface/command", "internal/json", "internal/journal", "internal/text", "internal/file")},
	{"help", helpOfAll},
	{"docs/openapi.json", openAPITexts},
	{"docs", pages},
	{"answers of the server", messagesOf("surface/httpapi", "internal/web/openapi", "workspace/threads", "workspace/tapes")},
}

// TestWords finds the worst words in texts that users read.
func TestWords(t *testing.T) {
	for _, source := range wordSources {
		t.Run(source.name, func(t *testing.T) {
			texts := 0
			source.read(t, func(where, text string) {
				texts++
				for _, found := range badWordsIn(text) {
					t.Errorf("%s: %s", where, found)
				}
			})
			if texts == 0 {
				t.Error("no text was read")
			}
		})
	}
}

// TestBadWords: each pattern matches its words in any case and across lines,
// and not as a part of a longer word.
func TestBadWords(t *testing.T) {
	for _, bad := range []string{"1 mended", "To mend it", "in place\n of", "what ails it", "X is no valid y", "A stands behind B", "key stands twice",
		"it goes on\nfrom there", "take X for the Y", "Take it out", "a path that leads nowhere", "dressed up", "is born", "Flagged is a title"} {
		if len(badWordsIn(bad)) == 0 {
			t.Errorf("%q is not found", bad)
		}
	}
	for _, good := range []string{"amend the commit", "recommended", "details fail", "is no longer", "stubborn", "stand beside", "goes on the next line", "takes two for each"} {
		if found := badWordsIn(good); len(found) > 0 {
			t.Errorf("%q: %v", good, found)
		}
	}
}

var badWordPatterns = func() (list []*regexp.Regexp) {
	for _, w := range badWords {
		list = append(list, regexp.MustCompile(`(?i)\b(?:`+strings.ReplaceAll(w.pattern, " ", `\s+`)+`)\b`))
	}
	return list
}()

func badWordsIn(text string) (found []string) {
	for i, re := range badWordPatterns {
		for _, at := range re.FindAllStringIndex(text, -1) {
			from, to := max(0, at[0]-30), min(len(text), at[1]+30)
			found = append(found, strconv.Quote(text[from:to])+": write "+badWords[i].instead)
		}
	}
	return found
}

// rulesOf adds each rule's documentation with its findings, but not the files
// in it, which are examples written by agents.
func rulesOf(docs lint.Docs) func(t *testing.T, add func(where, text string)) {
	return func(t *testing.T, add func(where, text string)) {
		for _, name := range docs.Names() {
			text, _ := docs.Archive(name)
			a := txtar.Parse([]byte(text))
			add(name, string(a.Comment))
			for _, f := range a.Files {
				if strings.HasSuffix(f.Name, ".want") {
					add(name+": "+f.Name, string(f.Data))
				}
			}
		}
	}
}

// pages adds README and the pages of docs, paragraph by paragraph.
func pages(t *testing.T, add func(where, text string)) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../../README.md") {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for text := range strings.SplitSeq(string(src), "\n\n") {
			add(filepath.Base(file), text)
		}
	}
}

// openAPITexts adds the summaries and descriptions of the OpenAPI document.
func openAPITexts(t *testing.T, add func(where, text string)) {
	src, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	addStrings(doc, "", add)
}

func addStrings(v any, where string, add func(where, text string)) {
	switch v := v.(type) {
	case string:
		add(where, v)
	case []any:
		for i := range v {
			addStrings(v[i], where, add)
		}
	case map[string]any:
		for name := range v {
			addStrings(v[name], where+"/"+name, add)
		}
	}
}

// messagesOf adds the string literals of packages and of those in their
// subfolders.
func messagesOf(folders ...string) func(t *testing.T, add func(where, text string)) {
	return func(t *testing.T, add func(where, text string)) {
		for _, folder := range folders {
			err := fs.WalkDir(os.DirFS("../.."), folder, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
					return err
				}
				return literals(path, add)
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

func literals(path string, add func(where, text string)) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.Join("../..", path), nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			add(path+":"+strconv.Itoa(files.Position(lit.Pos()).Line), text)
		}
		return true
	})
	return nil
}

// helpOfAll adds the help of every command.
func helpOfAll(t *testing.T, add func(where, text string)) {
	app := newApp(&command.Process{}, "")
	add("handoff --help", help.Formatted(book.ShortPage(app), help.Width, false))
	add("handoff help --all", help.Formatted(book.AppPage(app), help.Width, false))
	page := func(name string, cmd *cli.Command) {
		add(name+" --help", help.Formatted(book.CommandPage(cmd, name), help.Width, false))
	}
	for _, cmd := range app.Commands {
		page(cmd.Name, cmd)
		for _, sub := range cmd.Subcommands {
			page(cmd.Name+" "+sub.Name, sub)
		}
	}
}
