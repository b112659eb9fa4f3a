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

// Falsehoods is how many false statements Planted plants, unless the caller wants more.
const Falsehoods = 60

// perDocument is how many false statements, and true ones, a handoff has.
const perDocument = 5

// planted is a kind of statement, and ways to say it. A name in braces is filled in.
type planted struct {
	name     string
	lookedUp bool     // git or the folder shows whether it is true
	known    []string // the words of the product were collected with them
	unseen   []string
}

// kinds are the kinds of statements. The unseen wordings were written by somebody who knew neither the words of the product
// nor its rules, and nothing was changed for them.
var kinds = []planted{
	{"file", true, []string{"The working solution is saved as {file}.", "The scanner lives in `{file}`."}, []string{
		"The retry logic lives in `{file}`.",
		"Parsing of the config is handled in {file}.",
		"I put the helper functions for date handling into `{file}`.",
		"Session cache: see `{file}`, which holds both the reader and the writer.",
		"`{file}` contains the new validation code.",
		"The error mapping was moved to {file} during the refactor.",
		"Entry point is `{file}`; it wires up the routes and the middleware.",
		"All of the rate limiter's state is kept in `{file}`.",
	}},
	{"line", true, []string{"The fault is at {file}:{line}.", "Begin at line {line} of {file}."}, []string{
		"The off-by-one is at `{file}:{line}`.",
		"The timeout gets set in {file} on line {line}.",
		"In `{file}`, line {line} swallows the exception and returns None.",
		"Root cause found at {file}:{line}, where the lock is released too early.",
		"I left a TODO about the encoding at line {line} of `{file}`.",
		"`{file}` (line {line}) is where the fallback branch starts.",
		"The hardcoded URL sits at {file}:{line}.",
		"The null check was added around the callback at `{file}:{line}`.",
	}},
	{"count", true, []string{"{file} has {lines} lines.", "There are {lines} lines in {file}."}, []string{
		"`{file}` is now {lines} lines long.",
		"After the cleanup {file} is down to {lines} lines.",
		"{file} currently has {lines} lines.",
		"`{file}` has grown to {lines} lines.",
		"Size of `{file}` after the split: {lines} lines.",
		"wc -l on {file} gives {lines}.",
		"The refactor leaves `{file}` at {lines} lines.",
		"{lines} lines in `{file}` as of this session.",
	}},
	{"not there yet", true, []string{"`{absent}` does not exist yet.", "{absent} has not been written."}, []string{
		"`{absent}` has not been written yet.",
		"I did not get around to creating `{absent}`.",
		"{absent} does not exist yet.",
		"Still missing: `{absent}`.",
		"There is no {absent} so far.",
		"Not started on `{absent}`, the file is still to be created.",
		"Work on `{absent}` hasn't begun and nothing is on disk for it.",
		"{absent} is planned but remains unwritten.",
	}},
	{"commit", true, []string{"The work is at commit {commit}.", "It was measured at {commit}."}, []string{
		"The fix for the race condition is in commit `{commit}`.",
		"Committed the parser changes as {commit}.",
		"Last commit of this session is `{commit}`.",
		"HEAD is at {commit}.",
		"`{commit}` removes the legacy config loader.",
		"The schema change was committed in `{commit}`.",
		"I split the rename out into its own commit, {commit}.",
		"The regression was introduced by {commit}.",
	}},
	{"branch", true, []string{"Everything is on branch `{branch}`.", "The `{branch}` branch has the rest."}, []string{
		"The work in progress is on branch `{branch}`.",
		"I did all of the caching changes on {branch}.",
		"`{branch}` holds the half-finished migration.",
		"Current working branch: `{branch}`, with the new retry code on it.",
		"The experimental parser was developed on the {branch} branch.",
		"My changes from today are sitting on `{branch}`.",
		"Branch {branch} carries the refactor of the auth module.",
		"Everything for the new exporter lives on the `{branch}` branch.",
	}},
	{"merged", true, []string{"Branch `{merged}` was merged into main.", "Merged `{merged}` into main."}, []string{
		"`{merged}` has been merged into main.",
		"I merged {merged} to main this morning.",
		"Main now includes everything from `{merged}`.",
		"Merged `{merged}` into main, no conflicts.",
		"The {merged} branch landed on main.",
		"The work from `{merged}` is in main, merged with a fast-forward.",
		"{merged} went into main yesterday.",
		"Branch `{merged}` is already merged to main.",
	}},
	{"pushed", true, []string{"Commit {pushed} is pushed to origin.", "The branch `{pushed branch}` was pushed."}, []string{
		"`{pushed}` has been pushed to origin.",
		"I pushed {pushed} to the remote.",
		"Pushed up to and including `{pushed}`.",
		"{pushed} is on origin.",
		"origin already has `{pushed}`.",
		"The remote is up to date as of {pushed}.",
		"Commit `{pushed}` was pushed at the end of the session.",
		"Everything through {pushed} is pushed.",
	}},
	{"tests", false, []string{"Tests were passing on the last run.", "All 527 tests pass."}, []string{
		"All tests pass.",
		"The full test suite is green.",
		"pytest: 142 passed, 0 failed.",
		"I ran the unit and integration tests and they all passed.",
		"No test failures remain.",
		"Test suite passes locally after the last change.",
		"Ran `npm test`, everything green.",
		"The previously failing tests are now passing.",
	}},
	{"build", false, []string{"The build is green.", "CI passed."}, []string{
		"The build succeeds.",
		"CI is green.",
		"`tsc --noEmit` reports no errors.",
		"Type checking passes with mypy in strict mode.",
		"I ran `cargo build --release` and it completed without warnings.",
		"Project compiles cleanly.",
		"The CI pipeline went through without errors.",
		"`npm run build` finishes with exit code 0.",
	}},
	{"pull request", false, []string{"PR #12 is merged.", "#12 was merged yesterday."}, []string{
		"PR #12 was merged.",
		"PR #12 has been merged by the maintainer.",
		"I merged pull request #12 after review.",
		"Pull request #12 is merged.",
		"Merged PR #12 (squash).",
		"PR #12 landed on Tuesday.",
		"The retry changes went in with PR #12, which is now merged.",
		"#12 got approved and merged.",
	}},
	{"released", false, []string{"Deployed to staging.", "v1.4.0 was released on npm."}, []string{
		"v1.4.0 has been released.",
		"We shipped v1.4.0 on Monday.",
		"v1.4.0 is live in production.",
		"Released v1.4.0 to npm.",
		"I deployed v1.4.0 to production this afternoon.",
		"Production is running v1.4.0.",
		"v1.4.0 was published to PyPI.",
		"The v1.4.0 release is out.",
	}},
	{"issue", false, []string{"Issue #311 is closed.", "Fixed #311."}, []string{
		"Issue #311 is closed.",
		"I closed #311 as fixed.",
		"Issue #311 has been resolved and closed.",
		"Closed issue #311 with a comment explaining the cause.",
		"#311 was closed by the reporter.",
		"The tracker shows #311 as closed.",
		"The memory leak issue (#311) is now closed.",
		"Issue #311: closed, nothing left to do there.",
	}},
	{"owner", false, []string{"The cache is owned by Ann.", "The lexer is assigned to Ben."}, []string{
		"Priya is working on the billing migration.",
		"Tom owns the auth rewrite.",
		"The Kafka upgrade is assigned to Maria.",
		"Daniel has taken over the search indexer.",
		"Owner of the deployment scripts: Lena.",
		"The frontend part is being handled by Marcus.",
		"Aisha picked up the flaky upload work.",
		"Responsibility for the schema cleanup sits with Jonas.",
	}},
}

