package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/internal/json/jsontext"
)

// Baseline has the findings that a project accepts for now: how many each rule
// has in each file. They are hidden, so that a check fails only for new ones.
// Lines are not stored, because they move whenever a document is edited.
//
// The zero value is an empty baseline. Paths are those of findings, with
// forward slashes. A Baseline is not safe for concurrent use.
type Baseline struct {
	files map[string]map[string]int // path, rule, count above 0
	found map[string]map[string]int // what Filter saw in the files it knows
}

// baselineVersion is the version of the JSON form. A change that an older
// reader would misunderstand needs a new one.
const baselineVersion = 1

// Add counts findings of a file as accepted, in addition to those counted
// before.
func (b *Baseline) Add(path string, findings []Finding) {
	path = baselinePath(path)
	for i := range findings {
		b.set(path, findings[i].Rule, b.files[path][findings[i].Rule]+1)
	}
}

func (b *Baseline) set(path, rule string, count int) {
	if b.files == nil {
		b.files = map[string]map[string]int{}
	}
	if b.files[path] == nil {
		b.files[path] = map[string]int{}
	}
	b.files[path][rule] = count
}

// Filter removes the accepted findings of one file. If a rule has more findings
// than were counted, it removes none of them, because it cannot know which one
// is new. [Baseline.Stale] and [Baseline.Pruned] need a call for every file,
// even one without findings. The given findings are not changed.
func (b *Baseline) Filter(path string, findings []Finding) (kept []Finding, hidden int) {
	path = baselinePath(path)
	known, ok := b.files[path]
	if !ok {
		return findings, 0
	}
	found := map[string]int{}
	for i := range findings {
		found[findings[i].Rule]++
	}
	if b.found == nil {
		b.found = map[string]map[string]int{}
	}
	b.found[path] = found
	for _, f := range findings {
		if found[f.Rule] > known[f.Rule] {
			kept = append(kept, f)
		}
	}
	return kept, len(findings) - len(kept)
}

// Stale lists, sorted, the counts that are higher than what Filter saw: those
// problems were fixed, but the baseline would hide them again. One line each,
// such as "specs/1_a/handoffs/x.md: long-document: 2 counted, 1 found".
func (b *Baseline) Stale() []string {
	var list []string
	for _, path := range slices.Sorted(maps.Keys(b.found)) {
		for _, rule := range slices.Sorted(maps.Keys(b.files[path])) {
			if counted, found := b.files[path][rule], b.found[path][rule]; found < counted {
				list = append(list, fmt.Sprintf("%s: %s: %d counted, %d found", path, rule, counted, found))
			}
		}
	}
	return list
}

// Unchecked lists, sorted, the counted files that were not filtered. A caller
// that knows that a file was deleted filters it with no findings.
func (b *Baseline) Unchecked() []string {
	var list []string
	for _, path := range slices.Sorted(maps.Keys(b.files)) {
		if _, ok := b.found[path]; !ok {
			list = append(list, path)
		}
	}
	return list
}

// Pruned is the baseline with every count lowered to what was found. It never
// raises a count, and keeps the counts of files that were not filtered.
func (b *Baseline) Pruned() *Baseline {
	out := new(Baseline)
	for path, rules := range b.files {
		found, checked := b.found[path]
		for rule, count := range rules {
			if checked {
				count = min(count, found[rule])
			}
			if count > 0 {
				out.set(path, rule, count)
			}
		}
	}
	return out
}

// Adopt copies the counts of another baseline for files that this one does not
// have.
func (b *Baseline) Adopt(other *Baseline) {
	for path, rules := range other.files {
		if _, known := b.files[path]; known {
			continue
		}
		for rule, count := range rules {
			b.set(path, rule, count)
		}
	}
}

// Bytes is the baseline as JSON, sorted so that changes can be reviewed and
// merged.
func (b *Baseline) Bytes() []byte {
	files := b.files
	if files == nil {
		files = map[string]map[string]int{}
	}
	text, err := jsontext.MarshalIndent(struct {
		Version int                       `json:"version"`
		Files   map[string]map[string]int `json:"files"`
	}{baselineVersion, files})
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return text
}

// baselinePath makes a path valid in JSON: a name that is not UTF-8 would be
// read back as another.
func baselinePath(path string) string { return strings.ToValidUTF8(path, "\ufffd") }
