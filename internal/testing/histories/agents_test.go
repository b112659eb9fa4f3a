//go:build unix

package histories

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// pick returns a task that exists or may begin.
func (h *history) pick() (dir string, t *task) {
	var dirs []string
	for dir := range h.model.tasks {
		if strings.Count(dir, "/") == 1 && !strings.HasSuffix(dir, "_burst") {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	dir = dirs[h.r.IntN(len(dirs))]
	return dir, h.model.task(dir)
}

// moment returns the time for something that an agent writes in a task: no two have the
// same second, because real agents take longer.
func (h *history) moment(t *task) time.Time {
	for time.Now().Unix() <= t.last {
		time.Sleep(20 * time.Millisecond)
	}
	now := time.Now()
	t.last = now.Unix()
	h.n++
	return now
}

// full is a path in the real tree.
func (h *history) full(p string) string { return filepath.Join(h.real.dir, filepath.FromSlash(p)) }

// save writes a file in one of the ways of editors and agents.
func (h *history) save(p, text string) {
	how := "in place"
	switch h.r.IntN(4) {
	case 0: // as editors do
		how = "by a rename"
		temp := path.Join(path.Dir(p), fmt.Sprintf(".%s.%d~", path.Base(p), h.n))
		write(h.t, h.full(temp), text)
		h.nap(0, 40)
		if err := os.Rename(h.full(temp), h.full(p)); err != nil {
			h.t.Fatal(err)
		}
	case 1:
		how = "in two parts"
		half := len(text) * h.r.IntN(100) / 100
		write(h.t, h.full(p), text[:half])
		h.nap(0, 120)
		write(h.t, h.full(p), text)
	default:
		write(h.t, h.full(p), text)
	}
	h.note("write %s %s", p, how)
}

func (h *history) nap(from, to int) {
	time.Sleep(time.Duration(from+h.r.IntN(to-from)) * time.Millisecond)
}

// saveMetadata writes an agent's metadata.
func (h *history) saveMetadata(dir string, o object, timed bool) {
	text := o.text(h.r)
	h.save(path.Join(dir, metadataName), text)
	h.model.wroteMetadata(dir, text, timed)
	f, _ := fieldsOf(text, true)
	h.note("  %s", f)
}

// begin has an agent begin a phase of a task.
func begin(h *history) {
	dir, t := h.pick()
	h.begin(dir, t)
}

func (h *history) begin(dir string, t *task) {
	at := h.moment(t)
	timed := h.r.IntN(4) > 0 || h.without("untimed")
	if !timed {
		at = time.Time{}
	}
	h.note("an agent begins phase %d of %s, with a time: %v", t.phase, dir, timed)
	h.saveMetadata(dir, working(h.r, h.n, t.phase, at), timed)
}

// saveDocument writes a new handoff.
func (h *history) saveDocument(dir, document string, at time.Time, phase int) {
	text := strings.Join(sections(phase, at, h.n), "")
	if h.r.IntN(4) == 0 {
		h.slowly(document, sections(phase, at, h.n))
	} else {
		h.save(document, text)
	}
	h.model.wroteDocument(dir, document, text)
}

// slowly appends one section after another. Before the last one the document is not
// presented.
func (h *history) slowly(document string, parts []string) {
	h.note("append to %s section by section", document)
	before, _ := read(h.full(path.Join(path.Dir(path.Dir(document)), metadataName)))
	written := ""
	for i, part := range parts {
		if i == len(parts)-1 {
			h.notYet(document, before)
		}
		written += part
		write(h.t, h.full(document), written)
		h.nap(10, 200)
	}
}

// notYet checks that metadata does not name a document that is being written.
func (h *history) notYet(document, before string) {
	text, exists := read(h.full(path.Join(path.Dir(path.Dir(document)), metadataName)))
	if f, err := fieldsOf(text, exists); err == nil && f.path == document && !strings.Contains(before, document) {
		h.fail("%s is presented before it is complete", document)
	}
}

// handOff has an agent hand off, in one of the orders that agents use.
func handOff(h *history) {
	dir, t := h.pick()
	h.handOff(dir, t)
}

func (h *history) handOff(dir string, t *task) string {
	at := h.moment(t)
	phase := t.phase
	document := path.Join(dir, documentName(phase, at))
	final := slices.ContainsFunc(t.allowed, fields.final)
	switch order := h.r.IntN(3); {
	case order == 0 || final: // and the writer dies, or it is late
		h.note("an agent hands off phase %d of %s: the document only", phase, dir)
		h.saveDocument(dir, document, at, phase)
	case order == 1:
		h.note("an agent hands off phase %d of %s: the document first", phase, dir)
		h.saveDocument(dir, document, at, phase)
		h.nap(0, 300)
		h.saveMetadata(dir, handingOff(h.r, h.n, phase, document), true)
	default:
		h.note("an agent hands off phase %d of %s: metadata first", phase, dir)
		h.saveMetadata(dir, handingOff(h.r, h.n, phase, document), true)
		h.nap(0, 100)
		h.saveDocument(dir, document, at, phase)
	}
	return document
}

// progress has an agent write a progress file.
func progress(h *history) {
	dir, t := h.pick()
	p := fmt.Sprintf("%s/progress/phase-%d-progress.json", dir, t.phase)
	h.n++
	o := object{{"phase", t.phase}, {"objectives", []any{object{{"id", h.n}, {"status", "done"}}}}, {"handoff_count", 0}}
	text := o.text(h.r)
	h.note("an agent writes its progress")
	h.save(p, text)
	h.model.files[p] = text
	t.touched = true
}

// finish has an agent end the work of a task.
func finish(h *history) {
	dir, t := h.pick()
	h.moment(t)
	status := []string{"completed", "implemented", "completed", "blocked", "failed"}[h.r.IntN(5)]
	h.note("an agent ends %s: %s", dir, status)
	h.saveMetadata(dir, finished(h.r, h.n, status), true)
}

// lead reads metadata as a lead does: it starts a successor for a handoff that waits, and
// deletes metadata that it has processed.
func lead(h *history) {
	for dir, t := range h.inOrder() {
		if h.r.IntN(3) == 0 || strings.HasSuffix(dir, "_burst") && h.r.IntN(20) > 0 {
			continue
		}
		text, exists := read(h.full(path.Join(dir, metadataName)))
		f, err := fieldsOf(text, exists)
		switch {
		case err != nil || f.missing:
		case f.final() && !h.busy:
			if h.r.IntN(2) == 0 {
				h.note("the lead deletes the metadata of %s", dir)
				os.Remove(h.full(path.Join(dir, metadataName)))
				h.model.deletedMetadata(dir)
			}
		case f.status == "partial" && f.path != "" && f.path == h.model.files.newest(dir):
			h.takeUp(dir, t, text, f)
		}
	}
}

// leadBeside reads metadata while the watch is busy. It only starts successors.
func leadBeside(h *history) {
	h.busy = true
	lead(h)
	h.busy = false
}

// inOrder are the tasks that are not archived, by folder.
func (h *history) inOrder() func(yield func(string, *task) bool) {
	return func(yield func(string, *task) bool) {
		for _, dir := range slices.Sorted(maps.Keys(h.model.tasks)) {
			if strings.Count(dir, "/") == 1 && !yield(dir, h.model.task(dir)) {
				return
			}
		}
	}
}

// takeUp has a successor take a handoff up: the lead or the successor itself changes the
// status, or writes new metadata.
func (h *history) takeUp(dir string, t *task, text string, f fields) {
	if h.r.IntN(3) == 0 {
		h.moment(t)
		claimed := strings.Replace(text, `"partial"`, `"in_progress"`, 1)
		h.note("the lead claims %s: status in_progress, nothing else", f.path)
		h.save(path.Join(dir, metadataName), claimed)
		h.model.wroteMetadata(dir, claimed, false)
		return
	}
	if h.r.IntN(3) == 0 {
		out, ok := h.real.run(program + " claim --as lead " + f.path)
		h.note("handoff claim %s (success: %v) %s", f.path, ok, lastLine(out))
		h.rest()
	}
	phase, _ := strconv.Atoi(documentPath.FindStringSubmatch(f.path)[2])
	t.phase = min(phase+h.r.IntN(2), 8)
	h.begin(dir, t)
}

// edit changes an old document, which is not a new one.
func edit(h *history) {
	dir, t := h.pick()
	docs := h.model.files.documents(dir)
	if len(docs) == 0 {
		return
	}
	document := docs[h.r.IntN(len(docs))]
	h.n++
	text := strings.Replace(h.model.files[document], "may be nested", fmt.Sprintf("may be nested %d deep", h.n), 1)
	h.note("an agent edits %s", document)
	h.save(document, text)
	h.model.files[document] = text
	t.touched = true
}

// remove deletes the newest document of a task.
func remove(h *history) {
	dir, t := h.pick()
	document := h.model.files.newest(dir)
	if document == "" {
		return
	}
	h.note("somebody deletes %s", document)
	os.Remove(h.full(document))
	delete(h.model.files, document)
	delete(t.linked, document)
	h.pointerLost(dir, document)
	for other, t := range h.model.tasks { // a copy of the task may name it
		if strings.Contains(h.model.files[path.Join(other, metadataName)], `"`+document+`"`) {
			t.touched = true
		}
	}
}

// pointerLost allows what is right once the document that metadata may name is gone: the
// pointer goes to another document, or stays with a word about it.
func (h *history) pointerLost(dir, document string) {
	t := h.model.task(dir)
	t.touched = true
	for _, f := range t.allowed {
		if f.path == document {
			t.loosen()
			t.allowed = t.allowed[:1] // but no metadata is deleted
			t.gone = document
			return
		}
	}
}

// move renames, copies or archives a task's folder. Its documents are not new there.
func move(h *history) {
	dir, t := h.pick()
	if len(h.model.files.documents(dir)) == 0 {
		return
	}
	h.n++
	to, command := fmt.Sprintf("specs/%d_moved", 100+h.n), "mv"
	switch h.r.IntN(4) {
	case 0:
		command = "cp -r"
	case 1:
		command = "cp -a"
	case 2:
		to = "specs/archive/" + path.Base(dir)
	}
	if len(h.model.files.documents(to)) > 0 {
		return
	}
	h.carry(dir, to, command)
	if h.r.IntN(2) == 0 && command == "mv" {
		h.nap(0, 400)
		h.carry(to, dir, command)
	}
	t.touched = true
}

func (h *history) carry(from, to, command string) {
	script := fmt.Sprintf("mkdir -p %s && %s %s %s", path.Dir(to), command, from, to)
	if _, exists := h.model.files[path.Join(from, metadataName)]; !exists && command != "mv" {
		// Only the time tells a copy from the same words of an agent that works side by side.
		script = fmt.Sprintf("rm -rf ../copied && %s %s ../copied && find ../copied -name '*.md' -exec touch -d '+1 minute' {} + && mkdir -p %s && mv ../copied %s", command, from, path.Dir(to), to)
	}
	h.note("%s", script)
	h.real.must(h.t, script)
	a, b := h.model.task(from), h.model.task(to)
	b.touched, b.phase, b.last, b.allowed, b.linked = true, a.phase, a.last, nil, map[string]bool{}
	for _, f := range a.allowed {
		b.allowed = append(b.allowed, f)
		if strings.HasPrefix(f.path, from+"/") { // the copy may name its own document
			f.path = to + strings.TrimPrefix(f.path, from)
			b.allowed = append(b.allowed, f)
		}
	}
	files := maps.Clone(h.model.files)
	for p, text := range files {
		if rest, ok := strings.CutPrefix(p, from+"/"); ok {
			h.model.files[to+"/"+rest] = text
			if command == "mv" {
				delete(h.model.files, p)
			}
		}
	}
	if command == "mv" {
		delete(h.model.tasks, from)
	}
}

// burst has many agents hand off at once.
func burst(h *history) {
	now := time.Now()
	h.n++
	texts := map[string]string{}
	for i := range 50 {
		phase := i%3 + 1
		p := fmt.Sprintf("specs/%d_burst/%s", 1000+h.n*100+i, documentName(phase, now))
		texts[p] = document(phase, now, h.n*1000+i)
	}
	h.note("50 agents hand off at once")
	var all sync.WaitGroup
	for document, text := range texts {
		all.Go(func() {
			time.Sleep(time.Duration(rand.IntN(80)) * time.Millisecond)
			write(h.t, h.full(document), text)
		})
	}
	all.Wait()
	for document, text := range texts {
		dir := path.Dir(path.Dir(document))
		h.model.wroteDocument(dir, document, text)
		h.model.task(dir).last = now.Unix()
	}
}

// code changes a source file.
func code(h *history) {
	h.n++
	p, text := fmt.Sprintf("src/file%d.go", h.r.IntN(3)), fmt.Sprintf("package parse\n\nconst n%d = %d\n", h.n, h.n)
	write(h.t, h.full(p), text)
	h.model.files[p] = text
	h.note("an agent writes %s", p)
}
