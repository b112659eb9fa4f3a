package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/parse"
)

func TestDiagnostics(t *testing.T) {
	text := strings.Replace(goodDoc, "## Current State", "## Current state", 1)
	text = strings.Replace(text, "- Plan: specs/259_prove/plan.md", "- 😀é\t`specs/259_prove/lost.md`: the plan", 1)
	for _, c := range []struct {
		encodings string
		from      int
	}{{`[]`, 7}, {`["utf-8","utf-16"]`, 10}, {`["utf-32"]`, 6}} {
		for _, end := range []string{"\n", "\r\n"} {
			cl, _, uri := opened(t, `{"general":{"positionEncodings":`+c.encodings+`}}`, strings.ReplaceAll(text, "\n", end))
			got := cl.latest(uri)
			if got == nil || len(got.Diagnostics) != 2 || *got.Version != 1 {
				t.Fatalf("%+v", got)
			}
			heading, ref := got.Diagnostics[0], got.Diagnostics[1]
			if heading.Code != "misspelled-heading" || heading.Severity != 2 || heading.Source != "handoff" || heading.Description != nil ||
				heading.Range != (textRange{position{5, 0}, position{5, 16}}) {
				t.Errorf("%+v", heading)
			}
			want := textRange{position{20, c.from}, position{20, c.from + len("specs/259_prove/lost.md")}}
			if ref.Code != "dead-reference" || ref.Severity != 1 || ref.Range != want {
				t.Errorf("%s %q: %+v, want %+v", c.encodings, end, ref, want)
			}
			cl.change(uri, 2, change{Range: &textRange{position{5, 11}, position{5, 12}}, Text: "S"}, change{Range: &want, Text: "specs/259_prove/plan.md"})
			if got := cl.latest(uri); len(got.Diagnostics) > 0 || *got.Version != 2 {
				t.Errorf("after both were corrected: %+v", got)
			}
		}
	}
}

// TestLargeDocument reports why a document is not checked, and checks it again when it is
// shorter.
func TestLargeDocument(t *testing.T) {
	c, _, uri := opened(t, `{}`, goodDoc+strings.Repeat("long\n", 1<<18))
	d := c.latest(uri)
	if len(d.Diagnostics) != 1 || !strings.HasPrefix(d.Diagnostics[0].Message, "not checked: ") || d.Diagnostics[0].Code != "" {
		t.Errorf("%+v", d)
	}
	c.change(uri, 2, change{Text: goodDoc})
	if d := c.latest(uri); len(d.Diagnostics) > 0 {
		t.Errorf("%+v", d)
	}
}

// TestPulledDiagnostics: a client that only asks for diagnostics is sent none.
func TestPulledDiagnostics(t *testing.T) {
	root := newTree(t)
	uri := uriOf(filepath.Join(root, filepath.FromSlash(docPath)))
	c := connect(t, options())
	if got := c.initialize(`{"textDocument":{"diagnostic":{}},"workspace":{"diagnostics":{"refreshSupport":true}}}`); !strings.Contains(got, "diagnosticProvider") {
		t.Errorf("%s", got)
	}
	c.open(uri, strings.Replace(goodDoc, "plan.md", "lost.md", 1))
	report := get[diagnosticReport](c, "textDocument/diagnostic", about(uri))
	if report.Kind != "full" || len(report.Items) != 1 || report.Items[0].Code != "dead-reference" {
		t.Errorf("%+v", report)
	}
	c.notify("workspace/didChangeConfiguration", `{"settings":null}`)
	if list := c.all(); len(list) > 0 {
		t.Errorf("published: %+v", list)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.requests) != 1 || c.requests[0].Method != "workspace/diagnostic/refresh" {
		t.Errorf("%+v", c.requests)
	}
}

func TestRulesPage(t *testing.T) {
	o := options()
	o.RulesPage = "https://example.org/rules.html"
	c := connect(t, o)
	c.initialize(`{}`)
	uri := uriOf(filepath.Join(newTree(t), filepath.FromSlash(docPath)))
	c.open(uri, strings.Replace(goodDoc, "plan.md", "lost.md", 1))
	if d := c.latest(uri).Diagnostics; len(d) != 1 || d[0].Description == nil || d[0].Description.Href != "https://example.org/rules.html#dead-reference" {
		t.Errorf("%+v", d)
	}
}

