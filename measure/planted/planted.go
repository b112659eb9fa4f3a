// Package planted plants false statements beside true ones in handoffs of real repositories, and counts which of them
// `handoff verify --claims` and `handoff lint` tell.
//
// What is true it learns from git and the files alone. It changes nothing but clones of its own.
package planted

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"

	"handoff/measure/benchmark"
)

// About says what is measured.
const About = "false statements that are planted in handoffs of real repositories, without a mark"

// Limits say what the figures do not show.
var Limits = []string{
	"The statements are made from the repositories' own files, commits, branches and tags, in 240 wordings. People say more in a sentence, and other things.",
	"A branch that a repository lacks is made: at one of its commits, or with a new one.",
	"A third of the wordings was kept out of the words. They were written before looking at what was missed, by the author of the grammar; what was kept out before that is known now.",
	"lint reads one document, and neither git nor most files: that it reports few of these is as it should be. Its notes that a claim is unchecked are not counted.",
}

// Request says what is measured.
type Request struct {
	Repositories []string // folders that git can clone
	Program      string   // handoff; built from this module's checkout if it is empty
	Dir          string   // a new and private folder, which the caller removes
	Seed         uint64
	Say          func(string) // gets each statement that was missed, and each true one that was called false; may be nil
}

// Run plants statements in clones of repositories. Of each wording a repository gets a true and a false statement, if it
// has something to say in it.
func Run(ctx context.Context, q Request) ([]benchmark.Table, error) {
	if q.Program == "" {
		program, err := build(ctx, q.Dir)
		if err != nil {
			return nil, err
		}
		q.Program = program
	}
	var all []statement
	for i, folder := range q.Repositories {
		r := &repository{dir: filepath.Join(q.Dir, fmt.Sprintf("clone%d", i)), program: q.Program, random: rand.New(rand.NewPCG(q.Seed, uint64(i)))}
		list, err := r.plant(ctx, folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		all = append(all, list...)
	}
	if q.Say != nil {
		for _, s := range all {
			if s.missed() || s.blamed() {
				q.Say(fmt.Sprintf("%s %s%s", s, s.because, strings.Join(s.linted, " ")))
			}
		}
	}
	return []benchmark.Table{byGroup(all, len(q.Repositories)), byKind(all)}, nil
}

// build builds handoff in a folder.
func build(ctx context.Context, dir string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "handoff").Output()
	if err != nil {
		return "", fmt.Errorf("no source of handoff to build, name the program: %w", err)
	}
	program := filepath.Join(dir, "handoff")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/handoff")
	cmd.Dir = strings.TrimSpace(string(root))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building handoff: %w: %s", err, out)
	}
	return program, nil
}

func (s statement) missed() bool { return (s.lie && !s.told) || (s.loose && !s.told && !s.listed) }
func (s statement) blamed() bool { return !s.lie && !s.loose && (s.told || len(s.linted) > 0) }

// tally counts statements.
type tally struct{ all, n int }

func (t *tally) add(yes bool) {
	t.all++
	if yes {
		t.n++
	}
}

func (t tally) cell() benchmark.Cell { return benchmark.Share(t.n, t.all) }

// interval is the interval of 95 % of a share, after Wilson, in percent.
func (t tally) interval() (low, high benchmark.Cell) {
	if t.all == 0 {
		return benchmark.Share(0, 0), benchmark.Share(0, 0)
	}
	const z = 1.96
	n, p := float64(t.all), float64(t.n)/float64(t.all)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	percent := func(x float64) benchmark.Cell {
		return benchmark.Number(int(math.Round(100 * min(1, max(0, x/(1+z*z/n))))))
	}
	return percent(middle - half), percent(middle + half)
}

// byGroup has the statements that can be checked, and the others, each with known wordings and with those kept out.
func byGroup(all []statement, repositories int) benchmark.Table {
	var lies, truths, others int
	rows := []struct {
		name          string
		loose, unseen bool
	}{{"can be looked up", false, false}, {"can be looked up, unseen wordings", false, true}, {"cannot", true, false}, {"cannot, unseen wordings", true, true}}
	t := benchmark.Table{Columns: []string{"false, told", "from %", "to %", "false, told or listed", "true, told as false", "from %", "to %", "false, lint reports", "true, lint reports"}}
	for _, row := range rows {
		var found, listed, blamed, linted, nagged tally
		for _, s := range all {
			switch {
			case s.loose != row.loose || s.unseen != row.unseen:
			case s.lie || s.loose:
				if s.loose {
					others++
				} else {
					lies++
				}
				found.add(s.told)
				listed.add(s.told || s.listed)
				linted.add(len(s.linted) > 0)
			default:
				blamed.add(s.told)
				nagged.add(len(s.linted) > 0)
			}
		}
		truths += blamed.all
		low, high := found.interval()
		least, most := blamed.interval()
		t.Rows = append(t.Rows, benchmark.Row{Name: row.name, Cells: []benchmark.Cell{found.cell(), low, high, listed.cell(), blamed.cell(), least, most, linted.cell(), nagged.cell()}})
	}
	t.Title = fmt.Sprintf("%d real repositories, %d false statements, %d true ones and %d that cannot be looked up: `handoff verify --claims`, `handoff lint`", repositories, lies, truths, others)
	return t
}

// byKind has a row for each kind.
func byKind(all []statement) benchmark.Table {
	t := benchmark.Table{Title: "by kind: false statements that are told (of those that cannot be looked up: told or listed), true ones that are told as false", Columns: []string{"false", "false, unseen wordings", "true"}}
	for _, k := range kinds() {
		var known, unseen, blamed tally
		for _, s := range all {
			switch {
			case s.kind != k.name:
			case !s.lie && !s.loose:
				blamed.add(s.blamed())
			case s.unseen:
				unseen.add(!s.missed())
			default:
				known.add(!s.missed())
			}
		}
		name := k.name
		if !k.checked {
			name += ", cannot be looked up"
		}
		t.Rows = append(t.Rows, benchmark.Row{Name: name, Cells: []benchmark.Cell{known.cell(), unseen.cell(), blamed.cell()}})
	}
	return t
}
