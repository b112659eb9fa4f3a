package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const sample = 1500

// corpus writes a sample and returns its root, the text of every handoff by
// path, and the planted defect of those that have one.
func corpus(t *testing.T) (root string, handoffs, planted map[string]string) {
	t.Helper()
	root = t.TempDir()
	sum, err := generate(root, 1, sample)
	if err != nil {
		t.Fatal(err)
	}
	paths, _ := filepath.Glob(filepath.Join(root, "specs/*/handoffs/*.md"))
	if len(paths) != sample || sum.handoffs != sample {
		t.Fatalf("%d handoffs on disk, %d in the summary, want %d", len(paths), sum.handoffs, sample)
	}
	handoffs, planted = map[string]string{}, map[string]string{}
	for _, p := range paths {
		rel, _ := filepath.Rel(root, p)
		handoffs[rel] = read(t, p)
	}
	for line := range strings.Lines(read(t, filepath.Join(root, "manifest.tsv"))) {
		path, kind, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		planted[path] = kind
	}
	return root, handoffs, planted
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSameFlagsSameBytes(t *testing.T) {
	_, a, _ := corpus(t)
	_, b, _ := corpus(t)
	for path, text := range a {
		if b[path] != text {
			t.Fatalf("%s differs between two runs", path)
		}
	}
}

func TestOneInTenIsDefective(t *testing.T) {
	_, handoffs, planted := corpus(t)
	kinds := map[string]int{}
	for path, kind := range planted {
		if _, ok := handoffs[path]; !ok {
			t.Errorf("the manifest names %s, which was not written", path)
		}
		kinds[kind]++
	}
	if len(planted) != sample/oneIn || len(kinds) != len(defects) {
		t.Errorf("%d defects of %d kinds, want %d of %d", len(planted), len(kinds), sample/oneIn, len(defects))
	}
}

// Every defect must change the text or the name: otherwise the manifest would
// list a clean document.
func TestEveryDefectShows(t *testing.T) {
	w := &writer{seed: 7}
	s := subject{dir: "specs/1_x", phase: 2, stamp: "20250101T000000Z", file: source{"src/a.go", 200, languages[1]}}
	for i, d := range defects {
		for try := range 20 {
			clean := compose(w.rand(i, try), s)
			spoiled := compose(w.rand(i, try), s)
			d.spoil(spoiled, w.rand(i, 100+try))
			if clean.text() == spoiled.text() && clean.base == spoiled.base {
				t.Errorf("%s changed nothing", d.name)
			}
		}
	}
}

var headings = []string{nextAction, state, decisions, deadEnds, context, references}

func TestCleanDocumentsKeepTheSchema(t *testing.T) {
	root, handoffs, planted := corpus(t)
	name := regexp.MustCompile(`^specs/\d+_[a-z_]+/handoffs/phase-(\d+)-handoff-(\d{8}T\d{6}Z)\.md$`)
	stamps := map[string]string{}
	for path, text := range handoffs {
		if planted[path] != "" {
			continue
		}
		m := name.FindStringSubmatch(path)
		if m == nil {
			t.Errorf("%s: not the name of a handoff", path)
			continue
		}
		if other := stamps[m[2]]; other != "" {
			t.Errorf("%s and %s share a stamp", path, other)
		}
		stamps[m[2]] = path
		if when, err := time.Parse("20060102T150405Z", m[2]); err != nil || when.After(first.Add(span*time.Second)) {
			t.Errorf("%s: stamp %s: %v", path, when, err)
		}
		for _, problem := range problems(root, text, fmt.Sprintf("# Phase %s Handoff - %s", m[1], m[2])) {
			t.Errorf("%s: %s\n%s", path, problem, text)
		}
	}
}

var (
	item    = regexp.MustCompile(`(?m)^(\d+\.|-) `)
	reason  = regexp.MustCompile(`(?m)^\d+\. [^\n]`)
	cited   = regexp.MustCompile(`(?:specs|src)/[^\s,]+`)
	located = regexp.MustCompile(`(?m)^- \*\*File\*\*: (\S+)\n- \*\*Location\*\*: Line (\d+), \S.*\n- \*\*Goal state\*\*:`)
)

// problems lists the differences between a text and the schema.
func problems(root, text, title string) (list []string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != title {
		list = append(list, "title is not "+title)
	}
	if len(lines) > screen {
		list = append(list, fmt.Sprintf("%d lines", len(lines)))
	}
	found := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, "## ") })
	if !slices.Equal(found, headings) {
		return append(list, fmt.Sprintf("headings are %q", found))
	}
	for i, most := range []int{0, 3, 4, 4, 5, 3} {
		if n := len(item.FindAllString(body(text, i), -1)); n > most {
			list = append(list, fmt.Sprintf("%d items under %s", n, headings[i]))
		}
	}
	for _, i := range []int{2, 3} {
		for _, it := range reason.Split(body(text, i), -1)[1:] {
			if !strings.Contains(it, ": ") && !strings.Contains(it, ":\n") {
				list = append(list, "an item without a reason: "+it)
			}
		}
	}
	return append(list, deadPaths(root, text)...)
}

func body(text string, i int) string {
	_, after, _ := strings.Cut(text, headings[i]+"\n")
	before, _, _ := strings.Cut(after, "\n## ")
	return before
}

// deadPaths opens every file that a text names and counts its lines.
func deadPaths(root, text string) (list []string) {
	for _, path := range cited.FindAllString(text, -1) {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			list = append(list, err.Error())
		}
	}
	m := located.FindStringSubmatch(text)
	if m == nil {
		return append(list, "no file, location and goal state")
	}
	line, _ := strconv.Atoi(m[2])
	src, err := os.ReadFile(filepath.Join(root, m[1]))
	if err != nil || line < 1 || line > strings.Count(string(src), "\n") {
		list = append(list, fmt.Sprintf("no line %d in %s: %v", line, m[1], err))
	}
	return list
}

func TestRefusesAFolderInUse(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := generate(root, 1, 1); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("error %v, want one that says the folder is not empty", err)
	}
}