// TestQuickFixes applies each fix, and all of them. The result is what lint makes.
func TestQuickFixes(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		text := strings.NewReplacer("## Current State", "## current State", "## What NOT to Try", "## what not to try", " (max 5 items)", "").Replace(goodDoc)
		text = strings.TrimSuffix(strings.ReplaceAll(text, "\n", end), end) // and no final line end
		c, _, uri := opened(t, `{"workspace":{"workspaceEdit":{"documentChanges":true}}}`, text)
		found := c.latest(uri).Diagnostics
		actions := actionsAt(c, uri, `[]`, textRange{position{0, 0}, position{99, 0}})
		if len(found) != 3 || len(actions) != 4 {
			t.Fatalf("%d actions for %+v", len(actions), found)
		}
		for i, a := range actions[:3] {
			if a.Kind != "quickfix" || !a.Preferred || len(a.Diagnostics) != 1 || a.Diagnostics[0] != found[i] {
				t.Errorf("%+v", a)
			}
			fixed := applied(t, text, *a.Edit, uri)
			if doc := parse.Document([]byte(fixed)); fixed == text || doc.NumLines() != 21 {
				t.Errorf("%s: %q", a.Title, fixed)
			}
		}
		all := actions[3]
		want := strings.TrimSuffix(strings.ReplaceAll(goodDoc, "\n", end), end)
		if got := applied(t, text, *all.Edit, uri); all.Kind != fixAllKind || got != want {
			t.Errorf("%s: %q, want %q", all.Kind, got, want)
		}
		for only, n := range map[string]int{`["quickfix"]`: 3, `["source"]`: 1, `["source.fixAll"]`: 1, `["source.fixAll.handoff"]`: 1,
			`["source.fixAll.other","refactor"]`: 0, `["source","quickfix"]`: 4, `[""]`: 4} {
			if got := actionsAt(c, uri, only, textRange{position{0, 0}, position{99, 0}}); len(got) != n {
				t.Errorf("%s: %d actions, want %d", only, len(got), n)
			}
		}
		if got := actionsAt(c, uri, `["quickfix"]`, textRange{position{5, 3}, position{5, 3}}); len(got) != 1 || got[0].Title != "Fix misspelled-heading" {
			t.Errorf("in line 6: %+v", got)
		}
		if got := actionsAt(c, uri, `["quickfix"]`, textRange{position{3, 0}, position{3, 5}}); len(got) != 0 {
			t.Errorf("in line 4: %+v", got)
		}
	}
}

func actionsAt(c *client, uri, only string, r textRange) []codeAction {
	c.Helper()
	return get[[]codeAction](c, "textDocument/codeAction", fmt.Sprintf(`{"textDocument":{"uri":%q},"range":%s,"context":{"diagnostics":[],"only":%s}}`, uri, marshal(c, r), only))
}

// applied is a text after an edit, which names the version that it is for.
func applied(t *testing.T, src string, e workspaceEdit, uri string) string {
	t.Helper()
	if len(e.Changes) > 0 || len(e.Documents) != 1 || e.Documents[0].Document.URI != uri || *e.Documents[0].Document.Version != 1 || len(e.Documents[0].Edits) != 1 {
		t.Fatalf("%+v", e)
	}
	edit := e.Documents[0].Edits[0]
	return newText(src, utf16Units).apply(change{Range: &edit.Range, Text: edit.Text}).src
}

// TestEditsWithoutVersions: a client that knows no versions gets an edit by URI.
func TestEditsWithoutVersions(t *testing.T) {
	c, _, uri := opened(t, `{}`, strings.Replace(goodDoc, "State", "state", 1))
	got := actionsAt(c, uri, `["source.fixAll"]`, textRange{})
	if len(got) != 1 || len(got[0].Edit.Documents) > 0 || len(got[0].Edit.Changes[uri]) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestFixesOfRules applies the quick fixes to the bad example of each rule: each removes
// its finding.
func TestFixesOfRules(t *testing.T) {
	c := start(t, `{"workspace":{"workspaceEdit":{"documentChanges":true}}}`)
	root, n := newTree(t), 0
	for _, name := range options().Docs.Names() {
		archive, _ := options().Docs.Archive(name)
		_, text, ok := strings.Cut(archive, "-- bad.md --\n")
		if !ok {
			continue
		}
		text, _, _ = strings.Cut(text, "\n-- ")
		uri := uriOf(filepath.Join(root, "specs", "259_prove", "handoffs", name+".md"))
		c.open(uri, text)
		for _, a := range actionsAt(c, uri, `["quickfix"]`, textRange{position{0, 0}, position{1 << 20, 0}}) {
			n++
			fixed := applied(t, text, *a.Edit, uri)
			c.change(uri, 2, change{Text: fixed})
			c.settle()
			before, after := countOf(a.Diagnostics[0].Code, found(c, uri, 1)), countOf(a.Diagnostics[0].Code, found(c, uri, 2))
			if after >= before {
				t.Errorf("%s: %d findings of %s before the fix, %d after it", name, before, a.Diagnostics[0].Code, after)
			}
			c.change(uri, 1, change{Text: text})
		}
	}
	if n < 10 {
		t.Errorf("only %d fixes were tried", n)
	}
}

// found are the diagnostics that were published last for a version.
func found(c *client, uri string, version int) []diagnostic {
	list := c.all()
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].URI == uri && *list[i].Version == version {
			return list[i].Diagnostics
		}
	}
	return nil
}

