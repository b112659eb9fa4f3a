package main

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"handoff/surface/command"
)

// story holds a shop at three moments, and the session of an agent that works on it: as the agent's host
// recorded it, with SHOP for the folder, TIME for the times and RESET for when the limit ends.
//
//go:embed demo
var story embed.FS

const storyOpening = "An agent stops in the middle of its work. Who continues, and from what? All commands below are run, in"

// The agents that claim the work. A host passes the id of its session to each command that it runs.
var (
	codex  = storyAgent{"codex", "CODEX_THREAD_ID", "019a7c1e"}
	gemini = storyAgent{"gemini", "GEMINI_SESSION_ID", "5b0f2d44"}
)

type storyAgent struct{ name, variable, session string }

// storySteps are the parts of the story.
func storySteps() []demoStep {
	return []demoStep{
		{"claude works on a web shop, until its account is used up:", func(d *demo) {
			d.shop()
			d.recording()
		}},
		{"It wrote no handoff. What is on this machine?", func(d *demo) {
			d.person(nil, "sessions")
		}},
		{"A handoff is drafted from what was recorded, without a model. What is not committed is kept with it:", func(d *demo) {
			d.person([]string{"specs/"}, "draft", "--session", "8463", "--save")
			d.git("add", "specs")
			d.git("commit", "-q", "-m", "handoff of claude")
		}},
		{"Two agents start, each in a working tree of its own. One gets the work, the other one is told who has it:", func(d *demo) {
			for _, a := range []storyAgent{codex, gemini} {
				d.git("worktree", "add", "-q", "-b", a.name, "../"+a.name)
			}
			d.agent(codex, command.Clean, []string{"handoff: claimed"}, "claim", "1", "--as", "codex")
			d.agent(gemini, command.Findings, []string{"handoff: specs/"}, "claim", "1", "--as", "gemini")
		}},
		{"codex reads where to start, what is not true any more, and what not to try again:", func(d *demo) {
			d.agent(codex, command.Clean, []string{"## Immediate", "Continue", "- **The agent said", "- **Checked", "## What NOT", "1. "}, "brief", "--level", "2")
		}},
		{"The files that claude had not committed are back, in the tree of codex:", func(d *demo) {
			d.agent(codex, command.Clean, nil, "restore")
		}},
		{"codex rounds with Math.round, and would leave the rest to the next agent. A vague step is refused:", func(d *demo) {
			d.copied("codex", "codex")
			d.agent(codex, command.Findings, []string{"--next-action: error"}, "new", "--task", "1", "--phase", "1", "--file", "cart.js", "--next-action", "Continue working on the tests")
		}},
		{"So codex finishes it. What became of claude's work is on record:", func(d *demo) {
			d.agent(codex, command.Clean, nil, "done")
			d.person(nil, "receipts", "1")
		}},
	}
}

func (d *demo) tree(name string) string { return filepath.Join(d.dir, name) }

// home is the environment of the story: a home folder of its own, and no session of an agent that runs
// the demo.
func (d *demo) home(key string) string {
	switch key {
	case "HOME", "USERPROFILE":
		return d.tree("home")
	case "PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG", "LC_ALL":
		return d.w.Getenv(key)
	}
	return ""
}

// person runs a command as a person does, in the tree of the shop.
func (d *demo) person(some []string, args ...string) {
	d.typed("", "handoff "+strings.Join(args, " "))
	d.shown(d.handoff(d.tree("shop"), d.home, command.Clean, args...), some...)
}

// agent runs a command as an agent does, in a tree of its own.
func (d *demo) agent(a storyAgent, expected int, some []string, args ...string) {
	var words []string
	for _, arg := range args {
		if strings.Contains(arg, " ") {
			arg = "'" + arg + "'"
		}
		words = append(words, arg)
	}
	d.typed(a.name, "handoff "+strings.Join(words, " "))
	getenv := func(key string) string {
		if key == a.variable {
			return a.session
		}
		return d.home(key)
	}
	d.shown(d.handoff(d.tree(a.name), getenv, expected, args...), some...)
}

