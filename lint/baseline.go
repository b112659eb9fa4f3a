package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Baseline is the debt a project had when it began to check: how often each
// rule was broken in each file. Findings within it are hidden, so that a check
// fails only for what is new. It counts and does not remember lines, because
// lines move whenever a document is edited.
//
// The zero value is an empty baseline. Paths are those that findings carry,
// with forward slashes. A Baseline must not be used by two goroutines at once.
type Baseline struct {
	files map[string]map[string]int // path, rule, count above 0
	found map[string]map[string]int // what Filter saw in the files it knows
}

// baselineVersion is that of the JSON form. A change that an older reader
// would take for something else needs a new one.
const baselineVersion = 1

// Add counts findings of a file as known, on top of what is counted already.
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

// Filter hides the findings of one file that are known. Of a rule that is
// broken more often than counted none is hidden: which of them is the new one
// nobody can say. What it saw it remembers for [Baseline.Stale] and
// [Baseline.Pruned]; it is called once for every file, also without findings.
// The findings given are left as they are.
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

// Stale lists, sorted, what was filtered and is counted higher than it was
// found: debt that was paid, which the baseline would let come back. One line
// each, such as "specs/1_a/handoffs/x.md: long-document: 2 counted, 1 found".
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

// Unchecked lists, sorted, the files that are counted but were not filtered.
// Whoever knows that one is gone filters it with no findings.
func (b *Baseline) Unchecked() []string {
	var list []string
	for _, path := range slices.Sorted(maps.Keys(b.files)) {
		if _, ok := b.found[path]; !ok {
			list = append(list, path)
		}
	}
	return list
}

// Pruned is the baseline with every count lowered to what was found. Counts
// are never raised, and files that were not filtered stay as they are.
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

// Adopt takes over what another baseline counts in files that this one does
// not count.
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

// Bytes is the baseline as JSON, sorted so that it can be reviewed and merged.
func (b *Baseline) Bytes() []byte {
	files := b.files
	if files == nil {
		files = map[string]map[string]int{}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(struct {
		Version int                       `json:"version"`
		Files   map[string]map[string]int `json:"files"`
	}{baselineVersion, files}); err != nil {
		panic(err) // strings and numbers always encode
	}
	return out.Bytes()
}

// baselinePath makes a path one that JSON can hold: a name that is not UTF-8
// would come back as another.
func baselinePath(path string) string { return strings.ToValidUTF8(path, "\ufffd") }
