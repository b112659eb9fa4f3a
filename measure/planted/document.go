package planted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Each handoff has so many statements. A statement is drawn so often until it is true, or false, as is wanted.
const (
	perDocument = 8
	draws       = 60
	firstTask   = 900 // of the numbers of its own tasks
)

// plant clones a repository, writes handoffs in it, and asks handoff about them.
func (r *repository) plant(ctx context.Context, folder string) ([]statement, error) {
	if out, err := exec.CommandContext(ctx, "git", "clone", "-q", "--", folder, r.dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git clone: %w: %s", err, out)
	}
	var err error
	if r.main, err = r.git(ctx, "symbolic-ref", "--short", "HEAD"); err != nil {
		return nil, err
	}
	if err := r.learn(ctx); err != nil {
		return nil, err
	}
	list := r.statements(ctx)
	r.random.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	for n := 0; n*perDocument < len(list); n++ {
		if err := r.write(n+1, list[n*perDocument:min((n+1)*perDocument, len(list))]); err != nil {
			return nil, err
		}
	}
	return list, errors.Join(r.verify(ctx, list), r.lint(ctx, list))
}

// statements are those of all kinds and wordings.
func (r *repository) statements(ctx context.Context) (list []statement) {
	for _, k := range kinds() {
		for i, wording := range slices.Concat(k.known, k.unseen) {
			s := statement{kind: k.name, unseen: i >= len(k.known), loose: !k.checked}
			if s.loose {
				s.text = r.draw(k.name, false).fill(wording)
				list = append(list, s)
				continue
			}
			for _, s.lie = range []bool{false, true} {
				for range draws {
					v := r.draw(k.name, s.lie)
					if is, ok := r.holds(ctx, k.name, wording, v); ok && is != s.lie {
						s.text = v.fill(wording)
						list = append(list, s)
						break
					}
				}
			}
		}
	}
	return list
}

// write writes a handoff with some statements, half of them in a list and half as prose.
func (r *repository) write(n int, list []statement) error {
	path := fmt.Sprintf("specs/%d_work/handoffs/phase-1-handoff-20260212T143022Z.md", firstTask+n)
	doc := []string{"# Phase 1 Handoff - 2026-02-12T14:30:22Z", "", "## Immediate Next Action", "Read the list of critical context in this handoff, and run `git status`.", "", "## Current State", "- **Where**: here", ""}
	add := func(list []statement, before, after string) {
		for i := range list {
			list[i].path, list[i].line = path, len(doc)+1
			doc = append(doc, before+list[i].text+after)
			if before == "" {
				doc = append(doc, "")
			}
		}
	}
	half := len(list) / 2
	add(list[:half], "", ".")
	doc = append(doc, "## Key Decisions Made", "1. **One list**: it is short", "", "## What NOT to Try", "1. **Two lists**: they differ", "", "## Critical Context")
	add(list[half:], "- ", "")
	doc = append(doc, "", "## References (Read If Needed)", "- The history of the repository", "")
	full := filepath.Join(r.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, []byte(strings.Join(doc, "\n")), 0o644)
}

// asked runs handoff and reads what it prints. It exits with 1 if it has found something.
func (r *repository) asked(ctx context.Context, into any, args ...string) error {
	cmd := exec.CommandContext(ctx, r.program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.dir))
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return fmt.Errorf("handoff %s: %w: %s", args[0], err, stderr.Bytes())
	}
	return json.Unmarshal(stdout.Bytes(), into)
}

// at are the statements by document and line.
func at(list []statement) map[string]*statement {
	all := map[string]*statement{}
	for i := range list {
		all[fmt.Sprint(list[i].path, ":", list[i].line)] = &list[i]
	}
	return all
}

func (r *repository) verify(ctx context.Context, list []statement) error {
	var answer struct {
		Results []struct {
			Path, Verdict, Why string
			Line               int
		}
	}
	if err := r.asked(ctx, &answer, "verify", "--claims", "--json"); err != nil {
		return err
	}
	by := at(list)
	for _, a := range answer.Results {
		if s := by[fmt.Sprint(a.Path, ":", a.Line)]; s != nil {
			if a.Verdict == "stale" || a.Verdict == "failed" {
				s.told, s.because = true, "("+a.Why+")"
			}
			s.listed = s.listed || a.Verdict == "unverified"
		}
	}
	return nil
}

func (r *repository) lint(ctx context.Context, list []statement) error {
	var answer struct {
		Findings []struct {
			Rule, Path string
			Line       int
		}
	}
	if err := r.asked(ctx, &answer, "lint", "--json"); err != nil {
		return err
	}
	by := at(list)
	for _, a := range answer.Findings {
		// The others are about the form, and unchecked-claim asks how something was checked.
		if s := by[fmt.Sprint(a.Path, ":", a.Line)]; s != nil && strings.HasPrefix(a.Rule, "dead-") {
			s.linted = append(s.linted, a.Rule)
		}
	}
	return nil
}
