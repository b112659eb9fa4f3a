package prove

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/document/evidence"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/parse"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/trust"
)

func prover(t testing.TB, allow ...string) *Prover {
	t.Helper()
	c := config.Default()
	for _, entry := range allow {
		words, err := evidence.ParseAllowed(entry)
		if err != nil {
			t.Fatal(err)
		}
		c.Checks.Allow = append(c.Checks.Allow, words)
	}
	return New(workspace.New(t.TempDir(), c, workspace.Options{Trust: trust.All}))
}

func judged(t testing.TB, p *Prover, text string) (all []Result) {
	t.Helper()
	doc := parse.Document([]byte("# T\n\n## Critical Context\n" + text))
	if err := p.Document(context.Background(), "x.md", doc, nil, func(r Result) error { all = append(all, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// A command that takes too long is ended with all that it has started.
func TestTimeLimit(t *testing.T) {
	needs.Unix(t, "process groups")
	needs.Tool(t, "sh")
	p := prover(t, "./slow.sh")
	p.ws.Config.Checks.Timeout = 200 * time.Millisecond
	script := "#!/bin/sh\nsh -c 'echo $$ >pid; exec sleep 1000' &\nwait\n"
	if err := os.WriteFile(filepath.Join(p.ws.Root, "slow.sh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	got := judged(t, p, "- slow [verified: ./slow.sh]\n")
	if len(got) != 1 || got[0].Verdict != Failed || got[0].Why != "no result within 200ms" {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(filepath.Join(p.ws.Root, "pid"))
	if err != nil {
		t.Log("the machine was too busy to start it in time")
		return
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	waittest.Until(t, "its child has ended", func() bool { return exec.Command("kill", "-0", strconv.Itoa(pid)).Run() != nil })
}

// Of a long output the end is kept, without secrets and control characters.
func TestOutputLimit(t *testing.T) {
	needs.Unix(t, "a script")
	p := prover(t, "./loud.sh")
	p.ws.Config.Checks.Output = 1000
	script := "#!/bin/sh\ni=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done\nprintf 'token ghp_%s\\033[31m\\n' x8Kq2LmZt4Wv9RbNc7YpDs3HfJg6Ue1AoQiT\necho the end\nexit 3\n"
	if err := os.WriteFile(filepath.Join(p.ws.Root, "loud.sh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	got := judged(t, p, "- loud [verified: ./loud.sh]\n")
	if len(got) != 1 || got[0].Why != "it ended with exit status 3" || !strings.HasSuffix(got[0].Output, "the end") || strings.Count(got[0].Output, "\n") != maxLines-1 {
		t.Fatalf("%+v", got)
	}
	if strings.Contains(got[0].Output, "x8Kq2LmZ") || strings.Contains(got[0].Output, "\x1b") {
		t.Errorf("%q", got[0].Output)
	}
}

// The environment of a command has no variable that may be a secret.
func TestEnvironment(t *testing.T) {
	needs.Unix(t, "a script")
	t.Setenv("SOME_TOKEN", "abc")
	p := prover(t, "./env.sh")
	if err := os.WriteFile(filepath.Join(p.ws.Root, "env.sh"), []byte("#!/bin/sh\nenv\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := judged(t, p, "- env [verified: ./env.sh]\n"); strings.Contains(got[0].Output, "SOME_TOKEN") || !strings.Contains(got[0].Output, "PATH=") {
		t.Errorf("%+v", got)
	}
}

// An item that was copied from the document before, with its mark, is inherited.
func TestInherited(t *testing.T) {
	p := prover(t)
	before := parse.Document([]byte("# T\n\n## What NOT to Try\n- simp: loops\n- omega [verified: make x @1a2b3c4]\n\n## References\n- a.md\n"))
	doc := parse.Document([]byte("# T\n\n## What NOT to Try\n- simp: loops\n- omega [verified: make x @1a2b3c4]\n- new: one\n\n## References\n- a.md\n"))
	var got []string
	err := p.Document(t.Context(), "x.md", doc, before, func(r Result) error {
		got = append(got, strconv.Itoa(r.Line)+" "+strconv.FormatBool(r.Inherited)+" "+string(r.Verdict))
		return nil
	})
	if want := []string{"4 true unverified", "5 true unverified"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// FuzzNothingElseRuns: whatever a document says, only allowed commands are run.
func FuzzNothingElseRuns(f *testing.F) {
	f.Add("- x [verified: go test ./parse @1a2b3c4]\n- y [verified: go test -exec sh ./x]\n")
	f.Add("1. x [verified: `make check`]\n   [verified: rm -rf .]\n")
	f.Add("- x [verified: 'go' \"test\" ../../etc]\n")
	p := prover(f, "go test ...", "make check")
	p.exec = func(_ context.Context, _ *Prover, command []string) outcome {
		fine := slices.Equal(command, []string{"make", "check"}) || len(command) >= 2 && command[0] == "go" && command[1] == "test"
		for _, word := range command[min(2, len(command)):] {
			fine = fine && !strings.HasPrefix(word, "-") && filepath.IsLocal(word)
		}
		if !fine {
			panic(command)
		}
		return outcome{}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p.ran = map[string]outcome{}
		judged(t, p, text)
	})
}

// TestNotTrusted: in a workspace that the user has not trusted, nothing that the
// configuration allows is run, and a caller learns it.
func TestNotTrusted(t *testing.T) {
	refused := errors.New("not trusted: type something")
	p := prover(t, "./mark.sh")
	p.ws.Options.Trust = func(string, config.Config) error { return refused }
	p.ws.Config.Checks.Tests = [][]string{{"./mark.sh"}}
	var said []string
	p.ws.Options.Say = func(line string) { said = append(said, line) }
	p.exec = func(context.Context, *Prover, []string) outcome { t.Error("it was run"); return outcome{} }
	all := judged(t, p, "1. it [verified: ./mark.sh]\n2. other [verified: ./other.sh]\n")
	if len(all) != 2 || all[0].Verdict != Unverified || !strings.Contains(all[0].Why, "type something") || strings.Contains(all[1].Why, "type something") {
		t.Errorf("%+v", all)
	}
	if !errors.Is(p.Left(), refused) {
		t.Errorf("the caller gets %v", p.Left())
	}
	if lines, err := Tests(t.Context(), p.ws); err != nil || len(lines) > 0 || len(said) != 1 || !strings.Contains(said[0], "type something") {
		t.Errorf("tests for a new document: %q, %v, said %q", lines, err, said)
	}
	if judged(t, prover(t), "1. it [verified: ./mark.sh]\n"); prover(t).Left() != nil {
		t.Error("nothing was left out, and an error says so")
	}
}
