//go:build linux

package nights

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// bin has the program that is tested, and those of the vendors.
var bin string

func TestMain(m *testing.M) {
	for _, vendor := range vendors {
		if filepath.Base(os.Args[0]) == vendor {
			agentMain(vendor, false)
			return
		}
	}
	if vendor := adapters[filepath.Base(os.Args[0])]; vendor != "" {
		agentMain(vendor, true)
		return
	}
	os.Exit(withPrograms(m.Run))
}

func withPrograms(f func() int) int {
	dir, err := os.MkdirTemp("", "hn")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	bin = dir
	self, err := os.Executable()
	if err == nil {
		for _, name := range []string{"claude", "codex", "claude-agent-acp", "codex-acp"} {
			err = errors.Join(err, os.Symlink(self, filepath.Join(dir, name)))
		}
	}
	if program := os.Getenv("HANDOFF_PROGRAM"); err == nil && program != "" {
		err = os.Symlink(program, filepath.Join(dir, "handoff"))
	} else if err == nil {
		var out []byte
		if out, err = exec.Command("go", "build", "-o", filepath.Join(dir, "handoff"), "handoff/cmd/handoff").CombinedOutput(); err != nil {
			err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return f()
}

// quickNights are the seeds of short nights: one on command lines, and one over the Agent Client Protocol.
var quickNights = []int{1, 3}

// TestNight runs nights. HANDOFF_NIGHT sets how many, HANDOFF_NIGHT_FROM the first seed, and
// HANDOFF_NIGHT_KEEP=1 keeps their folders.
func TestNight(t *testing.T) {
	needs.Tool(t, "git")
	count, seeds := number(t, "HANDOFF_NIGHT", 0), quickNights
	if count > 0 {
		seeds = nil
		for i := range count {
			seeds = append(seeds, number(t, "HANDOFF_NIGHT_FROM", 1)+i)
		}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			p := planOf(uint64(seed), count == 0)
			if quick := slices.Index(quickNights, seed); count == 0 && p.ACP != (quick == 1) {
				t.Errorf("over ACP: %t", p.ACP)
			}
			runNight(t, p)
		})
	}
}

func number(t testing.TB, name string, usual int) int {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// night is one run.
type night struct {
	t     *testing.T
	plan  plan
	dir   string // the repository
	night string // what the agents journal
	env   []string
	kills int             // of the plan, so far
	ended int             // how often the relay was ended before its end
	asked int             // questions that were answered
	said  strings.Builder // what the relay printed
	took  time.Duration

	failed []string // what is wrong
}

const (
	answer = "The base is ten."
	tests  = "sh test.sh"
)

func runNight(t *testing.T, p plan) {
	root := t.TempDir()
	if os.Getenv("HANDOFF_NIGHT_KEEP") != "" {
		var err error
		if root, err = os.MkdirTemp("", "night"); err != nil {
			t.Fatal(err)
		}
		t.Log(root)
	}
	n := &night{t: t, plan: p, dir: filepath.Join(root, "repository"), night: filepath.Join(root, "night")}
	home := filepath.Join(root, "home")
	n.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home + "/state", "CODEX_HOME=" + home + "/.codex", "CLAUDE_CONFIG_DIR=" + home + "/.claude", "LC_ALL=C", "TZ=UTC",
		"TMPDIR=" + os.TempDir(), needs.Ceilings + "=" + os.Getenv(needs.Ceilings), nightVar + "=" + n.night, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com"}
	p.save(t, n.night)
	n.repository()
	defer n.report()
	began := time.Now()
	n.run()
	n.took = time.Since(began)
	n.law()
}

// stepScript is the tool of the agents: it adds a line, slowly, and journals the effect. An agent that runs it
// although the line is there has done the step twice.
const stepScript = `# adds the line of step $1, after $2 seconds
echo $$ > "$NIGHT/tool"
sleep "${2:-0.05}"
echo "$1 $(($1 * $1))" >> src/squares.txt
echo "$1" >> "$NIGHT/effects"
`

const testScript = `n=0
while read -r number square; do
	n=$((n + 1))
	[ "$number $square" = "$n $((n * n))" ] || { echo "line $n is wrong: $number $square"; exit 1; }
done < src/squares.txt
[ $n = "$(cat steps)" ] || { echo "$n lines, want $(cat steps)"; exit 1; }
`

// repository makes the repository, with work of the user that is not committed.
func (n *night) repository() {
	for name, text := range map[string]string{"step.sh": stepScript, "test.sh": testScript, "steps": fmt.Sprintln(n.plan.Steps), "src/squares.txt": "", "README.md": "# Squares\n", "specs/README.md": "# Tasks\n", ".handoff.yaml": ""} {
		write(n.t, filepath.Join(n.dir, name), text)
	}
	n.must("git", "init", "-q", "-b", "main")
	n.must("git", "add", "-A")
	n.must("git", "commit", "-q", "-m", "first")
	write(n.t, filepath.Join(n.dir, "README.md"), "# Squares\n\nof mine\n")
	write(n.t, filepath.Join(n.dir, "notes/mine.txt"), "mine\n")
}

func (n *night) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	if name == "handoff" {
		cmd.Path = filepath.Join(bin, name)
		cmd.Err = nil
	}
	cmd.Dir, cmd.Env = n.dir, n.env
	return cmd
}