func countOf(code string, list []diagnostic) (n int) {
	for _, d := range list {
		if d.Code == code {
			n++
		}
	}
	return n
}

func TestHover(t *testing.T) {
	needs.Tool(t, "git")
	text := strings.Replace(goodDoc, "## What NOT to Try", "## what not to try", 1) + "- Earlier: specs/1_old/handoffs/phase-1-handoff-20260101T000000Z.md and ../outside.md and src/\n"
	c, root, uri := opened(t, `{}`, text)
	treetest.WriteDocument(t, root, "specs/1_old/handoffs/phase-1-handoff-20260101T000000Z.md")
	hoverAt := func(find string, n int) string {
		t.Helper()
		raw := c.call("textDocument/hover", at(t, uri, text, find, n))
		if raw == "null" {
			return ""
		}
		var h hover
		if err := json.Unmarshal([]byte(raw), &h); err != nil || h.Contents.Kind != "markdown" {
			t.Fatalf("%v: %s", err, raw)
		}
		return h.Contents.Value
	}
	for find, want := range map[string][]string{
		"what not":             {"**misspelled-heading** (warning)", "Tools and leads find a section by its heading"},
		"src/parse.go":         {"`src/parse.go` exists, 3 lines"},
		"specs/1_old/handoffs": {"exists", "Handoff `1/1`: "},
		"../outside.md":        {"`../outside.md` is outside the workspace: not checked"},
		"# Phase 3":            {"Handoff `259/3`: not saved yet"},
	} {
		got := hoverAt(find, 3)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q has no %q", find, got, part)
			}
		}
	}
	if got := hoverAt("Positions count", 2); got != "" {
		t.Errorf("over plain text: %q", got)
	}
	saved(t, root, text)
	if got := hoverAt("# Phase 3", 3); !strings.Contains(got, "Handoff `259/3`: waiting") {
		t.Errorf("saved: %q", got)
	}
	git(t, root, "init", "-q")
	git(t, root, "add", ".")
	git(t, root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all", "--date", "2026-02-12T14:30:22Z")
	treetest.Write(t, root, "src/parse.go", "package parse\n\nfunc scan() {}\n\nvar more = 1\n")
	git(t, root, "add", ".")
	git(t, root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "more")
	for find, want := range map[string]string{"# Phase 3": "Out of date:\n- HEAD moved: 1 commit since\n- src/parse.go changed since, in 1 commit", "src/parse.go": "5 lines\n\nsrc/parse.go changed since, in 1 commit"} {
		if got := hoverAt(find, 3); !strings.Contains(got, want) {
			t.Errorf("after a commit: %q has no %q", got, want)
		}
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestPlainTextHover: a client gets the first kind of text that it names.
func TestPlainTextHover(t *testing.T) {
	c, _, uri := opened(t, `{"textDocument":{"hover":{"contentFormat":["plaintext"]}}}`, goodDoc)
	if h := get[hover](c, "textDocument/hover", at(t, uri, goodDoc, "src/parse.go", 0)); h.Contents.Kind != "plaintext" {
		t.Errorf("%+v", h)
	}
}

// TestHoverIsSafe: a document cannot add Markdown or control characters to a hover.
func TestHoverIsSafe(t *testing.T) {
	if got := code("a`b\n\x1b[31m![](http://x)"); got != "`a'b\\n\\x1b[31m![](http://x)`" {
		t.Errorf("%q", got)
	}
}

// labels are what completion offers at the end of a text that is added to a document.
func labels(t *testing.T, c *client, uri, text string) (list []string, applied string) {
	t.Helper()
	c.change(uri, 2, change{Text: text})
	end := newText(text, utf16Units).position(len(text))
	got := get[completionList](c, "textDocument/completion", marshal(t, positionParams{documentParams{textDocument{URI: uri}}, end}))
	for i, item := range got.Items {
		if i == 0 {
			applied = newText(text, utf16Units).apply(change{Range: &item.Edit.Range, Text: item.Edit.Text}).src
		}
		list = append(list, item.Label)
	}
	return list, applied
}

func TestCompletion(t *testing.T) {
	c, root, uri := opened(t, `{}`, "")
	treetest.Write(t, root, "src/with blank.go", "")
	treetest.Write(t, root, "src/.hidden", "")
	for _, tt := range []struct {
		text    string
		want    []string
		applied string
	}{
		{"# Phase 3\n\n## Current State\n- a\n\n## 😀Wh", []string{"## Immediate Next Action", "## Understand First", "## Waiting For", "## Running in the Background", "## Key Decisions Made", "## Deviations from Plan", "## What NOT to Try",
			"## Critical Context (max 5 items)", "## References (read only if stuck)"}, "# Phase 3\n\n## Current State\n- a\n\n## Immediate Next Action"},
		{"## Immediate Next Action\n\n## Current State", []string{"## Understand First", "## Current State", "## Waiting For", "## Running in the Background", "## Key Decisions Made", "## Deviations from Plan", "## What NOT to Try",
			"## Critical Context (max 5 items)", "## References (read only if stuck)"}, "## Immediate Next Action\n\n## Understand First"},
		{"## References (read only if stuck)\n- Plan: s", []string{"specs/", "src/"}, "## References (read only if stuck)\n- Plan: specs/"},
		{"## References (read only if stuck)\n- `src/", []string{"parse.go"}, "## References (read only if stuck)\n- `src/parse.go"},
		{"## References (read only if stuck)\n- src/.", []string{".hidden"}, "## References (read only if stuck)\n- src/.hidden"},
		{"## What NOT to Try\n1. src/pa", []string{"parse.go"}, "## What NOT to Try\n1. src/parse.go"},
		{"## What NOT to Try\n1. s", nil, ""},
		{"## References (read only if stuck)\n- ../", nil, ""},
		{"## References (read only if stuck)\n- nothing/", nil, ""},
		{"---\ntask: 259\nph", []string{"phase: ", "thread: ", "seq: ", "profile: ", "lint: "}, "---\ntask: 259\nphase: "},
		{"---\nprofile: h", []string{"handoff", "completion"}, "---\nprofile: handoff"},
		{"---\ntask: 1\n---\nph", nil, ""},
		{"text\n---\nph", nil, ""},
		{"text\n", nil, ""},
	} {
		list, applied := labels(t, c, uri, tt.text)
		if !slices.Equal(list, tt.want) || applied != tt.applied {
			t.Errorf("%q: %q\nand %q, want %q", tt.text, list, applied, tt.applied)
		}
	}
	abs := filepath.ToSlash(filepath.Join(root, "src")) + "/"
	if list, _ := labels(t, c, uri, "## References (read only if stuck)\n- "+abs); !slices.Equal(list, []string{"parse.go"}) {
		t.Errorf("absolute: %q", list)
	}
	for _, text := range []string{"---\nlint:\n  lo", "<!-- handoff-lint allow lo"} {
		if list, applied := labels(t, c, uri, text); len(list) < 40 || applied != text[:len(text)-2]+"long-document" {
			t.Errorf("%q: %d rules, %q", text, len(list), applied)
		}
	}
}

// TestCompletionOfManyFiles offers a part of a large folder, and has the client ask again.
func TestCompletionOfManyFiles(t *testing.T) {
	c, root, uri := opened(t, `{}`, "")
	for i := range mostEntries + 1 {
		treetest.Write(t, root, fmt.Sprintf("many/%04d.go", i), "")
	}
	text := "see many/"
	c.change(uri, 2, change{Text: text})
	got := get[completionList](c, "textDocument/completion", at(t, uri, text, "many/", 5))
	if !got.Incomplete || len(got.Items) != mostEntries {
		t.Errorf("%v, %d items", got.Incomplete, len(got.Items))
	}
}

func TestLinksAndDefinition(t *testing.T) {
	const id = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7"
	text := "---\ntask: 259 # src/parse.go\nthread: 1f54c37f\n---\n" + strings.Replace(goodDoc, "- Plan:", "- src/parse.go:3, "+id+", lost.md, ../outside.md\n- Plan:", 1) + "\n```\nsrc/parse.go\n```\n"
	c, root, uri := opened(t, `{}`, text)
	treetest.Write(t, root, ".rip/artifacts/blobs/"+id, "x")
	treetest.Write(t, root, ".handoff/threads/1f54c37f.jsonl", "")
	file := func(name string) string { return uriOf(filepath.Join(root, filepath.FromSlash(name))) }
	var targets []string
	txt := newText(text, utf16Units)
	for _, l := range get[[]documentLink](c, "textDocument/documentLink", about(uri)) {
		targets = append(targets, txt.src[txt.offset(l.Range.Start):txt.offset(l.Range.End)]+" "+strings.TrimPrefix(l.Target, file("")))
	}
	want := []string{"src/parse.go /src/parse.go", "src/parse.go /src/parse.go", "src/parse.go:3 /src/parse.go#L3", id + " /.rip/artifacts/blobs/" + id, "specs/259_prove/plan.md /specs/259_prove/plan.md"}
	if !reflect.DeepEqual(targets, want) {
		t.Errorf("%q, want %q", targets, want)
	}
	for find, want := range map[string]location{
		"src/parse.go:3": {file("src/parse.go"), textRange{position{2, 0}, position{2, 0}}},
		id:               {URI: file(".rip/artifacts/blobs/" + id)},
		"1f54c37f":       {URI: file(".handoff/threads/1f54c37f.jsonl")},
		"lost.md":        {},
		"../outside.md":  {},
		"Positions":      {},
		"# Phase 3":      {}, // it has no bundle
	} {
		if got := get[location](c, "textDocument/definition", at(t, uri, text, find, 1)); got != want {
			t.Errorf("%s: %+v, want %+v", find, got, want)
		}
	}
}

func TestSymbols(t *testing.T) {
	text := "# Title\n\n## current State\n### 😀 One\na\n### Two\nb\n\n## References (read only if stuck)\n- x\n"
	c, _, uri := opened(t, `{"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}}`, text)
	var names []string
	var walk func([]documentSymbol, textRange)
	walk = func(list []documentSymbol, in textRange) {
		for _, s := range list {
			names = append(names, fmt.Sprintf("%s %d-%d %s", s.Name, s.Range.Start.Line, s.Range.End.Line, s.Detail))
			for _, inner := range []textRange{s.Range, s.Selection} {
				if inner.Start.before(in.Start) || in.End.before(inner.End) {
					t.Errorf("%s: %v is not in %v", s.Name, inner, in)
				}
			}
			walk(s.Children, s.Range)
		}
	}
	walk(get[[]documentSymbol](c, "textDocument/documentSymbol", about(uri)), textRange{End: position{99, 0}})
	want := []string{"Title 0-9 ", "current State 2-7 read as Current State", "😀 One 3-4 ", "Two 5-7 ", "References (read only if stuck) 8-9 "}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	c, _, uri = opened(t, `{}`, text)
	if got := get[[]symbolInformation](c, "textDocument/documentSymbol", about(uri)); len(got) != 5 || got[2].Container != "current State" || got[2].Location.URI != uri {
		t.Errorf("%+v", got)
	}
}

// TestNothingIsWritten: a session changes no file.
func TestNothingIsWritten(t *testing.T) {
	c, root, uri := opened(t, `{}`, strings.Replace(goodDoc, "State", "state", 1))
	saved(t, root, "# Saved\n")
	before := listing(t, root)
	for _, find := range []string{"# Phase", "src/parse.go", "Positions"} {
		params := at(t, uri, goodDoc, find, 1)
		for _, method := range []string{"hover", "completion", "definition", "documentSymbol", "documentLink"} {
			c.call("textDocument/"+method, params)
		}
	}
	actionsAt(c, uri, `[]`, textRange{position{0, 0}, position{99, 0}})
	if after := listing(t, root); !reflect.DeepEqual(before, after) {
		t.Errorf("%v\nbecame\n%v", before, after)
	}
}

func listing(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			files[path] = "folder"
			return err
		}
		src, err := os.ReadFile(path)
		files[path] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestBecame(t *testing.T) {
	at := time.Date(2026, 11, 20, 13, 0, 0, 0, time.FixedZone("", 3600))
	for want, b := range map[string]Became{
		"waiting": {State: "waiting"},
		"acknowledged by `ann` since 2026-11-20T12:00:00Z": {State: "acknowledged", By: "ann", Since: at},
		"claimed by `codex'` until 2026-11-20T12:00:00Z":   {State: "claimed", By: "codex`", Since: at.Add(-time.Hour), Until: at},
		"superseded since 2026-11-20T12:00:00Z":            {State: "superseded", Since: at},
	} {
		if got := b.String(); got != want {
			t.Errorf("%+v: %q, want %q", b, got, want)
		}
	}
}
