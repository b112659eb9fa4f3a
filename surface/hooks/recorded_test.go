package hooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/agents/host"
	"handoff/surface/hooks"
)

// TestRecorded answers what real programs wrote, with and without the name of the
// host: both find the same host, the session and the folder.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/recorded/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h, err := host.Named(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		in, err := host.Read(src)
		if err != nil || in.Session == "" || in.Dir != "/home/ann/project" || in.Transcript == "" || host.Detect(in, func(string) string { return "" }) != h.Name {
			t.Errorf("%s: %+v, %v", file, in, err)
		}
		event, err := host.ParseEvent(in.Native)
		k, ok := h.Hook(event)
		if err != nil || !ok || k.Native != in.Native {
			t.Errorf("%s: %s is read as %s (%v)", file, in.Native, event, err)
		}
		root := treeOf(t, false)
		stdin := strings.ReplaceAll(string(src), "/home/ann/project", filepath.ToSlash(root))
		for _, name := range []string{h.Name, hooks.Auto} {
			got := answer(t.Context(), t.TempDir(), name, event, stdin)
			checkAnswer(t, h, event, got)
			if delivers := name == h.Name && (event == host.SessionStart || event == host.Prompt); delivers != (got != "") {
				t.Errorf("%s, --host %s: %q", file, name, got)
			}
		}
		checkFaults(t, root, 0)
	}
}

// TestSummarizer: Claude Code lets a subagent without a type write the summary of a
// compaction. Its context is as full as that of the session, and it must end.
func TestSummarizer(t *testing.T) {
	root := treeOf(t, false)
	full := filepath.Join(t.TempDir(), "full.jsonl")
	put(t, filepath.Dir(full), filepath.Base(full), `{"type":"assistant","uuid":"u","sessionId":"s1","message":{"id":"m2","model":"claude-sonnet-4-5","usage":{"input_tokens":160000}}}`+"\n")
	const agent = `{"session_id":"a","agent_id":"x","agent_type":"TYPE","hook_event_name":"SubagentStop","stop_hook_active":false,"agent_transcript_path":"FULL"}`
	stop := strings.ReplaceAll(agent, "FULL", filepath.ToSlash(full))
	if got := answer(t.Context(), root, "claude", host.SubagentStop, strings.ReplaceAll(stop, "TYPE", "")); got != "" {
		t.Errorf("the summarizer is asked: %s", got)
	}
	answer(t.Context(), root, "claude", host.PreCompact, `{"session_id":"a"}`)
	if got := answer(t.Context(), root, "claude", host.SubagentStop, strings.ReplaceAll(stop, "TYPE", "compact")); got != "" {
		t.Errorf("a subagent is asked during a compaction: %s", got)
	}
	stop = strings.ReplaceAll(strings.ReplaceAll(stop, "TYPE", "Explore"), `"session_id":"a"`, `"session_id":"b"`)
	if got := answer(t.Context(), root, "claude", host.SubagentStop, stop); !strings.HasPrefix(got, `{"decision":"block"`) {
		t.Errorf("another subagent is not asked: %q", got)
	}
}

// TestCompactionInTranscript: no hook of Gemini CLI says that a compaction took place. A session is shown its
// handoff again after its transcript shows one, once.
func TestCompactionInTranscript(t *testing.T) {
	root, file := treeOf(t, false), filepath.Join(t.TempDir(), "session.jsonl")
	clock := now
	later := options()
	later.Now = func() time.Time { return clock }
	recorded := func(event host.Event) string {
		src, err := os.ReadFile(filepath.Join("testdata/recorded/gemini", string(event)+".json"))
		if err != nil {
			t.Fatal(err)
		}
		in, err := host.Read(src)
		if err != nil {
			t.Fatal(err)
		}
		stdin := strings.NewReplacer("/home/ann/project", filepath.ToSlash(root), in.Transcript, filepath.ToSlash(file)).Replace(string(src))
		clock = clock.Add(time.Second)
		return string(answered(t.Context(), hooks.Call{Within: patience, Event: event, Host: "gemini", Dir: root, Stdin: strings.NewReader(stdin),
			Getenv: func(string) string { return "" }, Options: later}))
	}
	transcript := `{"sessionId":"b3dd021f","kind":"main"}` + "\n"
	request := func(tokens int) string {
		transcript += fmt.Sprintf(`{"id":"b%d","type":"gemini","content":"","tokens":{"input":%[1]d,"output":1,"total":%[1]d},"model":"gemini-2.5-flash"}`+"\n", tokens)
		put(t, filepath.Dir(file), filepath.Base(file), transcript)
		return recorded(host.ToolUse)
	}
	if got := recorded(host.SessionStart); !strings.Contains(got, "specs/259_prove_completeness") {
		t.Fatalf("the session starts with %q", got)
	}
	for _, tokens := range []int{20_000, 90_000} {
		if got := request(tokens); got != "" {
			t.Errorf("with %d tokens: %s", tokens, got)
		}
	}
	if got := request(10_000); strings.Count(got, "The report below") != 1 {
		t.Errorf("after a compaction: %q", got)
	}
	if got := request(11_000); got != "" {
		t.Errorf("later: %s", got)
	}
}