func (n *night) must(name string, args ...string) string {
	n.t.Helper()
	out, err := n.command(name, args...).CombinedOutput()
	if err != nil {
		n.fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// maxRuns is how often a relay is started in a night.
const maxRuns = 20

// run runs the relay until it has ended, as a person or a service does: it is continued after a kill,
// and its questions are answered.
func (n *night) run() {
	for range maxRuns {
		args := []string{"relay", "--until", tests}
		switch s := n.summary(); s.State {
		case "":
			args = append(args, "--task", "1", "--slug", "squares", "--level", "all", "--idle", "3s", "--max-continuations", "30", "--agent", n.plan.First)
			if n.plan.ACP {
				args = append(args, "--via", "acp")
			}
			for i := range 30 {
				other := vendors[i%2]
				if n.plan.First == vendors[0] {
					other = vendors[1-i%2]
				}
				args = append(args, "--then", other)
			}
			args = append(args, "--", "Write the squares of the numbers from 1 to "+fmt.Sprint(n.plan.Steps)+".")
		case "ended":
			return
		case "asks":
			n.asked++
			args = append(args, "--answer", "latest", "--", answer)
		default:
			args = append(args, "--resume", "latest")
		}
		n.once(args)
	}
	n.errorf("it has not ended after %d runs", maxRuns)
}

// once runs the relay once, and perhaps ends it meanwhile.
func (n *night) once(args []string) {
	cmd := n.command("handoff", args...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // what it has started may have its output
	if err := cmd.Start(); err != nil {
		n.fatalf("%v", err)
	}
	after, with := waittest.Limit, os.Signal(syscall.SIGQUIT) // something hangs: its stacks say where
	if n.kills < len(n.plan.Kills) {
		k := n.plan.Kills[n.kills]
		if after, with = time.Duration(k.After)*time.Millisecond, os.Kill; k.Signal {
			with = syscall.SIGTERM
		}
	}
	n.kills++
	timer := time.AfterFunc(after, func() { cmd.Process.Signal(with) })
	err := cmd.Wait()
	if !timer.Stop() && with != syscall.SIGQUIT {
		n.ended++
	}
	fmt.Fprintf(&n.said, "$ handoff relay … %q: %v\n%s", args[3:min(len(args), 5)], err, out.String())
	if with == syscall.SIGQUIT && strings.Contains(out.String(), "SIGQUIT") {
		n.fatalf("the relay hangs")
	}
}

// summary is what is known of the relay; the zero value before it is started.
func (n *night) summary() (s struct{ State, Reason, Why string }) {
	n.t.Helper()
	out, err := n.command("handoff", "relay", "--list", "--json").Output()
	var list []struct{ State, Reason, Why string }
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil || len(list) > 1 {
		n.fatalf("%d relays: %v", len(list), err)
	}
	if len(list) == 1 {
		s = list[0]
	}
	return s
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
