//go:build unix

package histories

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// model is what the tree of a history must be once the watch is quiet.
type model struct {
	files tree             // as agents and git wrote them; metadata and progress files as of the last check
	tasks map[string]*task // by folder
}

// task is what the model expects of one task. Each file of a task that nobody touched since
// the last check must be what it was.
type task struct {
	touched bool
	allowed []fields        // what metadata may show
	linked  map[string]bool // documents that the metadata must link
	gone    string          // a document that its metadata named and that is gone
	counts  bool            // handoff_count of its progress files may change: git does not have them as they are
	untimed bool            // its metadata was written since the last check, without a time
	phase   int             // that its agents have reached
	last    int64           // second of the last time that was written in it
}

func (m *model) task(dir string) *task {
	if m.tasks[dir] == nil {
		m.tasks[dir] = &task{phase: 1, linked: map[string]bool{}, allowed: []fields{{missing: true}}}
	}
	return m.tasks[dir]
}

// wroteMetadata notes that an agent wrote metadata: it stays as it is.
func (m *model) wroteMetadata(dir, text string, timed bool) {
	t := m.task(dir)
	f, err := fieldsOf(text, true)
	if err != nil {
		panic(err)
	}
	m.files[path.Join(dir, metadataName)] = text
	t.touched, t.allowed, t.untimed, t.gone = true, []fields{f}, !timed, ""
}

// deletedMetadata notes that a lead deleted metadata.
func (m *model) deletedMetadata(dir string) {
	delete(m.files, path.Join(dir, metadataName))
	t := m.task(dir)
	t.touched, t.allowed, t.untimed = true, []fields{{missing: true}}, false
}

// wroteDocument notes a new handoff. It waits for a successor unless the work is over.
func (m *model) wroteDocument(dir, document, text string) {
	t := m.task(dir)
	m.files[document] = text
	t.touched, t.gone = true, ""
	t.linked[document] = true
	for i, f := range t.allowed {
		switch {
		case f.final() || m.review(dir):
		case f.path == document && f.status == "partial": // its writer named it before it wrote it
			t.allowed[i].details = anyText
		default:
			t.allowed[i] = presents(document)
		}
	}
}

// review reports whether an agent asked for a person.
func (m *model) review(dir string) bool {
	return string(raw([]byte(m.files[path.Join(dir, metadataName)]))["requires_user_review"]) == "true"
}

// loosen allows everything in the metadata of a task, which is then as it is found.
func (t *task) loosen() {
	t.touched = true
	t.allowed = []fields{{status: anyText, stage: anyText, details: anyText, path: anyText}, {missing: true}}
}

// stored reports whether a bundle is in the store of a tree.
func stored(root, id string) bool {
	text, ok := read(filepath.Join(root, ".rip/artifacts/blobs", id))
	sum := sha256.Sum256([]byte(text))
	return ok && hex.EncodeToString(sum[:]) == id
}

// problems compares a tree with the model. as is what git says of it.
func (m *model) problems(root string, now tree, as gitState) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, p := range m.files.differences(now) {
		dir, ofTask := taskOf(p)
		text, exists := now[p]
		was, existed := m.files[p]
		switch base := path.Base(p); {
		case base == metadataName && m.task(dir).touched:
			continue // below
		case ofTask && exists && existed && strings.Contains(p, "/progress/") && (m.task(dir).touched || m.task(dir).counts):
			for _, l := range lostOf("", raw([]byte(was)), raw([]byte(text)), []string{"handoff_count"}) {
				say("%s: %s", p, l)
			}
			if !m.task(dir).touched {
				list = append(list, countProblems(dir, now, as)...)
			}
		default:
			say("%s: %s", p, change(was, existed, text, exists))
		}
	}
	for p := range as.dirty {
		if strings.HasPrefix(p, ".handoff/") {
			say("git status shows %s", p)
		}
	}
	for dir, t := range m.tasks {
		if t.touched {
			list = append(list, m.taskProblems(root, dir, now, as)...)
		}
	}
	slices.Sort(list)
	return list
}

