package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	planPath   = "/plans/implementation-001.md"
	reportPath = "/reports/research-001.md"

	sources = 300 // source files that the handoffs refer to
	oneIn   = 10  // one handoff of this many is defective
)

// All times are in the 300 days after first: always in the past, and all
// different.
var first = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

const span = 300 * 24 * 3600 // seconds

// source is a source file of the corpus.
type source struct {
	path  string // src/ledger/insert_step_17.go
	lines int
	lang  language
}

type language struct{ ext, keyword, comment string }

var languages = []language{
	{".lean", "theorem", "--"}, {".go", "func", "//"}, {".py", "def", "#"}, {".rs", "fn", "//"}, {".ts", "function", "//"},
}

// writer writes the corpus to root.
type writer struct {
	root     string
	seed     uint64
	n        int // number of handoffs to write
	sources  []source
	manifest *bufio.Writer
	sum      summary
}

// generate writes a corpus of n handoffs into root, which must be empty.
func generate(root string, seed uint64, n int) (*summary, error) {
	if entries, err := os.ReadDir(root); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s: is not empty: name a new folder", root)
	}
	if n > span {
		return nil, fmt.Errorf("%d handoffs: at most %d have a second of their own", n, span)
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(root, "manifest.tsv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := &writer{root: root, seed: seed, n: n, manifest: bufio.NewWriter(f)}
	w.sum.defects = make([]int, len(defects))
	if err := w.writeSources(); err != nil {
		return nil, err
	}
	for task := 1; w.sum.handoffs < n; task++ {
		if err := w.writeTask(task); err != nil {
			return nil, err
		}
	}
	return &w.sum, w.manifest.Flush()
}

// rand gives every task and every source file its own random numbers, so that a
// change to the text of one leaves the others unchanged.
func (w *writer) rand(stream, i int) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed, uint64(stream)<<32|uint64(i)))
}

func (w *writer) writeSources() error {
	for i := range sources {
		r := w.rand(1, i)
		s := source{lang: pick(r, languages), lines: 120 + r.IntN(280)}
		s.path = fmt.Sprintf("src/%s/%s_%d%s", strings.ToLower(fill(r, "{type}")), fill(r, "{stem}_{tail}"), i, s.lang.ext)
		var b strings.Builder
		for line := range s.lines {
			pattern := "    " + s.lang.comment + " {prose}\n"
			if line%12 == 0 {
				pattern = s.lang.keyword + " {name}(s {type})\n"
			}
			b.WriteString(fill(r, pattern))
		}
		if err := w.write(s.path, b.String()); err != nil {
			return err
		}
		w.sources = append(w.sources, s)
	}
	return nil
}

func (w *writer) writeTask(task int) error {
	r := w.rand(2, task)
	w.sum.tasks++
	dir := fmt.Sprintf("specs/%d_%s", task, fill(r, "{task}_{part}_{tail}"))
	file := pick(r, w.sources)
	phase := 1
	for range min(1+r.IntN(8), w.n-w.sum.handoffs) {
		s := subject{dir: dir, phase: phase, stamp: w.stamp(r), file: file}
		if err := w.writeHandoff(r, s); err != nil {
			return err
		}
		phase += r.IntN(2)
	}
	if err := w.write(dir+planPath, outline(r, "Implementation Plan", "Phase", phase)); err != nil {
		return err
	}
	return w.write(dir+reportPath, outline(r, "Research Report", "Finding", 3))
}

// outline is a short document with that many numbered headings.
func outline(r *rand.Rand, title, part string, parts int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n", title, fill(r, "{topic}"))
	for i := range parts {
		fmt.Fprintf(&b, "\n## %s %d\n\n- %s\n- %s\n", part, i+1, fill(r, "{fact}"), fill(r, "{choice}"))
	}
	return b.String()
}

func (w *writer) writeHandoff(r *rand.Rand, s subject) error {
	d := compose(r, s)
	i := w.sum.handoffs
	if block := i / oneIn; i%oneIn == w.rand(3, block).IntN(oneIn) {
		kind := block % len(defects)
		defects[kind].spoil(d, r)
		w.sum.defects[kind]++
		fmt.Fprintf(w.manifest, "%s/handoffs/%s\t%s\n", d.dir, d.base, defects[kind].name)
	}
	text := d.text()
	w.sum.handoffs++
	w.sum.bytes += len(text)
	w.sum.lines += strings.Count(text, "\n")
	return w.write(d.dir+"/handoffs/"+d.base, text)
}

// stamp returns a random second in the part of the span that belongs to the
// next handoff, so that all times differ.
func (w *writer) stamp(r *rand.Rand) string {
	stretch := span / w.n
	second := w.sum.handoffs*stretch + r.IntN(stretch)
	return first.Add(time.Duration(second) * time.Second).Format("20060102T150405Z")
}

func (w *writer) write(path, text string) error {
	full := filepath.Join(w.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, []byte(text), 0o644)
}