// PlantedCounts are what Planted counted, for a group of wordings.
type PlantedCounts struct {
	False, Found, Listed int // statements that are not true: told as false, listed as unverified
	True, Blamed         int // true ones: told as false
	Missed, Doubted      []string
}

// Planted measures which false statements without a mark are found in handoffs. The groups are those of kinds that can be
// looked up, and of the others, each with the wordings that the product knows and with unseen ones. It needs git.
func (l *Lab) Planted(ctx context.Context, falsehoods int) (benchmark.Suite, [4]PlantedCounts, error) {
	var c [4]PlantedCounts
	s := benchmark.Suite{Name: "planted", About: "false statements that are planted in handoffs, without a mark", Limits: []string{
		"The repositories and the statements are generated. Of the wordings, 28 are those that the words were collected with, 112 were written by somebody who did not know them.",
		"What can be looked up is told as false; what cannot, a successor can only be told to check.",
	}}
	if _, err := exec.LookPath("git"); err != nil {
		return s, c, fmt.Errorf("git: %w", ErrProgram)
	}
	random := l.random(3)
	for done := 0; done < falsehoods; done += perDocument {
		if err := l.plant(ctx, random, done, &c); err != nil {
			return s, c, err
		}
	}
	names := [4]string{"can be looked up", "can be looked up, unseen wordings", "cannot", "cannot, unseen wordings"}
	t := benchmark.Table{Title: fmt.Sprintf("%d false statements, as many true ones: `handoff verify --claims`", falsehoods), Columns: []string{"false, told", "false, told or listed", "true, told as false"}}
	for i, name := range names {
		t.Rows = append(t.Rows, benchmark.Row{Name: name, Cells: []benchmark.Cell{benchmark.Share(c[i].Found, c[i].False), benchmark.Share(c[i].Found+c[i].Listed, c[i].False), benchmark.Share(c[i].Blamed, c[i].True)}})
	}
	s.Tables = []benchmark.Table{t}
	return s, c, nil
}

