package draft_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
	"handoff/document/handoff"
	"handoff/document/pinned"
	"handoff/internal/file/gitindex"
	"handoff/internal/testing/needs"
	"handoff/lint"
	"handoff/lint/rules"
	"handoff/parse"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/draft"
	"handoff/workspace/pins"
)

const recorded = "../../agents/transcript/facts/testdata"

// recordings are the sessions of all hosts.
func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(recorded + "/*.json*")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	return files
}

// tree is a workspace with the files of the recorded sessions.
func tree(t *testing.T) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "specs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(root, file), []byte("one\ntwo\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(root, workspace.Options{Rules: rules.All})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func read(t *testing.T, src []byte) *facts.Facts {
	t.Helper()
	f, err := facts.Read(bytes.NewReader(src), "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func load(t *testing.T, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// check lints a draft: all that is found is what only a person can do, and it fits one screen.
func check(t *testing.T, ws *workspace.Workspace, text []byte) {
	t.Helper()
	name := "specs/1_parse/handoffs/phase-1-handoff-20260212T150000Z.md"
	in := lint.Input{Doc: parse.Document(text), Path: name, Name: handoff.ParseName(name), Filed: true, Now: ws.Now()}
	found := 0
	for _, f := range lint.Document(&in, rules.All, &ws.Config.Settings) {
		switch f.Rule {
		case "draft":
			found++
		case "mismatched-title": // the time in the name is the test's
		default:
			t.Errorf("%d: %s (%s)\n%s", f.Lines.First, f.Message, f.Rule, text)
		}
	}
	if found != 1 {
		t.Errorf("the rule draft reports %d times:\n%s", found, text)
	}
}

// TestRecorded: a draft of each recorded session is clean, wherever the transcript ends.
func TestRecorded(t *testing.T) {
	ws := tree(t)
	for _, file := range recordings(t) {
		src := load(t, file)
		for _, n := range []int{len(src), len(src) - 1, len(src) * 3 / 4, len(src) / 2, len(src) / 3} {
			text, err := draft.Text(t.Context(), ws, draft.Origin{Agent: "claude", Source: filepath.Base(file), Command: "handoff draft --all"}, read(t, src[:n]))
			if err != nil {
				t.Fatal(err)
			}
			check(t, ws, text)
		}
	}
}

// TestAllCorpus does the same for long recorded sessions.
func TestAllCorpus(t *testing.T) {
	dir := filepath.Join(needs.Folder(t, "HANDOFF_CORPUS"), "transcripts")
	files, err := filepath.Glob(filepath.Join(dir, "*/*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	ws := tree(t)
	for _, file := range files {
		text, err := draft.Text(t.Context(), ws, draft.Origin{Source: filepath.Base(file)}, read(t, load(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		check(t, ws, text)
	}
}

// span is a code span followed by a pointer, with what may be between the two.
var (
	span    = regexp.MustCompile("(`)([^`]+)`((?:: failed [0-9]+ times, the last with exit [0-9]+, `[^`]+`)?(?: lines? [0-9, -]+| in progress| pending|: exit -?[0-9]+|: no error reported|: failed, no exit status recorded|: ran, result unseen)?) \\(session\\.jsonl:([0-9, ]+)\\)")
	pointer = regexp.MustCompile(`\(session\.jsonl:[0-9]`)
)

// TestEachPointer follows each pointer of a document: the text before it is on one of the
// lines that it names.
func TestEachPointer(t *testing.T) {
	ws := tree(t)
	for _, file := range recordings(t) {
		src := load(t, file)
		text, err := draft.Text(t.Context(), ws, draft.Origin{Source: file}, read(t, src))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(src), "\n")
		followed := 0
		for _, m := range span.FindAllStringSubmatch(string(text), -1) {
			followed++
			if !onLines(lines, strings.TrimSuffix(m[2], "…"), m[4], strings.HasSuffix(file, ".json")) {
				t.Errorf("%s: %q is not on line %s", filepath.Base(file), m[2], m[4])
			}
		}
		if all := len(pointer.FindAll(text, -1)); followed < all-4 || followed < 6 { // location, next action, a place of the last change and a text with backquotes have something between
			t.Errorf("%s: %d of %d pointers followed:\n%s", filepath.Base(file), followed, all, text)
		}
	}
}

// onLines reports whether a text is on one of the lines; in an export, which has a value
// on many lines, on one of the lines of the part that begins there.
func onLines(lines []string, text, numbers string, export bool) bool {
	for n := range strings.SplitSeq(numbers, ", ") {
		at, err := strconv.Atoi(n)
		if err != nil || at < 1 || at > len(lines) {
			return false
		}
		line := lines[at-1]
		if export {
			line = strings.Join(lines[at-1:min(len(lines), at+90)], "\n")
		}
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// TestOneScreen: a long session fits one screen, the rest is counted, and All prints it.
func TestOneScreen(t *testing.T) {
	var b strings.Builder
	call := func(id, tool, input, result string, failed bool) {
		b.WriteString(`{"type":"assistant","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_use","id":"` + id + `","name":"` + tool + `","input":` + input + "}]}}\n")
		b.WriteString(`{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"` + result + `","is_error":` + strconv.FormatBool(failed) + "}]}}\n")
	}
	b.WriteString(`{"type":"user","uuid":"u","sessionId":"s","message":{"content":"Fix all of it.\n\n- the parser\n- the lexer"}}` + "\n")
	for n := range 30 {
		id := strconv.Itoa(n)
		call("w"+id, "Write", `{"file_path":"/nowhere/f`+id+`.go"}`, "", false)
		call("r"+id, "Read", `{"file_path":"/nowhere/r`+id+`.go"}`, "", false)
		call("a"+id, "Bash", `{"command":"make `+id+`"}`, `Exit code 2\nno rule`, true)
		call("b"+id, "Bash", `{"command":"make `+id+`"}`, `Exit code 2\nno rule`, true)
	}
	ws := tree(t)
	f := read(t, []byte(b.String()))
	git := &gitindex.State{Branch: "main", Commit: strings.Repeat("a1", 20), Changed: []string{"1", "2", "3", "4", "5", "6"}}
	o := draft.Origin{Source: "s.jsonl", Command: "handoff draft --transcript s.jsonl --all", Git: git}
	text, err := templates.Render(draft.Values(o, f), "", true)
	if err != nil {
		t.Fatal(err)
	}
	check(t, ws, text)
	for _, want := range []string{"26 failures, 26 files changed, 26 files read, 52 commands; `handoff draft --transcript s.jsonl --all` prints all", "`make 29`: failed 2 times, the last with exit 2, `no rule` (session.jsonl:239, 240, 241)",
		"branch `main` at `a1a1a1a1a1`, uncommitted: `1`, `2`, `3`, `4` and 2 more", "`Fix all of it. - the parser - the lexer` (session.jsonl:1)"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	o.All = true
	if text, err = templates.Render(draft.Values(o, f), "", true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"f0.go", "r0.go", "`make 0`: exit 2", "`6`", "```\nFix all of it.\n\n- the parser\n- the lexer\n```"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "Left out") {
		t.Errorf("something is left out of\n%s", text)
	}
}

// TestWrite writes a draft as a handoff, with files of the session's folder below the root.
func TestWrite(t *testing.T) {
	ws := tree(t)
	src := bytes.ReplaceAll(load(t, recorded+"/claude.jsonl"), []byte("/home/app"), []byte(filepath.ToSlash(ws.Root)))
	made, _, err := draft.Write(t.Context(), ws, draft.Origin{Agent: "claude", Source: "s.jsonl", Task: 7, Phase: 2}, read(t, src), "fix count")
	if err != nil {
		t.Fatal(err)
	}
	text := made.Doc.Source
	if !strings.HasPrefix(made.Path, "specs/7_fix_count/handoffs/phase-2-handoff-") || !made.Doc.Front.Draft || made.Doc.Front.Source != "s.jsonl" {
		t.Errorf("%s: %+v", made.Path, made.Doc.Front)
	}
	for _, want := range []string{"- **File**: `b.txt`", "`a.txt` lines 3-4 (session.jsonl:9)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestSource: a document names neither the home folder nor the folder of the workspace.
func TestSource(t *testing.T) {
	for path, want := range map[string]string{"/home/ann/w/t.jsonl": "t.jsonl", "/home/ann/.claude/t.jsonl": "~/.claude/t.jsonl", "/tmp/t.jsonl": "/tmp/t.jsonl"} {
		if got := draft.Source("/home/ann/w", "/home/ann", path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := draft.Source("/w", "", "/t.jsonl"); got != "/t.jsonl" {
		t.Error(got)
	}
}

// TestItself: the draft of an agent's own session does not ask to find out what the
// drafting command did.
func TestItself(t *testing.T) {
	src := load(t, recorded+"/codex.jsonl")
	src = bytes.ReplaceAll(src, []byte("sleep 40"), []byte("handoff draft --task 1"))
	text, err := draft.Text(t.Context(), tree(t), draft.Origin{Source: "s.jsonl"}, read(t, src))
	if err != nil || strings.Contains(string(text), "handoff draft --task 1") || !strings.Contains(string(text), "Continue with `Fix the count`") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestStep: the step of the report before stays the next one until the agent shows that it
// worked, and drafts of drafts keep it as it was.
func TestStep(t *testing.T) {
	report := "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `make check`.\n\n## Current State\n- **File**: b.txt\n- **Location**: line 2\n- **Goal state**:\n  ```\n  one\n    two\n  ```\n"
	wrote := &facts.Facts{Written: []facts.File{{Path: "a.txt", Line: 3}}}
	const compare = "Compare `a.txt`, which was changed last (session.jsonl:3), with the goal below."
	for name, c := range map[string]struct {
		past string
		f    *facts.Facts
		want string
	}{
		"it only read":         {report, &facts.Facts{Read: []facts.File{{Path: "a.txt", Line: 3}}}, "Run `make check`."},
		"it only ran handoff":  {report, &facts.Facts{Commands: []facts.Command{{Text: "handoff ack", Line: 1, State: facts.Succeeded}}}, "Run `make check`."},
		"it wrote":             {report, wrote, compare + " The step before was: Run `make check`."},
		"several lines":        {strings.Replace(report, "check`.", "check`.\n\nThen stop.", 1), wrote, compare + "\n\nThe step before was: Run `make check`.\n\nThen stop."},
		"a report without one": {"# Phase 1 Handoff\n", wrote, compare},
		"a draft of a draft": {"---\ndraft: true\nsource: x\n---\n" + strings.Replace(report, "Run", "Compare `b.txt`, which was changed last (output:9), with the goal below. The step before was: Run", 1), wrote,
			compare + " The step before was: Run `make check`."},
		"a draft with a step of its own": {"---\ndraft: true\nsource: x\n---\n# Phase 1 Handoff\n\n## Immediate Next Action\nCompare `b.txt`, which was changed last (output:9), with the goal below.\n", wrote, compare},
	} {
		v := draft.Values(draft.Origin{Past: parse.Document([]byte(c.past)), Before: "x.md"}, c.f)
		if v.NextAction != c.want {
			t.Errorf("%s: %q\nwant %q", name, v.NextAction, c.want)
		}
	}
	v := draft.Values(draft.Origin{Past: parse.Document([]byte(report)), Before: "x.md"}, &facts.Facts{})
	if want := (templates.State{File: "b.txt", Location: "line 2", Goal: "one\n  two"}); v.State != want {
		t.Errorf("%+v", v.State)
	}
}

// TestCarried: a draft takes over the pinned items and the goal of the report that the agent
// continued, within one screen. So does a draft of that draft.
func TestCarried(t *testing.T) {
	ws := tree(t)
	const path = "specs/7_count/handoffs/phase-2-handoff-20260212T143022Z.md"
	report := "# Phase 2 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `make check`.\n\n## Current State\n- **File**: b.txt\n- **Location**: line 2\n- **Goal state**: it passes\n\n" +
		"## Key Decisions Made\n1. None\n\n## What NOT to Try\n1. ring: wrong goal\n2. simp: it loops\n3. omega: too slow\n\n## Critical Context (max 5 items)\n- Offsets are bytes\n- The order matters\n  to the parser\n\n## References (read only if stuck)\n- None\n"
	file := filepath.Join(ws.Root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(report), 0o600); err != nil {
		t.Fatal(err)
	}
	failed := func(text string) facts.Failure {
		return facts.Failure{Text: text, Command: true, Times: 2, Call: 1, Lines: []int{2}}
	}
	f := &facts.Facts{Written: []facts.File{{Path: "a.txt", Line: 3}}, Failures: []facts.Failure{failed("make 1"), failed("make 2"), failed("make 3")}, Lines: 9}
	before := path
	for range 2 {
		made, _, err := draft.Write(t.Context(), ws, draft.Origin{Agent: "claude", Source: "s.jsonl", Before: before, Task: 7, Phase: 2}, f, "")
		if err != nil {
			t.Fatal(err)
		}
		check(t, ws, []byte(made.Doc.Source))
		if !strings.Contains(made.Doc.Source, "- **Goal state**: it passes\n") {
			t.Errorf("no goal in\n%s", made.Doc.Source)
		}
		step, err := pins.Between(ws, documents.EntryAt(ws, before), documents.EntryAt(ws, made.Path))
		if err != nil || step.Lost() > 0 {
			t.Errorf("%v: %+v", err, step)
		}
		before = made.Path
	}
}

// TestTemporary: a file in a temporary folder outside of the workspace is the next step only
// if there is nothing else.
func TestTemporary(t *testing.T) {
	inside := facts.File{Path: "a.txt", Line: 1}
	outside := facts.File{Path: filepath.ToSlash(filepath.Join(os.TempDir(), "b7636e2.output")), Line: 2}
	said := facts.Quote{Text: "Everything is clean and pushed.", Line: 3}
	for name, c := range map[string]struct {
		f    facts.Facts
		want string
	}{
		"read before":       {facts.Facts{Read: []facts.File{inside, outside}, Said: said}, "Read `a.txt` again"},
		"read, not written": {facts.Facts{Written: []facts.File{outside}, Read: []facts.File{inside}}, "Read `a.txt` again"},
		"written before":    {facts.Facts{Written: []facts.File{inside, outside}}, "Compare `a.txt`"},
		"last words":        {facts.Facts{Read: []facts.File{outside}, Said: said}, "Run `git status` and compare what changed with what the agent said last"},
		"nothing else":      {facts.Facts{Read: []facts.File{outside}}, "Read `" + outside.Path + "` again"},
	} {
		if v := draft.Values(draft.Origin{}, &c.f); !strings.HasPrefix(v.NextAction, c.want) {
			t.Errorf("%s: %s", name, v.NextAction)
		}
	}
}

// TestFiller: the text of sections without items, and what describes the session, are not
// pinned items.
func TestFiller(t *testing.T) {
	ws := tree(t)
	for _, file := range recordings(t) {
		text, err := draft.Text(t.Context(), ws, draft.Origin{Source: "s.jsonl", Git: &gitindex.State{Branch: "main"}}, read(t, load(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range pinned.Items(parse.Document(text)) {
			if it.Section != handoff.DeadEnds || !strings.Contains(it.Text, ": failed ") {
				t.Errorf("%s: %s", filepath.Base(file), it.Text)
			}
		}
	}
}
