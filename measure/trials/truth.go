package trials

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"

	"handoff/measure/benchmark"
	"handoff/workspace/prove"
)

// Repositories are the generated ones of Truth, unless the caller wants more.
const Repositories = 12

// lines is the number of lines of each file in them.
const lines = 12

// ErrProgram reports that a trial needs a program that is not here.
var ErrProgram = errors.New("not installed")

// TruthCounts are what Truth counted.
type TruthCounts struct {
	Wrong, Found   int // statements that are no longer true, and how many were found
	Right, Blamed  int // the other statements, and how many were reported as wrong
	Changed, Still int // the same two, if every item of a repository is doubted once anything changed in it
	Believed       []string
	Doubted        []string
}

// Truth measures how many outdated statements of a handoff are found. It needs git and
// grep.
func (l *Lab) Truth(ctx context.Context, repositories int) (benchmark.Suite, TruthCounts, error) {
	var c TruthCounts
	s := benchmark.Suite{Name: "truth", About: "statements that were true when a handoff was written, and are not after the repository changed", Limits: []string{
		"The changes are generated: a file changed, a line moved, a commit reverted, an unrelated file changed, everything committed again, nothing.",
		"An item can only be checked if its author wrote how: `[verified: COMMAND @COMMIT]`. Items without that are not counted.",
	}}
	for _, program := range []string{"git", "grep"} {
		if _, err := exec.LookPath(program); err != nil {
			return s, c, fmt.Errorf("%s: %w", program, ErrProgram)
		}
	}
	random := l.random(2)
	for range repositories {
		if err := l.repository(ctx, random, &c); err != nil {
			return s, c, err
		}
	}
	s.Tables = []benchmark.Table{{
		Title: fmt.Sprintf("%d repositories: statements that became wrong, and true ones that were doubted", repositories), Columns: []string{"wrong, found", "true, doubted"},
		Rows: []benchmark.Row{
			{Name: "handoff verify --claims", Cells: []benchmark.Cell{benchmark.Share(c.Found, c.Wrong), benchmark.Share(c.Blamed, c.Right)}},
			{Name: "doubt everything once anything changed", Cells: []benchmark.Cell{benchmark.Share(c.Changed, c.Wrong), benchmark.Share(c.Still, c.Right)}},
			{Name: "believe everything", Cells: []benchmark.Cell{benchmark.Share(0, c.Wrong), benchmark.Share(0, c.Right)}},
		},
	}}
	return s, c, nil
}