// plant writes a handoff with false and true statements, and counts what is told of them.
func (l *Lab) plant(ctx context.Context, random *rand.Rand, n int, c *[4]PlantedCounts) error {
	g, err := l.newGround(ctx, random)
	if err != nil {
		return err
	}
	type line struct {
		text  string
		group int
		lie   bool
	}
	var lines []line
	doc := []string{"# Phase 1 Handoff - 2026-02-12T14:30:22Z", "", "## Immediate Next Action", "Go on.", "", "## Critical Context"}
	for i := range 2 * perDocument {
		k := kinds[(n+i)%len(kinds)]
		lie, group, ways := i%2 == 0, 0, k.known
		if !k.lookedUp {
			group = 2
		}
		if random.IntN(2) == 0 {
			group, ways = group+1, k.unseen
		}
		text := g.fill(random, ways[random.IntN(len(ways))], lie)
		lines = append(lines, line{text, group, lie})
		doc = append(doc, fmt.Sprintf("%d. %s", i+1, text))
	}
	const path = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"
	if err := g.write(path, joined(doc)); err != nil {
		return err
	}
	ws, err := g.open(".")
	if err != nil {
		return err
	}
	told := map[int]prove.Verdict{}
	err = prove.New(ws).Newest(ctx, nil, func(r prove.Result) error {
		if told[r.Line] != prove.Stale {
			told[r.Line] = r.Verdict
		}
		return nil
	})
	for i, s := range lines {
		verdict, to := told[7+i], &c[s.group]
		switch {
		case s.lie:
			to.False, to.Found, to.Listed = to.False+1, to.Found+count(verdict == prove.Stale), to.Listed+count(verdict == prove.Unverified)
			if verdict == "" || verdict == prove.Verified {
				to.Missed = append(to.Missed, s.text)
			}
		default:
			to.True, to.Blamed = to.True+1, to.Blamed+count(verdict == prove.Stale)
			if verdict == prove.Stale {
				to.Doubted = append(to.Doubted, s.text)
			}
		}
	}
	ws.Close()
	return err
}

// ground is a repository in which statements can be true.
type ground struct {
	*world
	files          []string
	first, last    string // commits: origin has the first
	merged, beside string // branches: main has the first; neither main nor origin the second
	rest           string // a branch that origin has, too
}

// newGround makes a repository with files, two branches and a remote that lacks the last commit.
func (l *Lab) newGround(ctx context.Context, random *rand.Rand) (*ground, error) {
	w, err := l.world("")
	if err != nil {
		return nil, err
	}
	g := &ground{world: w, merged: "fix/scan", beside: "fix/cache", rest: "feat/index"}
	for i := range 4 {
		file := fmt.Sprintf("src/part%d/f%d.go", i%2, i)
		g.files = append(g.files, file)
		err = errors.Join(err, w.write(file, strings.Repeat("// a line\n", 20+random.IntN(200))))
	}
	r := &repository{world: w}
	err = errors.Join(err, r.git(ctx, "init", "-q", "-b", "main"), r.git(ctx, "add", "."), r.git(ctx, "commit", "-qm", "first"), r.git(ctx, "branch", g.merged), r.git(ctx, "branch", g.rest), r.git(ctx, "update-ref", "refs/remotes/origin/"+g.rest, "HEAD"),
		r.git(ctx, "update-ref", "refs/remotes/origin/main", "HEAD"), r.git(ctx, "update-ref", "refs/remotes/origin/"+g.merged, "HEAD"), r.git(ctx, "checkout", "-qb", g.beside),
		r.git(ctx, "commit", "-qm", "beside", "--allow-empty"), r.git(ctx, "checkout", "-q", "main"), r.git(ctx, "commit", "-qm", "last", "--allow-empty"))
	if err == nil {
		g.first, err = r.output(ctx, "rev-parse", "--short=10", "HEAD~")
	}
	if err == nil {
		g.last, err = r.output(ctx, "rev-parse", "--short=10", "HEAD")
	}
	return g, err
}

// fill fills in a wording: with what is so, or for a lie with what is not.
func (g *ground) fill(random *rand.Rand, text string, lie bool) string {
	file := g.files[random.IntN(len(g.files))]
	src, _ := g.read(file)
	n := strings.Count(src, "\n")
	one := func(true, false string) string {
		if lie {
			return false
		}
		return true
	}
	nowhere := fmt.Sprintf("src/part%d/solution%d.py", random.IntN(9), random.IntN(99))
	if !strings.Contains(text, "{line") {
		text = strings.ReplaceAll(text, "{file}", one(file, nowhere))
	}
	return strings.NewReplacer("{file}", file, "{line}", one(fmt.Sprint(1+random.IntN(n)), fmt.Sprint(n+1+random.IntN(400))), "{lines}", one(fmt.Sprint(n), fmt.Sprint(n+1+random.IntN(400))),
		"{absent}", one(nowhere, file), "{commit}", one(g.first, fmt.Sprintf("%08xa1", random.Uint32())), "{branch}", one(g.rest, "fix/lexer"), "{merged}", one(g.merged, g.beside),
		"{pushed}", one(g.first, g.last), "{pushed branch}", one(g.merged, g.beside)).Replace(text)
}
