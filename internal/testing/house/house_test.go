package house

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// room is a folder at the root with all its packages.
type room struct {
	lines int             // of code, without tests
	uses  map[string]bool // rooms that it imports
}

// TestHouse compares the picture of the house in docs/design.md with the packages: the rooms,
// what each imports, and, by a fifth, how large they are. HANDOFF_UPDATE_HOUSE=1 draws it.
func TestHouse(t *testing.T) {
	const page, head, end = "docs/design.md", "<!-- the house: drawn by TestHouse -->\n```text\n", "```\n"
	src, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(src), head)
	old, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no picture after %q", page, head)
	}
	drawn := draw(rooms(t))
	if os.Getenv("HANDOFF_UPDATE_HOUSE") == "1" {
		if err := os.WriteFile(page, []byte(before+head+drawn+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	size := regexp.MustCompile(`(?m) +[0-9]+(?: |$)`)
	if size.ReplaceAllString(old, " N ") != size.ReplaceAllString(drawn, " N ") {
		t.Fatalf("%s: the house has changed (HANDOFF_UPDATE_HOUSE=1 go test -run TestHouse ./internal/testing/house draws it again):\n%s", page, drawn)
	}
	is := size.FindAllString(drawn, -1)
	for i, said := range size.FindAllString(old, -1) {
		n, m := number(t, said), number(t, is[i])
		if m > 1000 && (n < m*4/5 || n > m*6/5) {
			t.Errorf("%s: a room has %d lines, not %d: HANDOFF_UPDATE_HOUSE=1 go test -run TestHouse ./internal/testing/house draws the house again", page, m, n)
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// rooms are those of the product: not of tests, and not the folders of generated and foreign code.
func rooms(t *testing.T) map[string]room {
	t.Helper()
	roomOf := func(path string) string {
		first, _, _ := strings.Cut(strings.TrimPrefix(path, "handoff/"), "/")
		return first
	}
	all := map[string]room{}
	for _, p := range list(t) {
		if layer[p.ImportPath].test {
			continue
		}
		name := roomOf(p.ImportPath)
		r, ok := all[name]
		if !ok {
			r.uses = map[string]bool{}
		}
		for _, file := range p.GoFiles {
			r.lines += codeLines(t, filepath.Join(p.Dir, file))
		}
		for _, imp := range p.Imports {
			if ours(imp) && roomOf(imp) != name {
				r.uses[roomOf(imp)] = true
			}
		}
		all[name] = r
	}
	return all
}

// draw is a line for each room, the highest first, with the rooms that it imports, but for those that
// one of these imports anyway. Rooms that use each other, which their packages do not, are on one floor.
func draw(all map[string]room) string {
	under := func(name string) map[string]bool {
		seen := map[string]bool{}
		var walk func(string)
		walk = func(n string) {
			for below := range all[n].uses {
				if !seen[below] {
					seen[below] = true
					walk(below)
				}
			}
		}
		walk(name)
		return seen
	}
	together := func(a, b string) bool { return a == b || under(a)[b] && under(b)[a] }
	floors := map[string]int{}
	var floor func(name string) int
	floor = func(name string) int {
		if n, ok := floors[name]; ok {
			return n
		}
		n := 0
		for member := range all {
			if !together(name, member) {
				continue
			}
			for below := range all[member].uses {
				if !together(name, below) {
					n = max(n, floor(below)+1)
				}
			}
		}
		floors[name] = n
		return n
	}
	names := slices.Sorted(maps.Keys(all))
	slices.SortStableFunc(names, func(a, b string) int { return floor(b) - floor(a) })
	var b strings.Builder
	for _, name := range names {
		direct := slices.Sorted(maps.Keys(all[name].uses))
		direct = slices.DeleteFunc(direct, func(below string) bool {
			return slices.ContainsFunc(direct, func(other string) bool {
				return other != "" && other != below && all[name].uses[other] && under(other)[below] && !under(below)[other]
			})
		})
		line := fmt.Sprintf("%2d  %-12s %6d  %s", floor(name), name, (all[name].lines+50)/100*100, strings.Join(direct, ", "))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
