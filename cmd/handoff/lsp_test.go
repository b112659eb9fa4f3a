package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/lint/report"
	"handoff/lint/rules"
	"handoff/surface/command"
)

// TestLSPFindsWhatLintFinds gives all examples of the rules, and real handoffs if there are
// some, to `handoff lint -` and to the language server: rule, severity, message and place
// are the same.
func TestLSPFindsWhatLintFinds(t *testing.T) {
	dir := t.TempDir()
	texts := map[string]string{}
	for _, name := range rules.Docs.Names() {
		archive, _ := rules.Docs.Archive(name)
		for i, f := range txtar.Parse([]byte(archive)).Files {
			if strings.HasSuffix(f.Name, ".md") {
				texts[fmt.Sprintf("specs/259_prove_completeness/handoffs/%s-%d.md", name, i)] = string(f.Data)
				texts[fmt.Sprintf("specs/%d_x/handoffs/phase-3-handoff-20260212T143022Z.md", len(texts)+1)] = strings.ReplaceAll(string(f.Data), "\n", "\r\n") + "é😀"
			}
		}
	}
	for path, text := range texts {
		treetest.Write(t, dir, path, text)
	}
	sameFindings(t, dir, texts)
}

// TestLSPOfLayouts: documents of other tools are checked with the headings and rules of
// their preset, and other Markdown beside them is not.
func TestLSPOfLayouts(t *testing.T) {
	const vague = "# Handoff\n\n## What Didn't Work\n- A sleep\n\n## Next Steps\nContinue working on it.\n"
	for preset, paths := range map[string][]string{
		"single":   {"HANDOFF.md"},
		"thoughts": {"thoughts/shared/handoffs/ENG-1478/2026-02-12_10-11-12_fix-auth.md", "thoughts/shared/handoffs/general/2026-02-13_old.md"},
		"sessions": {"docs/handoffs/2026-02-12-scan.md", "docs/handoffs/session-08.md"},
	} {
		t.Run(preset, func(t *testing.T) {
			dir := t.TempDir()
			treetest.Write(t, dir, ".handoff.yaml", "documents:\n  - preset: "+preset+"\n")
			texts := map[string]string{}
			for _, path := range paths {
				texts[path] = vague
				treetest.Write(t, dir, path, vague)
			}
			sameFindings(t, dir, texts)
			treetest.Write(t, dir, "README.md", vague)
			if list, ours := startEditor(t, dir).diagnostics(filepath.Join(dir, "README.md"), vague); ours || len(list) > 0 {
				t.Errorf("README.md: %v", list)
			}
		})
	}
}

func TestLSPFindsWhatLintFindsInCorpus(t *testing.T) {
	corpus := needs.Folder(t, "HANDOFF_CORPUS")
	dir := t.TempDir()
	sameFindings(t, dir, copyDocuments(t, corpus, dir))
}

func sameFindings(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	editor := startEditor(t, dir)
	documents, findings := 0, 0
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		text := strings.ToValidUTF8(texts[path], "\ufffd") // what JSON makes of other bytes
		got, ours := editor.diagnostics(filepath.Join(dir, path), text)
		if !ours {
			continue
		}
		documents++
		want := lintText(t, dir, path, text)
		findings += len(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the server finds\n%s\nlint finds\n%s", path, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if documents < len(texts)/2 || findings < documents/2 {
		t.Errorf("%d findings in %d of %d documents", findings, documents, len(texts))
	}
	t.Logf("%d findings in %d of %d documents", findings, documents, len(texts))
}

// lintText is what `handoff lint --json` finds in a text, as the server reports it.
func lintText(t *testing.T, dir, path, text string) (list []string) {
	t.Helper()
	var out, talk bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader(text), Stdout: &out, Stderr: &talk, Dir: dir, Getenv: func(string) string { return "" }, Now: inNovember}
	if code := run(context.Background(), w, []string{"lint", "-", "--stdin-filename", path, "--json"}); code == command.Failed {
		t.Fatalf("%s: %s", path, talk.String())
	}
	var found report.FindingReport
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text, "\n")
	for _, f := range found.Findings {
		from, to := 0, len(withoutEnd(lines[0]))
		if f.Line > 0 {
			from = len(strings.Join(lines[:f.Line-1], "")) + max(f.Col-1, 0)
			to = len(strings.Join(lines[:f.EndLine-1], "")) + f.EndCol - 1
			if f.Col == 0 {
				to = len(strings.Join(lines[:f.EndLine-1], "")) + len(withoutEnd(lines[f.EndLine-1]))
			}
		} else if i := strings.IndexByte(text[:to], '\r'); i >= 0 {
			to = i // a line ends there for an editor
		}
		number := map[string]int{"error": 1, "warning": 2, "note": 3}[f.Severity]
		list = append(list, fmt.Sprintf("%s-%s %d %s %s", place(text[:from]), place(text[:to]), number, f.Rule, f.Message))
	}
	return list
}