// repository changes one repository, and counts.
func (l *Lab) repository(ctx context.Context, random *rand.Rand, c *TruthCounts) error {
	r, err := l.newRepository(ctx, random)
	if err != nil {
		return err
	}
	bad, err := r.bad(ctx)
	if err != nil {
		return err
	}
	for i, is := range bad {
		if is {
			return fmt.Errorf("statement %d of a new handoff is doubted: %+v", i, r.statements[i])
		}
	}
	name, wrong, err := r.change(ctx, random)
	if err == nil {
		bad, err = r.bad(ctx)
	}
	if err != nil {
		return err
	}
	for i, is := range bad {
		told := fmt.Sprintf("%s: %+v", name, r.statements[i])
		if wrong[i] {
			c.Wrong++
			c.Found += count(is)
			c.Changed += count(name != "nothing")
			if !is {
				c.Believed = append(c.Believed, told)
			}
			continue
		}
		c.Right++
		c.Blamed += count(is)
		c.Still += count(name != "nothing")
		if is {
			c.Doubted = append(c.Doubted, told)
		}
	}
	return nil
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// repository is a repository with a handoff whose items record their checks.
type repository struct {
	*world
	files      []string
	statements []statement
}

// statement is an item of the handoff, about a line of a file.
type statement struct {
	file string
	line int
	kind int // 0: its command runs; 1: it names a line, and its command may not run; 2: it names a file
}

func sentence(file string, line int) string { return fmt.Sprintf("value %d of %s", line, file) }

// newRepository commits files in two commits, and writes a handoff about some of their lines.
func (l *Lab) newRepository(ctx context.Context, random *rand.Rand) (*repository, error) {
	w, err := l.world("checks:\n  allow: [grep -qxF ...]\n")
	if err != nil {
		return nil, err
	}
	r := &repository{world: w}
	full := map[string]string{}
	for i := range 6 {
		file := fmt.Sprintf("src/part%d/f%d.txt", i%3, i)
		r.files = append(r.files, file)
		all := sentences(file)
		full[file] = joined(all)
		all[lines-1] = "last"
		err = errors.Join(err, r.write(file, joined(all)))
	}
	err = errors.Join(err, r.git(ctx, "init", "-q"), r.git(ctx, "add", "."), r.git(ctx, "commit", "-qm", "first"))
	for file, text := range full { // this commit may be reverted
		err = errors.Join(err, r.write(file, text))
	}
	if err = errors.Join(err, r.git(ctx, "commit", "-qam", "second")); err != nil {
		return nil, err
	}
	at, err := r.output(ctx, "rev-parse", "--short=10", "HEAD")
	if err != nil {
		return nil, err
	}
	return r, r.write("specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md", r.document(random, at))
}

func joined(all []string) string { return strings.Join(all, "\n") + "\n" }

// document states something about a line of each file, in an order of its own.
func (r *repository) document(random *rand.Rand, at string) string {
	doc := []string{"# Phase 1 Handoff - 2026-02-12T14:30:22Z", "", "## Immediate Next Action", "Go on.", "", "## Critical Context"}
	for n, i := range random.Perm(len(r.files)) {
		s := statement{r.files[i], 1 + random.IntN(lines), random.IntN(3)}
		r.statements = append(r.statements, s)
		text := [...]string{
			fmt.Sprintf("%s has its value [verified: grep -qxF '%s' %[1]s @%[3]s]", s.file, sentence(s.file, s.line), at),
			fmt.Sprintf("The value is at %s:%d [verified: make check @%s]", s.file, s.line, at),
			fmt.Sprintf("`%s` is complete [verified: make check @%s]", s.file, at),
		}
		doc = append(doc, fmt.Sprintf("%d. %s", n+1, text[s.kind]))
	}
	return joined(doc)
}

// bad are the statements that must not be relied on.
func (r *repository) bad(ctx context.Context) (bad []bool, err error) {
	ws, err := r.open(".")
	if err != nil {
		return nil, err
	}
	err = prove.New(ws).Newest(ctx, nil, func(result prove.Result) error {
		bad = append(bad, result.Bad())
		return nil
	})
	if err == nil && len(bad) != len(r.statements) {
		err = fmt.Errorf("%d results for %d statements", len(bad), len(r.statements))
	}
	return bad, err
}

// change changes the repository, and returns which statements are no longer true.
func (r *repository) change(ctx context.Context, random *rand.Rand) (name string, wrong []bool, err error) {
	victim := r.statements[random.IntN(len(r.statements))]
	text, err := r.read(victim.file)
	if err != nil {
		return "", nil, err
	}
	switch name = [...]string{"nothing", "file changed", "line moved", "commit reverted", "unrelated file changed", "committed again"}[random.IntN(6)]; name {
	case "file changed":
		all := strings.Split(text, "\n")
		all[victim.line-1] += "!"
		err = r.write(victim.file, strings.Join(all, "\n"))
	case "line moved":
		err = r.write(victim.file, "a new first line\n"+text)
	case "commit reverted":
		err = r.git(ctx, "revert", "--no-edit", "HEAD")
	case "unrelated file changed":
		err = r.write("src/other.txt", fmt.Sprint(random.Int()))
	case "committed again":
		err = errors.Join(r.git(ctx, "add", "."), r.git(ctx, "commit", "-qm", "third", "--allow-empty"))
	}
	for _, s := range r.statements {
		now, bad := r.read(s.file)
		err = errors.Join(err, bad)
		changed := now != joined(sentences(s.file))
		if s.kind == 0 { // the command looks for one line
			changed = !strings.Contains("\n"+now, "\n"+sentence(s.file, s.line)+"\n")
		}
		wrong = append(wrong, changed)
	}
	return name, wrong, err
}

func sentences(file string) (all []string) {
	for n := range lines {
		all = append(all, sentence(file, n+1))
	}
	return all
}

func (r *repository) git(ctx context.Context, args ...string) error {
	_, err := r.output(ctx, args...)
	return err
}

func (r *repository) output(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = r.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return strings.TrimSpace(string(out)), err
}
