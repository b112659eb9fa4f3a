package journal

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// model is a journal as a slice, and the real one to compare.
type model struct {
	format  Format
	path    string
	handles []*Journal
	entries []entry // what can be read, in the order of the lines
	next    uint64
	torn    bool // the file ends with a torn line
}

// small lags make the index write, merge and reload all the time.
func (m *model) open(t *rapid.T) *Journal {
	j, err := Open(t.Context(), m.path, m.format, Options{})
	if err != nil {
		t.Fatal(err)
	}
	j.index.lag = rapid.SampledFrom([]int64{1, 100, 1000, 1 << 40}).Draw(t, "lag")
	return j
}

func (m *model) handle(t *rapid.T) *Journal {
	return m.handles[rapid.IntRange(0, len(m.handles)-1).Draw(t, "handle")]
}

func drawEntries(t *rapid.T) []entry {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) entry {
		return entry{
			Keys:  rapid.SliceOfNDistinct(rapid.StringMatching("[a-f]{1,2}"), 0, 3, rapid.ID[string]).Draw(t, "keys"),
			Lists: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "../z", ""}), 0, 2, rapid.ID[string]).Draw(t, "lists"),
			Marks: rapid.SliceOfN(rapid.Custom(drawMark), 0, 2).Draw(t, "marks"),
			Text:  rapid.StringN(0, 40, -1).Draw(t, "text"),
		}
	}), 0, 5).Draw(t, "entries")
}

func drawMark(t *rapid.T) Mark {
	value := rapid.OneOf(rapid.Uint64Range(0, 20), rapid.SampledFrom([]uint64{MaxMark - 1, MaxMark, MaxMark + 1, 1<<64 - 1})).Draw(t, "value")
	return Mark{Name: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "name"), Value: value}
}

func (m *model) append(t *rapid.T) {
	add, expect, wrong := drawEntries(t), Any(), false
	if rapid.Bool().Draw(t, "exact") {
		number := m.next + uint64(rapid.IntRange(0, 1).Draw(t, "off"))
		expect, wrong = At(number), number != m.next
	}
	first, err := m.handle(t).Append(context.Background(), expect, func(next uint64) (lines []Line, err error) {
		for i := range add {
			n := next + uint64(i)
			add[i].N = &n
			line := Line{Text: add[i].line()}
			if facts, err := readEntry(line.Text); err == nil && n%2 == 0 { // as a caller that knows them would
				line.Facts = &facts
			}
			lines = append(lines, line)
		}
		return lines, nil
	})
	if wrong {
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), fmt.Sprintf("the next number is %d, not", m.next)) {
			t.Fatalf("a wrong condition: %v", err)
		}
		m.torn = m.torn && m.format.Tolerant // reading the end repaired it
		return
	}
	if err != nil || first != m.next {
		t.Fatalf("append: number %d, %v; want %d", first, err, m.next)
	}
	m.entries = append(m.entries, add...)
	m.next += uint64(len(add))
	m.torn = m.torn && m.format.Tolerant && len(add) == 0
}

func (m *model) tear(t *rapid.T) {
	whole := string(text(m.next, "torn"))
	tail := rapid.SampledFrom([]string{whole[:1], whole[:len(whole)-1], "\x00\x00", "{\n", "\n"}).Draw(t, "tail")
	if m.torn || m.unended() {
		t.Skip()
	}
	m.write(t, tail)
	m.torn = true
}

// unended reports whether the last line has no newline.
func (m *model) unended() bool {
	b, err := os.ReadFile(m.path)
	return err != nil || len(b) > 0 && b[len(b)-1] != '\n'
}

