package claims

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/parse"
)

// TestGate: in no text that real documents and the sets of statements have does the gate leave out a finder that would find something.
func TestGate(t *testing.T) {
	n, found := 0, 0
	for _, text := range texts(t) {
		for _, sentence := range sentences(text) {
			n++
			may := mayState(sentence)
			all, some := (&reading{}).said(sentence, ^finders(0)), (&reading{}).said(sentence, may)
			if len(all) > 0 {
				found++
			}
			if len(all) != len(some) || len(all) > 0 && all[0].Kind != some[0].Kind {
				t.Errorf("%q: %v with the gate, %v without", sentence, some, all)
			}
		}
		if saysPassing(text) >= 0 && mayState(text)&byVerdict == 0 {
			t.Errorf("%q: its verdict is not seen", text)
		}
	}
	t.Logf("%d sentences, %d with a claim", n, found)
	if found == 0 {
		t.Error("no text has a claim")
	}
}

// texts are the lines of the sets of statements, and the blocks of the documents below HANDOFF_CORPUS and of those of the rules.
func texts(t *testing.T) (list []string) {
	for _, root := range []string{"testdata", "../../lint/rules", os.Getenv("HANDOFF_CORPUS")} {
		if root == "" {
			continue
		}
		err := filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".txt") && !strings.HasSuffix(file, ".md") && !strings.HasSuffix(file, ".txtar") {
				return err
			}
			source, err := os.ReadFile(file)
			if strings.HasSuffix(file, ".txt") {
				list = append(list, strings.Split(string(source), "\n")...)
				return err
			}
			doc := parse.Document(source)
			for s := range doc.Parts {
				for _, b := range s.Blocks {
					if b.Kind == handoff.Paragraph || b.Kind == handoff.List {
						list = append(list, doc.Text(b.Lines))
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestScan: each word is found as it may be written in a text, and nothing is allocated for that.
func TestScan(t *testing.T) {
	all := table()
	for i, word := range all.words[1:] {
		for _, form := range []string{"%", " % ", "**%**:", "(%)", "`%`", "\"%\".", "x, %; y"} {
			text := strings.ReplaceAll(form, "%", word)
			if is, _ := scan(text); is&all.is[i+1] != all.is[i+1] {
				t.Errorf("%q: %b, want %b", text, is, all.is[i+1])
			}
		}
		if is, _ := scan(strings.ToUpper(word)); is&all.is[i+1] != all.is[i+1] {
			t.Errorf("%q in capitals is not found", word)
		}
	}
	for text, want := range map[string]class{"34/34 ok": signCount, "✅": signCount, "#12": signNumber, "ABC-12": signNumber, "x/pull/12": signNumber, "v1.4": signVersion, "40 ms": signDigit, "Ann is on it": signIsOn, "not": signNot} {
		if _, signs := scan(text); signs&want == 0 {
			t.Errorf("%q: signs %b", text, signs)
		}
	}
	if n := testing.AllocsPerRun(10, func() { mayState("The quick brown fox is on main, and `go test ./...` passes: 34/34 (#12).") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestClasses: each list has its key, and each key its words.
func TestClasses(t *testing.T) {
	if len(classKeys) > 64 || class(1)<<(len(classKeys)-1) != wordIssueForm {
		t.Errorf("%d keys, the last is %b", len(classKeys), wordInSync)
	}
	for n := range classKeys {
		found := false
		for _, is := range table().is {
			found = found || is&(1<<n) != 0
		}
		if !found {
			t.Errorf("%q has no words", classKeys[n])
		}
	}
}

// TestWordTable: each word has its class wherever it is in a text, in capitals too, and no other word has one.
func TestWordTable(t *testing.T) {
	all := table()
	used := 0
	for _, key := range all.packed {
		if key != 0 {
			used++
		}
	}
	if used == 0 || used > len(all.packed)*2/3 {
		t.Errorf("%d of %d slots for short words are used", used, len(all.packed))
	}
	for i, word := range all.words[1:] {
		is := all.is[i+1]
		if got := all.of(strings.ToUpper(word)); got != is {
			t.Errorf("%q: %x, want %x", word, got, is)
		}
		if wordRun(word, 0) < len(word) {
			continue // several words
		}
		for _, text := range []string{word, word + ".", word + " and more of it", strings.ToUpper(word) + "-and-more"} {
			if end, got := all.wordAt("a "+text, 2); end != 2+len(word) || got != is {
				t.Errorf("%q: %d, %x; want %d, %x", text, end, got, 2+len(word), is)
			}
			if end, got := all.wordAt("a "+word+"q"+text, 2); end != 3+2*len(word) || got != all.of(word+"q"+word) {
				t.Errorf("%q: %d, %x", word+"q"+text, end, got)
			}
		}
	}
}