// copied writes the files of a moment of the story into a tree.
func (d *demo) copied(moment, tree string) {
	d.do(func() error {
		files, err := fs.Sub(story, "demo/"+moment)
		if err != nil {
			return err
		}
		return fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := fs.ReadFile(files, path)
			return cmp.Or(err, os.WriteFile(filepath.Join(d.tree(tree), path), text, 0o644))
		})
	})
}

// git runs git in the tree of the shop, without the user's settings: hooks and signatures are not part
// of the story.
func (d *demo) git(args ...string) {
	d.do(func() error {
		cmd := exec.CommandContext(d.ctx, "git", args...)
		cmd.Dir = d.tree("shop")
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=you", "GIT_AUTHOR_EMAIL=you@example.com", "GIT_COMMITTER_NAME=you", "GIT_COMMITTER_EMAIL=you@example.com")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return nil
	})
}

// shop makes the repository, and the work of claude that is not committed.
func (d *demo) shop() {
	d.do(func() error {
		if _, err := exec.LookPath("git"); err != nil {
			return fmt.Errorf("%w: the story needs git, `handoff demo --write` does not", err)
		}
		return cmp.Or(os.Mkdir(d.tree("shop"), 0o755), os.Mkdir(d.tree("home"), 0o755))
	})
	d.copied("shop", "shop")
	d.git("init", "-q", "-b", "main")
	d.handoff(d.tree("shop"), d.home, command.Clean, "init")
	d.git("add", ".")
	d.git("commit", "-q", "-m", "add up the cart")
	d.copied("claude", "shop")
}

// recording writes the session of claude to where its host keeps sessions, as one that ended an hour
// ago, and shows it.
func (d *demo) recording() {
	d.do(func() error {
		text, err := story.ReadFile("demo/session.jsonl")
		if err != nil {
			return err
		}
		root, err := filepath.EvalSymlinks(d.tree("shop"))
		if err != nil {
			return err
		}
		quoted, _ := json.Marshal(root)
		end := d.w.Now().Add(-time.Hour).Truncate(time.Second)
		for old, new := range map[string]string{"SHOP": strings.Trim(string(quoted), `"`), "TIME": end.UTC().Format(time.RFC3339), "RESET": end.Add(5 * time.Hour).Format("3pm")} {
			text = bytes.ReplaceAll(text, []byte(old), []byte(new))
		}
		dir := filepath.Join(d.tree("home"), ".claude", "projects", regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(root, "-"))
		file := filepath.Join(dir, "8463c1e0-a2ea-4c14-9efa-87158ebd9f20.jsonl")
		if err := cmp.Or(os.MkdirAll(dir, 0o755), os.WriteFile(file, text, 0o644), os.Chtimes(file, end, end)); err != nil {
			return err
		}
		return d.told(text)
	})
}

// told shows what a recorded session did, a line for each step.
func (d *demo) told(session []byte) error {
	ran := ""
	for line := range bytes.Lines(session) {
		var r struct {
			Message struct{ Content json.RawMessage }
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		var prompt string
		if json.Unmarshal(r.Message.Content, &prompt) == nil {
			d.printf("   %s\n", command.Styled(d.colour, command.Bold, "> "+prompt))
			continue
		}
		var blocks []struct {
			Text, Content string
			Input         struct {
				Command string
				File    string `json:"file_path"`
			}
		}
		if err := json.Unmarshal(r.Message.Content, &blocks); err != nil {
			return err
		}
		for _, b := range blocks {
			switch {
			case b.Text != "":
				d.shown(b.Text)
			case b.Input.File != "":
				d.shown("edits " + filepath.Base(b.Input.File))
			case b.Input.Command != "":
				ran = b.Input.Command
			case ran != "":
				d.shown(ran + ": " + strings.ReplaceAll(b.Content, "\n", ", "))
				ran = ""
			}
		}
	}
	return nil
}