func (m *model) write(t *rapid.T, s string) {
	f, err := os.OpenFile(m.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(s); err != nil {
		t.Fatal(err)
	}
}

// foreign has another program write anything to a tolerant journal.
func (m *model) foreign(t *rapid.T) {
	if !m.format.Tolerant || m.unended() {
		t.Skip()
	}
	for _, e := range drawEntries(t) {
		if rapid.Bool().Draw(t, "numbered") {
			n := uint64(rapid.IntRange(0, 50).Draw(t, "number"))
			e.N = &n
			m.next = max(m.next, n+1)
		} else {
			m.next = max(m.next, m.format.First+uint64(len(m.entries))+1)
		}
		m.entries = append(m.entries, e)
		m.write(t, string(e.line())+rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", "\nrubbish\n"}).Draw(t, "end"))
	}
	if rapid.Bool().Draw(t, "loose") {
		n := m.next
		m.next++
		m.entries = append(m.entries, entry{N: &n, Text: "loose"})
		m.write(t, string(text(n, "loose")))
	}
}

// hurtIndex damages the index.
func (m *model) hurtIndex(t *rapid.T) {
	pattern := rapid.SampledFrom([]string{"", "/head", "/*.offsets.*", "/*.passed.*", "/*.list.*", "/*.keys.*"}).Draw(t, "pattern")
	names, err := filepath.Glob(m.path + ".idx" + pattern)
	if err != nil || len(names) == 0 {
		t.Skip()
	}
	name := names[rapid.IntRange(0, 100).Draw(t, "i")%len(names)]
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		os.RemoveAll(name)
	case 1:
		os.Truncate(name, 3)
	case 2:
		if b, err := os.ReadFile(name); err == nil && strings.HasSuffix(name, ".offsets.0") {
			// In a tolerant journal any record could be at any position, so only
			// offsets between lines are recognized as wrong.
			os.WriteFile(name, slices.Repeat([]byte{1, 0, 0, 0, 1, 0, 0, 0}, len(b)/8), 0o644)
		}
	}
}

func (m *model) check(t *rapid.T) {
	j := m.handle(t)
	first := m.format.First
	from := uint64(rapid.IntRange(0, len(m.entries)+1).Draw(t, "from"))
	want := []string{}
	for i, e := range m.entries {
		if uint64(i)+first >= from {
			want = append(want, string(e.line()))
		}
	}
	got := []string{}
	for rec, err := range j.Since(from) {
		if err != nil {
			t.Fatal(err)
		}
		var e entry
		if err := json.Unmarshal(rec.Line, &e); err != nil {
			t.Fatal(err)
		}
		got = append(got, string(e.line()))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("since %d: %q, want %q", from, got, want)
	}
	for i := range m.entries {
		if i%5 == 0 || i == len(m.entries)-1 {
			if rec, err := j.Get(first + uint64(i)); err != nil || rec.Pos != first+uint64(i) {
				t.Fatalf("get %d: %+v, %v", i, rec, err)
			}
		}
	}
	if n, err := j.Len(); err != nil || n != uint64(len(m.entries)) {
		t.Fatalf("%d records, %v; want %d", n, err, len(m.entries))
	}
	m.checkLists(t, j)
	m.checkFloor(t, j)
	m.checkPassed(t, j)
}

// checkPassed compares the index of unreadable lines with a full scan.
func (m *model) checkPassed(t *rapid.T, j *Journal) {
	scan := m.open(t)
	defer scan.Close()
	scan.index.distrust = true
	want, err := scan.Passed()
	got, err2 := j.Passed()
	if err := errors.Join(err, err2); err != nil || !slices.Equal(got, want) {
		t.Fatalf("passed over %v, %v; want %v", got, err, want)
	}
}

func (m *model) checkLists(t *rapid.T, j *Journal) {
	key := rapid.StringMatching("[a-f]{1,2}").Draw(t, "key")
	if got, err := j.Find(key); err != nil || !slices.Equal(got, m.with(func(e entry) bool { return slices.Contains(e.Keys, key) })) {
		t.Fatalf("find %q: %v, %v", key, got, err)
	}
	name := rapid.SampledFrom([]string{"x", "y", "../z", "", "none"}).Draw(t, "list")
	list := m.with(func(e entry) bool { return slices.Contains(e.Lists, name) })
	if n, err := j.Count(name); err != nil || n != uint64(len(list)) {
		t.Fatalf("count %q: %d, %v; want %d", name, n, err, len(list))
	}
	k := rapid.IntRange(0, len(list)).Draw(t, "k")
	if pos, ok, err := j.Nth(name, uint64(k)); err != nil || ok != (k < len(list)) || ok && pos != list[k] {
		t.Fatalf("nth %q %d: %d, %v, %v", name, k, pos, ok, err)
	}
	limit := uint64(rapid.IntRange(0, len(m.entries)+1).Draw(t, "limit"))
	var last uint64
	found := false
	for _, p := range list {
		if p <= limit {
			last, found = p, true
		}
	}
	if pos, ok, err := j.LastOn(name, limit); err != nil || ok != found || pos != last {
		t.Fatalf("last on %q at or before %d: %d, %v, %v; want %d, %v", name, limit, pos, ok, err, last, found)
	}
	upTo, _ := slices.BinarySearch(list, limit+1)
	if n, err := j.UpTo(name, limit); err != nil || n != uint64(upTo) {
		t.Fatalf("up to %d on %q: %d, %v; want %d", limit, name, n, err, upTo)
	}
	n := rapid.IntRange(0, 5).Draw(t, "n")
	if some, err := j.Some(name, uint64(k), uint64(n)); err != nil || !slices.Equal(some, list[k:min(k+n, len(list))]) {
		t.Fatalf("%d of %q from %d: %v, %v", n, name, k, some, err)
	}
}

// checkFloor compares the record with the greatest mark with a search of all.
func (m *model) checkFloor(t *rapid.T, j *Journal) {
	most := drawMark(t)
	upTo := rapid.SampledFrom([]uint64{0, uint64(len(m.entries) / 2), math.MaxUint64}).Draw(t, "up to")
	var want uint64
	found, at := false, uint64(0)
	for i, e := range m.entries {
		for _, mark := range e.Marks {
			if v := min(mark.Value, MaxMark); m.format.First+uint64(i) <= upTo && mark.Name == most.Name && v <= min(most.Value, MaxMark) && (!found || v >= want) {
				found, want, at = true, v, m.format.First+uint64(i)
			}
		}
	}
	rec, value, ok, err := j.Floor(most.Name, most.Value, upTo)
	if err != nil || ok != found || found && (rec.Pos != at || min(value, MaxMark) != want) {
		t.Fatalf("floor of %v up to record %d: record %d, %d, %v, %v; want %d, %d, %v", most, upTo, rec.Pos, value, ok, err, at, want, found)
	}
}

func (m *model) with(cond func(entry) bool) (list []uint64) {
	for i, e := range m.entries {
		if cond(e) {
			list = append(list, m.format.First+uint64(i))
		}
	}
	return list
}

// TestModel does random operations on a journal, through several independent
// handles, and compares it with a slice.
func TestModel(t *testing.T) {
	if os.Getenv("HANDOFF_MODEL") != "full" {
		checks := flag.Lookup("rapid.checks")
		defer checks.Value.Set(checks.Value.String())
		checks.Value.Set("25")
	}
	for name, format := range map[string]Format{"strict": strict, "tolerant": tolerant} {
		t.Run(name, func(t *testing.T) {
			dir := quickDir(t)
			runs := 0
			rapid.Check(t, func(t *rapid.T) {
				runs++
				m := &model{format: format, path: filepath.Join(dir, fmt.Sprint(runs)), next: format.First}
				j, err := Create(t.Context(), m.path, format, Options{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				j.Close()
				m.handles = []*Journal{m.open(t), m.open(t)}
				t.Repeat(map[string]func(*rapid.T){
					"append":    m.append,
					"append2":   m.append,
					"tear":      m.tear,
					"foreign":   m.foreign,
					"hurtIndex": m.hurtIndex,
					"reopen": func(t *rapid.T) {
						i := rapid.IntRange(0, len(m.handles)-1).Draw(t, "i")
						m.handles[i].Close()
						m.handles[i] = m.open(t)
					},
					"replace": func(t *rapid.T) { // by a copy, as an editor does
						b, err := os.ReadFile(m.path)
						if err == nil {
							err = errors.Join(os.WriteFile(m.path+".new", b, 0o644), os.Rename(m.path+".new", m.path))
						}
						if err != nil {
							t.Fatal(err)
						}
					},
					"": m.check,
				})
				for _, j := range m.handles {
					j.Close()
				}
			})
		})
	}
}
