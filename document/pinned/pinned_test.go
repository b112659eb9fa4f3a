package pinned_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"handoff/document/handoff"
	"handoff/document/pinned"
	"handoff/parse"
)

func document(deadEnds, context string) *handoff.Document {
	return parse.Document([]byte("# Phase 1 Handoff\n\n## What NOT to Try\n" + deadEnds + "\n## Critical Context\n" + context))
}

func TestCompare(t *testing.T) {
	before := document("- `simp` alone: loops\n- omega: too slow ^k3f9\n- ring: wrong goal\n- aesop: no idea\n- decide: memory\n",
		"1. The order is reversed [verified: make check @1a2b3c4]\n2. Port 80 is\n   taken\n3. Gone\n")
	after := document("- **simp alone**: loops.\n- omega works now for small goals ^k3f9\n- ~~ring: wrong goal~~ (works since 4.2)\n- Retired: aesop: no idea - replaced\n- polyrith: no network\n",
		"1. Port 80 is taken\n2. The order is reversed [unverified]\n")
	want := []string{
		"kept `simp` alone: loops edited", "kept omega: too slow edited", "retired ring: wrong goal (works since 4.2)", "retired aesop: no idea (replaced)", "lost decide: memory",
		"kept The order is reversed", "kept Port 80 is taken", "lost Gone", "new polyrith: no network",
	}
	var got []string
	for _, c := range pinned.Compare(before, after, nil) {
		line := string(c.Fate) + " " + c.Item.Text
		if c.Reason != "" {
			line += " (" + c.Reason + ")"
		}
		if c.Edited {
			line += " edited"
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := pinned.Compare(document("None\n", ""), document("- None.\n", ""), nil); len(got) != 0 {
		t.Errorf("none: %v", got)
	}
	if got := pinned.Compare(nil, after, nil); len(got) != 5 || got[0].Fate != pinned.New {
		t.Errorf("the first document: %+v", got)
	}
}

// TestChains makes chains of 20 documents, each of which keeps, rewrites under an id,
// retires or drops items of the one before. Every item must be kept or be reported.
func TestChains(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		made := 0
		fresh := func() string {
			made++
			text := fmt.Sprintf("item %d %s: it `fails` %d", made, rapid.StringMatching(`[a-z ü]{0,12}`).Draw(rt, "words"), made)
			if rapid.Bool().Draw(rt, "id") {
				text += fmt.Sprintf(" ^k%d", made)
			}
			return text
		}
		items := []string{fresh(), fresh(), fresh()}
		before := document(list(items), "")
		for range 20 {
			want := map[pinned.Fate]int{}
			var next, struck []string
			for _, item := range items {
				switch rapid.IntRange(0, 9).Draw(rt, "fate") {
				case 0:
					want[pinned.Lost]++
				case 1:
					want[pinned.Retired]++
					struck = append(struck, "~~"+item+"~~ (no longer)")
				case 2:
					want[pinned.Kept]++
					if i := strings.LastIndex(item, " ^"); i >= 0 {
						item = fmt.Sprintf("rewritten %d%s", made, item[i:])
						made++
					}
					next = append(next, item)
				case 3:
					want[pinned.Kept]++
					next = append(next, item+" [verified: make check @1a2b3c4]")
				default:
					want[pinned.Kept]++
					next = append(next, item)
				}
			}
			if rapid.Bool().Draw(rt, "more") {
				next = append(next, fresh())
				want[pinned.New]++
			}
			after := document(list(next)+list(struck), "")
			got := map[pinned.Fate]int{}
			for _, c := range pinned.Compare(before, after, nil) {
				got[c.Fate]++
				if c.Fate == pinned.Retired && c.Reason != "no longer" {
					rt.Fatalf("%q retired: %q", c.Item.Text, c.Reason)
				}
			}
			for _, fate := range []pinned.Fate{pinned.New, pinned.Kept, pinned.Retired, pinned.Lost} {
				if got[fate] != want[fate] {
					rt.Fatalf("%s: %d, want %d\nbefore\n%s\nafter\n%s", fate, got[fate], want[fate], before.Source, after.Source)
				}
			}
			for i, item := range next {
				next[i] = strings.TrimSuffix(item, " [verified: make check @1a2b3c4]")
			}
			items, before = next, after
		}
	})
}

func list(items []string) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString("- " + item + "\n")
	}
	return b.String()
}
