package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// reference is a thing that commands take by name: its whole name first, then the others that
// mean it.
type reference struct {
	names   []string
	unknown string // names none
}

// otherWords are the words of usages that name no handoff, task, thread, tape, run or artifact
// of the workspace, or one that a command creates, and numbers.
const otherWords = `A ADDR AGE AGENT ARG ARGUMENT ARGUMENTS BYTES CMD COMMAND COUNT DATE DIR ERROR EVENT FILE FOLDER FORM FORMAT HOW ID JSON KEY KIND LANG LEVEL
LINES MODE N NAME NEW NUMBER OBJECTIVE ORIGIN OTHER P PROGRAM PROMPT RULE SEQ SESSION SLUG STATE TEMPLATE TEXT TIME TITLE TO URI URL WHAT WHEN WHERE WHO WHOM WORD WORDS X ZONE NOTE PATH`

// elsewhere are the references that need more than this test has, with the test that tries them.
var elsewhere = map[string]string{
	"audit --handoff":      "audit.txtar",
	"run RUN":              "run.txtar",
	"run --cancel":         "run.txtar",
	"relay RELAY":          "TestList of workspace/relay/log",
	"relay --resume":       "TestList of workspace/relay/log",
	"relay --stop":         "TestList of workspace/relay/log",
	"relay --answer":       "TestList of workspace/relay/log",
	"restore REF":          "restore.txtar",
	"thread repair THREAD": "a thread that is not damaged has nothing to say; thread-repair.txtar",
	"store copy FROM":      "the address of a store",
	"new --thread":         "thread-show.txtar",
}

// givenWith is what else a command needs to succeed.
var givenWith = map[string][]string{
	"claim REF": {"--as", "ann"}, "ack REF": {"--first-action", "Run `go vet ./...`."},
	"spawn REF": {"--agent", "claude", "--print"}, "convert FROM": {"--to", "bundle"}, "fix PATH": {"--diff"},
	"task rename TASK": {"SLUG"}, "thread export THREAD": {"--rip", "rip"}, "thread post-message THREAD": {"--content", "x"},
	"thread handoff THREAD": {"--summary-markdown", "x"}, "thread rename THREAD": {"x"}, "thread compaction-checkpoint THREAD": {"--summary-markdown", "x", "--stride-messages", "1"},
	"thread provider-cursor-rotate THREAD": {"--reason", "x"}, "run THREAD": {"--content", "x", "--", "true"}, "render BUNDLE": {"--for", "prompt"},
	"new --replace":    {"--task", "1", "--phase", "2", "--next-action", "Run `go vet ./...`.", "--draft", "--force", "--why", "x"},
	"convert --thread": {"1/2", "--to", "thread"}, "tape send --from-document": {"--from", "a", "--to", "b"}, "tape send --from-thread": {"--from", "a", "--to", "b"},
	"thread handoff --artifact": {"latest", "--summary-markdown", "x"}, "thread handoff --summary-artifact-id": {"latest"},
	"thread handoff --thread": {"an-older", "--summary-markdown", "x"}, "thread post-message --thread": {"an-older", "--content", "x"},
	"thread reference THREAD":                            {"an-older"},
	"thread compaction-checkpoint --summary-artifact-id": {"latest", "--stride-messages", "1"},
	"task close TASK":                                    {"--force"}, "task archive TASK": {"--force"},
}

// words of a usage that name something: "REF|ARTIFACT" has two.
var usageWord = regexp.MustCompile(`\b[A-Z]{1,}\b`)

// referencesOf lists the references of all commands, as "claim REF" or "new --replace", with
// the kind of each.
func referencesOf(t *testing.T, kinds map[string]reference) map[string]string {
	others := strings.Fields(otherWords)
	found := map[string]string{}
	add := func(name, command, usage string) {
		for _, word := range usageWord.FindAllString(usage, -1) {
			switch _, known := kinds[word]; {
			case known:
				found[strings.ReplaceAll(name, "*", word)] = word
			case !slices.Contains(others, word):
				t.Errorf("%s: %s is new here: a reference of which kind, or none?", command, word)
			}
		}
	}
	var walk func([]*cli.Command, string)
	walk = func(list []*cli.Command, above string) {
		for _, c := range list {
			name := above + c.Name
			if walk(c.Subcommands, name+" "); len(c.Subcommands) > 0 {
				continue
			}
			usage, _, _ := strings.Cut(c.UsageText, "\n\n")
			add(name+" *", name, usage)
			for _, f := range c.Flags {
				_, quoted, _ := strings.Cut(f.(cli.DocGenerationFlag).GetUsage(), "`")
				quoted, _, _ = strings.Cut(quoted, "`")
				if strings.ToUpper(quoted) == quoted {
					add(name+" --"+f.Names()[0], name, quoted)
				}
			}
		}
	}
	w := &command.Process{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Getenv: func(string) string { return "" }}
	walk(newApp(w, "").Commands, "")
	return found
}

// place is a workspace with one of everything, in which commands run one after the other.
type refPlace struct {
	dir string
	ids int
}

func (p *refPlace) run(args ...string) (code int, out, text string) {
	var stdout, stderr bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: p.dir,
		Now:    func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) },
		NewID:  func() string { p.ids++; return fmt.Sprintf("%08x-0000-4000-8000-%012d", p.ids*0x01000001, p.ids) },
		Getenv: func(name string) string { return map[string]string{"HOME": p.dir, "PATH": os.Getenv("PATH")}[name] }}
	code = run(context.Background(), w, args)
	return code, strings.ReplaceAll(stdout.String(), p.dir, "DIR"), strings.ReplaceAll(stderr.String(), p.dir, "DIR")
}