func withoutEnd(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

// place is the position after a text, in the protocol's lines and UTF-16 units.
func place(before string) string {
	before = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(before)
	last := before[strings.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("%d:%d", strings.Count(before, "\n"), len(utf16.Encode([]rune(last))))
}

func inNovember() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// TestLSPKnowsReceiptsAndBundles hovers over the title of a handoff that was linked and
// claimed, and follows the title to its bundle.
func TestLSPKnowsReceiptsAndBundles(t *testing.T) {
	dir := t.TempDir()
	treetest.Write(t, dir, "specs/259_prove/.return-meta.json", "{}")
	e := startEditor(t, dir)
	if _, ours := e.diagnostics(filepath.Join(dir, nvimDoc), nvimText); !ours {
		t.Fatal("it is not checked")
	}
	at := fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":0,"character":3}}`, uriAt(filepath.Join(dir, nvimDoc)))
	var hover struct{ Contents struct{ Value string } }
	e.ask("textDocument/hover", at, &hover)
	if !strings.HasPrefix(hover.Contents.Value, "Handoff `259/3`: not saved yet\n") {
		t.Errorf("%s", hover.Contents.Value)
	}
	treetest.Write(t, dir, nvimDoc, nvimText)
	lintAll(t, dir, "sync")
	if e.ask("textDocument/hover", at, &hover); !strings.HasPrefix(hover.Contents.Value, "Handoff `259/3`: waiting\n") {
		t.Errorf("%s", hover.Contents.Value)
	}
	lintAll(t, dir, "ack", "259/3", "--as", "ann")
	if e.ask("textDocument/hover", at, &hover); !strings.HasPrefix(hover.Contents.Value, "Handoff `259/3`: acknowledged by `ann` since 2026-11-20T12:00:00Z") {
		t.Errorf("%s", hover.Contents.Value)
	}
	lintAll(t, dir, "claim", "259/3", "--as", "codex`")
	e.ask("textDocument/hover", at, &hover)
	id := regexp.MustCompile("Bundle: `([0-9a-f]{64})`").FindStringSubmatch(hover.Contents.Value)
	if !strings.HasPrefix(hover.Contents.Value, "Handoff `259/3`: claimed by `codex'` until 2026-11-20T") || id == nil {
		t.Fatalf("%s", hover.Contents.Value)
	}
	var found struct{ URI string }
	if e.ask("textDocument/definition", at, &found); found.URI != uriAt(filepath.Join(dir, ".rip/artifacts/blobs", id[1])) {
		t.Errorf("the title leads to %s", found.URI)
	}
}

// TestLSPActs claims a handoff from an editor, finishes it and renames its task: the commands see the same.
func TestLSPActs(t *testing.T) {
	dir := t.TempDir()
	treetest.Write(t, dir, "specs/259_prove/.return-meta.json", "{}")
	treetest.Write(t, dir, nvimDoc, nvimText)
	lintAll(t, dir, "sync")
	e := startEditor(t, dir)
	file := filepath.Join(dir, nvimDoc)
	e.diagnostics(file, nvimText)
	doc := fmt.Sprintf(`{"textDocument":{"uri":%q}`, uriAt(file))
	lenses := func() (titles []string) {
		var list []struct {
			Command struct{ Title, Command string }
		}
		e.ask("textDocument/codeLens", doc+"}", &list)
		for _, l := range list {
			titles = append(titles, l.Command.Title)
		}
		return titles
	}
	same := func(want ...string) {
		t.Helper()
		if got := lenses(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	same("waiting, written 280d ago", "Claim 259/3", "Done 259/3")
	type action struct {
		Title, Kind string
		Command     struct {
			Command   string
			Arguments []string
		}
	}
	var actions []action
	first := `,"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"context":{"diagnostics":[]`
	e.ask("textDocument/codeAction", doc+first+`}}`, &actions)
	if actions = slices.DeleteFunc(actions, func(a action) bool { return a.Kind != "" }); len(actions) != 2 || actions[0].Title != "Claim 259/3" || actions[0].Command.Command != "handoff.claim" || actions[0].Command.Arguments[0] != uriAt(file) {
		t.Fatalf("%+v", actions)
	}
	if e.ask("textDocument/codeAction", doc+first+`,"only":["quickfix"]}}`, &actions); slices.ContainsFunc(actions, func(a action) bool { return a.Kind == "" }) {
		t.Errorf("%+v", actions)
	}
	do := func(act string) {
		t.Helper()
		e.ask("workspace/executeCommand", fmt.Sprintf(`{"command":"handoff.%s","arguments":[%q]}`, act, uriAt(file)), new(any))
	}
	do("claim")
	same("claimed by somebody until 2026-11-20T14:00:00Z, written 280d ago", "Release 259/3", "Done 259/3")
	lintAll(t, dir, "receipts", "259/3")
	do("release")
	do("claim")
	if got := e.fails("textDocument/rename", doc+`,"position":{"line":0,"character":0},"newName":"other"}`); !strings.Contains(got, "somebody") {
		t.Errorf("a held task is renamed: %s", got)
	}
	do("done")
	same("done by somebody since 2026-11-20T12:00:00Z, written 280d ago")
	if got := e.fails("textDocument/rename", doc+`,"position":{"line":0,"character":0},"newName":"!!!"}`); !strings.Contains(got, "a slug is words") {
		t.Errorf("%s", got)
	}
	treetest.Write(t, dir, "specs/259_taken/README.md", "")
	e.fails("textDocument/rename", doc+`,"position":{"line":0,"character":0},"newName":"taken"}`)
	if err := os.RemoveAll(filepath.Join(dir, "specs/259_taken")); err != nil {
		t.Fatal(err)
	}
	var offered struct{ Placeholder string }
	if e.ask("textDocument/prepareRename", doc+`,"position":{"line":0,"character":0}}`, &offered); offered.Placeholder != "prove" {
		t.Errorf("%+v", offered)
	}
	e.ask("textDocument/rename", doc+`,"position":{"line":0,"character":0},"newName":"proved"}`, new(any))
	if _, err := os.Stat(filepath.Join(dir, strings.Replace(nvimDoc, "prove", "proved", 1))); err != nil {
		t.Error(err)
	}
}

// editor is a client of `handoff lsp`.
type editor struct {
	*testing.T
	out io.Writer
	in  *textproto.Reader
}

func startEditor(t *testing.T, dir string) *editor {
	t.Helper()
	stdin, out := io.Pipe()
	in, stdout := io.Pipe()
	w := &command.Process{Stdin: stdin, Stdout: stdout, Stderr: io.Discard, Dir: dir, Getenv: func(string) string { return "" }, Now: inNovember}
	ended := make(chan int, 1)
	go func() { ended <- run(context.Background(), w, []string{"lsp", "--stdio"}) }()
	e := &editor{T: t, out: out, in: textproto.NewReader(bufio.NewReader(in))}
	e.ask("initialize", `{"processId":null,"capabilities":{}}`, new(any))
	t.Cleanup(func() {
		e.ask("shutdown", "null", new(any))
		e.send("exit", 0, "null")
		if code := <-ended; code != command.Clean {
			t.Errorf("the server ended with %d", code)
		}
	})
	return e
}

func (e *editor) send(method string, id int, params string) {
	e.Helper()
	content := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	if id == 0 {
		content = strings.Replace(content, `"id":0,`, "", 1)
	}
	if _, err := fmt.Fprintf(e.out, "Content-Length: %d\r\n\r\n%s", len(content), content); err != nil {
		e.Fatal(err)
	}
}

// ask sends a request and parses its result. It returns the parameters of the last
// notification before the answer, nil if there was none.
func (e *editor) ask(method, params string, result any) (notified json.RawMessage) {
	e.Helper()
	notified, failure := e.answer(method, params, result)
	if failure != "" {
		e.Fatalf("%s: %s", method, failure)
	}
	return notified
}

// fails sends a request that the server refuses, and returns why.
func (e *editor) fails(method, params string) (failure string) {
	e.Helper()
	if _, failure = e.answer(method, params, new(any)); failure == "" {
		e.Errorf("%s %s: no error", method, params)
	}
	return failure
}

func (e *editor) answer(method, params string, result any) (notified json.RawMessage, failure string) {
	e.Helper()
	e.send(method, 3, params)
	for {
		header, err := e.in.ReadMIMEHeader()
		if err != nil {
			e.Fatal(err)
		}
		n, _ := strconv.Atoi(header.Get("Content-Length"))
		content := make([]byte, n)
		if _, err := io.ReadFull(e.in.R, content); err != nil {
			e.Fatal(err)
		}
		var m struct {
			Method         string
			Params, Result json.RawMessage
			Error          struct{ Message string }
		}
		if err := json.Unmarshal(content, &m); err != nil {
			e.Fatal(err)
		}
		if m.Method != "" {
			notified = m.Params
			continue
		}
		if m.Error.Message != "" {
			return notified, m.Error.Message
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			e.Fatalf("%v: %s", err, content)
		}
		return notified, ""
	}
}

func uriAt(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// diagnostics opens a document with a text. ours is false if nothing is published for it.
func (e *editor) diagnostics(path, text string) (list []string, ours bool) {
	e.Helper()
	raw, err := json.Marshal(map[string]any{"textDocument": map[string]any{"uri": uriAt(path), "languageId": "markdown", "version": 1, "text": text}})
	if err != nil {
		e.Fatal(err)
	}
	e.send("textDocument/didOpen", 0, string(raw))
	// This is answered after the diagnostics.
	published := e.ask("textDocument/documentLink", `{"textDocument":{"uri":"untitled:x"}}`, new(any))
	if published == nil {
		return nil, false
	}
	type position struct{ Line, Character int }
	var p struct {
		Diagnostics []struct {
			Range         struct{ Start, End position }
			Severity      int
			Code, Message string
		}
	}
	if err := json.Unmarshal(published, &p); err != nil {
		e.Fatal(err)
	}
	for _, d := range p.Diagnostics {
		list = append(list, fmt.Sprintf("%d:%d-%d:%d %d %s %s", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line, d.Range.End.Character, d.Severity, d.Code, d.Message))
	}
	return list, true
}