func change(was string, existed bool, now string, exists bool) string {
	switch {
	case !existed:
		return "nobody wrote this file:\n" + now
	case !exists:
		return "is gone"
	}
	return "has changed:" + linesOnly(" -", was, now) + linesOnly(" +", now, was)
}

// linesOnly lists the lines that only the first of two texts has.
func linesOnly(mark, text, other string) (list string) {
	for _, line := range strings.Split(text, "\n") {
		if !slices.Contains(strings.Split(other, "\n"), line) {
			list += "\n     " + mark + " " + line
		}
	}
	return list
}

// taskProblems compares a task that was touched since the last check.
func (m *model) taskProblems(root, dir string, now tree, as gitState) (list []string) {
	t, p := m.task(dir), path.Join(dir, metadataName)
	text, exists := now[p]
	f, err := fieldsOf(text, exists)
	if err != nil {
		return []string{p + ": " + err.Error()}
	}
	if !slices.ContainsFunc(t.allowed, f.meets) {
		list = append(list, fmt.Sprintf("%s has\n      %s, expected\n      %s", p, f, strings.Join(texts(t.allowed), " or\n      ")))
	}
	if t.gone != "" && f.status == "partial" && f.path == t.gone && !strings.Contains(text, "not exist") {
		list = append(list, fmt.Sprintf("%s: nothing in it says that %s does not exist", p, t.gone))
	}
	if was, existed := m.files[p]; exists && existed {
		for _, l := range lostMembers(was, text) {
			list = append(list, p+": "+l)
		}
	}
	if as.clean(dir, now) {
		return list // nothing derived is written where all is as git has it
	}
	ids := bundles(text)
	for document := range t.linked {
		if id := ids[document]; exists && id == "" {
			list = append(list, p+": no link to "+document)
		} else if exists && !stored(root, id) {
			list = append(list, p+": bundle "+id+" of "+document+" is missing or damaged")
		}
	}
	return append(list, countProblems(dir, now, as)...)
}

func texts(list []fields) (out []string) {
	for _, f := range list {
		out = append(out, f.String())
	}
	return out
}

// countProblems compares handoff_count of the phases of a task with their documents. A count that
// git has as it is, and all documents, too, is left alone.
func countProblems(dir string, now tree, as gitState) (list []string) {
	count, same := map[string]int{}, true
	for _, document := range now.documents(dir) {
		count[documentPath.FindStringSubmatch(document)[2]]++
		same = same && as.tracked[document] && !as.dirty[document]
	}
	for p, text := range now {
		phase, ok := strings.CutPrefix(p, dir+"/progress/phase-")
		if !ok || same && as.tracked[p] && !as.dirty[p] {
			continue
		}
		n := count[strings.TrimSuffix(phase, "-progress.json")]
		var got struct {
			Count *int `json:"handoff_count"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			list = append(list, p+": "+err.Error())
		} else if got.Count == nil && n > 0 || got.Count != nil && *got.Count != n {
			list = append(list, p+": handoff_count is "+countText(got.Count)+", the phase has "+strconv.Itoa(n))
		}
	}
	return list
}

func countText(n *int) string {
	if n == nil {
		return "missing"
	}
	return strconv.Itoa(*n)
}

// adopt makes what was found the state that nobody may change.
func (m *model) adopt(now tree) {
	m.files = now
	for dir, t := range m.tasks {
		text, exists := now[path.Join(dir, metadataName)]
		if f, err := fieldsOf(text, exists); err == nil {
			t.allowed = []fields{f}
			// Git brought a handoff that is newer by its name than the one that waits: once
			// somebody writes in the task, it is presented instead.
			if newest := now.newest(dir); newest != "" && newest != f.path && f.status == "partial" && f.stage == presented {
				t.allowed = append(t.allowed, presents(newest))
			}
		}
		t.touched, t.counts, t.untimed, t.gone = false, false, false, ""
	}
}