func (p *refPlace) must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, text := p.run(args...)
	if code != command.Clean {
		t.Fatalf("%s: %d\n%s%s", strings.Join(args, " "), code, out, text)
	}
	return strings.TrimSpace(out)
}

// TestReferences: each command that takes a handoff, a task, a thread, a tape or an artifact
// takes each of the names for it, with the same result, and refuses one that names nothing.
func TestReferences(t *testing.T) {
	const path = "specs/1_first/handoffs/phase-2-handoff-20260212T150000Z.md"
	p := &refPlace{dir: t.TempDir()}
	for at, text := range map[string]string{
		path: "# Phase 2 Handoff - 20260212T150000Z\n\n## Immediate Next Action\nRun `go vet ./...`.\n",
		"specs/1_first/handoffs/phase-1-handoff-20260212T140000Z.md": "# Phase 1 Handoff - 20260212T140000Z\n\n## Immediate Next Action\nRun it.\n",
		"specs/2_other/handoffs/phase-1-handoff-20260211T140000Z.md": "# Phase 1 Handoff - 20260211T140000Z\n\n## Immediate Next Action\nRun it.\n",
		"specs/1_first/.return-meta.json":                            `{"status":"partial","artifacts":[]}` + "\n",
	} {
		full := filepath.Join(p.dir, at)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.must(t, "sync", "1")
	p.must(t, "thread", "create", "--title", "An older one")
	thread := regexp.MustCompile(`"thread_id":"([^"]+)"`).FindStringSubmatch(p.must(t, "thread", "create", "--title", "Completeness proof"))[1]
	p.must(t, "thread", "post-message", thread, "--content", "What is left?")
	summary := regexp.MustCompile(`"summary_artifact_id":"([^"]+)"`).FindStringSubmatch(p.must(t, "thread", "compaction-checkpoint", thread, "--summary-markdown", "x", "--stride-messages", "1"))[1]
	context := p.must(t, "compile", thread)
	bundle := p.must(t, "bundle", "create", path)
	p.must(t, "tape", "append", "hello")
	p.must(t, "tape", "fork", "attempt-one")
	handoffs := []string{path, "1/2", "latest", "1", "first", "1_fir", "phase 2 handoff"}
	kinds := map[string]reference{
		"REF":      {handoffs, "nonsense"},
		"FROM":     {append(handoffs, "tape:x")[:len(handoffs)], "nonsense"},
		"TASK":     {[]string{"specs/1_first", "1", "1/2", "first", "1_fir", "latest", path}, "nonsense"},
		"THREAD":   {[]string{thread, thread[:8], "latest", "complete", "completeness-PROOF"}, "nonsense"},
		"ARTIFACT": {[]string{bundle, bundle[:8]}, "ffffffff"},
		"BUNDLE":   {[]string{context, context[:8]}, "ffffffff"},
		"FORK":     {[]string{"attempt-one", "attempt", "Attempt one"}, "nonsense"},
		"RUN":      {}, "RELAY": {},
	}
	found := referencesOf(t, kinds)
	found["lint PATH"], found["fix PATH"] = "REF", "REF" // a PATH there is that of a handoff
	found["thread compaction-checkpoint --summary-artifact-id"] = "SUMMARY"
	kinds["SUMMARY"] = reference{[]string{summary, summary[:8]}, "ffffffff"}
	if len(found) < 50 {
		t.Errorf("%d references", len(found))
	}
	for _, list := range []map[string]string{elsewhere, keysOf(givenWith)} {
		for name := range list {
			if found[name] == "" {
				t.Errorf("%s: no such reference", name)
			}
		}
	}
	for name, kind := range found {
		if elsewhere[name] == "" {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tryNames(t, p, name, kinds[kind])
			})
		}
	}
}

func keysOf(list map[string][]string) map[string]string {
	names := map[string]string{}
	for name := range list {
		names[name] = name
	}
	return names
}

// tryNames runs a command with each name of a thing, each time in a copy of the workspace.
func tryNames(t *testing.T, from *refPlace, name string, r reference) {
	call := func(ref string) (int, string, string) {
		p := &refPlace{t.TempDir(), from.ids}
		if err := os.CopyFS(p.dir, os.DirFS(from.dir)); err != nil {
			t.Fatal(err)
		}
		if step, _, _ := strings.Cut(name, " "); slices.Contains([]string{"ack", "renew", "release", "done"}, step) {
			p.must(t, "claim", "1/2", "--as", "ann")
		}
		return p.run(wholeCommand(name, ref)...)
	}
	code, want, text := call(r.names[0])
	if code == command.Failed {
		t.Errorf("%s %s: %d\n%s%s", name, r.names[0], code, want, text)
		return
	}
	if testing.Short() {
		r.names = r.names[:2]
	}
	for _, ref := range r.names[1:] {
		got, out, text := call(ref)
		if got != code || out != want && !slices.Contains(wholeTasks, name) {
			t.Errorf("%s %s: %d, not %d\n%s%swant\n%s", name, ref, got, code, out, text, want)
		}
	}
	if got, out, text := call(r.unknown); got != command.Failed || out != "" {
		t.Errorf("%s %s: %d\n%s%s", name, r.unknown, got, out, text)
	}
}

// wholeTasks lists all of a task for its number or name, and not only the newest.
var wholeTasks = []string{"ls REF", "lint PATH", "fix PATH"}

// wholeCommand is the command with a reference where its name has the word, and all that it
// needs.
func wholeCommand(name, ref string) []string {
	words := strings.Fields(name)
	last := words[len(words)-1]
	words = words[:len(words)-1]
	if strings.HasPrefix(last, "--") {
		words = append(words, last)
	}
	return slices.Concat(words, []string{ref}, givenWith[name])
}
