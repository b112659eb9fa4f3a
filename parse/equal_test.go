package parse

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
)

// fast reads src with the line scanner alone.
func fast(src []byte) (*handoff.Document, bool) {
	doc := handoff.NewDocument(string(src))
	blocks, ok := fastBlocks(doc, nil)
	if ok {
		assemble(doc, blocks, lists{})
	}
	return doc, ok
}

// slow reads src with goldmark alone.
func slow(src []byte) *handoff.Document {
	doc := handoff.NewDocument(string(src))
	slowly(doc, src, lists{})
	return doc
}

// sameBothWays fails the test when the scanner understands src and reads
// another document than goldmark. It reports whether the scanner did.
func sameBothWays(t *testing.T, src []byte) bool {
	t.Helper()
	quick, ok := fast(src)
	if !ok {
		return false
	}
	if diff := diffDocuments(slow(src), quick); diff != "" {
		t.Errorf("%q\n(-goldmark +scanner)\n%s", src, diff)
	}
	return true
}

func diffDocuments(a, b *handoff.Document) string {
	return cmp.Diff(a, b, cmp.AllowUnexported(handoff.Document{}))
}

// TestFrontEnds compares both front ends on all documents of the tests.
func TestFrontEnds(t *testing.T) {
	for _, src := range testDocuments(t) {
		sameBothWays(t, src)
	}
}

// TestUnderstood names the documents the scanner must not leave to goldmark.
func TestUnderstood(t *testing.T) {
	for _, name := range []string{"lean.md", "template.md", "bold.md", "bold-and-hash.md", "plain.md"} {
		src, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := fast(src); !ok {
			t.Errorf("%s: the scanner does not understand it", name)
		}
	}
	for _, src := range []string{"# A\n\n```\ncode\n\n\n", "- a\n\n~~~ x\ny", "```\nx"} {
		if _, ok := fast([]byte(src)); !ok {
			t.Errorf("%q: a fence that is left open is not understood", src)
		}
		sameBothWays(t, []byte(src))
	}
}

// testDocuments are the golden documents, those of the byte cases, and small
// ones for shapes at which the scanner has to give up or take care.
func testDocuments(t testing.TB) [][]byte {
	var all [][]byte
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, src)
	}
	for _, c := range byteCases {
		all = append(all, []byte(c.src))
	}
	for _, s := range shapes {
		all = append(all, []byte(s))
	}
	return all
}

// TestFrontEndsAtRandom compares both front ends on small documents of lines
// that have a meaning, with a fixed seed.
func TestFrontEndsAtRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	understood := 0
	for range 40_000 {
		picks := make([]byte, 1+random.IntN(8))
		for i := range picks {
			picks[i] = byte(random.IntN(256))
		}
		if sameBothWays(t, linesOf(picks)) {
			understood++
		}
		if t.Failed() {
			return
		}
	}
	if understood < 4_000 {
		t.Errorf("the scanner understands only %d documents", understood)
	}
}

// linesOf makes a document of meaningful lines, one for each byte. Most bytes
// pick a line the scanner knows, not indented or just so.
func linesOf(picks []byte) []byte {
	var b strings.Builder
	for _, p := range picks {
		i := int(p) % (len(meaningful) + 20)
		if i >= len(meaningful) {
			i -= len(meaningful)
		}
		b.WriteString(strings.Repeat(" ", [...]int{0, 2, 3, 4, 0}[int(p)/(len(meaningful)+20)]))
		b.WriteString(meaningful[i])
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// meaningful are lines for random documents, those first that are worth having
// more often.
var meaningful = []string{
	"", "text", "- a", "1. one", "```", "## Current State", "2. two", "* b", "~~~ info", "# t #",
	"<!-- c -->", "**File**: x", "**References**", "- ```", "- # h", "10) ten", "### h", "-  two", "***", "**Context:** y",
	"---", "===", "1. - a", "+", "> q", "-     code", "<b>", "``` `x`", "-- a", "1.", "- <!-- c -->", "a `<!-- b` -->",
	"**a**", "* * *", "<!-- open",
}

var shapes = []string{
	"- a\n- b\n\n- c\n\n\n  d\n",
	"- a\n  - b\n    - c\n  - d\n- e\n",
	"- a\n - b\n  - c\n",
	"1. a\n2. b\n3) c\n- d\n* e\n",
	"text\n1. one\n2. two\n",
	"text\n2. no list\n- list\n",
	"- a\n  2. no list\n  1. list\n",
	"- a\nlazy\n  - b\nlazy too\n      lazy far right\n",
	"- a\n\nnot lazy\n",
	"- a\n---\n",
	"a\n---\n",
	"a\n\n---\n\nb\n***\n",
	"- a\n\n  b\n\n c\n",
	"10. a\n    b\n   c\n\n   d\n",
	"-  two blanks\n   b\n\n  c\n",
	"-    four blanks\n     b\n",
	"-     code\n",
	"-\n  a\n",
	"- - a\n",
	"- # heading\n  text\n",
	"- ```\n  code\n  ```\n  text\n\n  more\n",
	"- ```\n  code\nno code\n",
	"  ```\n  code\n ```\n",
	"    ```\n",
	"```\n    ```\n```\n",
	"````\n```\n`````  \n",
	"~~~ `info`\n~~~\n",
	"``` `no\n",
	"- a\n\n      code\n",
	"- a\n<!-- c -->\n- b\n  <!-- d -->\n",
	"text\n<!-- c --> more\ntext\n",
	"<-- no html\n<3\n",
	"<http://example.com>\n",
	"# a #\n## b##\n### c # #\n#### #\n#####\n###### ######\n",
	" # a\n  ## b\n   ### c\n    # no\n",
	"#no\n",
	"_ _ _\n***\n* * *\n- - -\n",
	"1.\n",
	"1234567890. no\n123456789. yes\n",
	"-no\n+no\n*no*\n1.no\n",
	"> a\nb\n",
	"a\n==\n",
	"==\na\n",
	"a\n  ===  \n",
	"- a\n==\n",
	"--\n",
	"- a\n  --\n",
	"a  \n  b  ",
	"```\n\n```",
	"- a\n  ```\n  ```\n- b",
	"**Current State**:\n- a\n\n**References**\n**File**: x\n",
}

// TestCorpus reads real documents, where the machine has any.
func TestCorpus(t *testing.T) {
	root := needs.Folder(t, "HANDOFF_CORPUS")
	var files, understood, handoffs, understoodHandoffs int
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		isHandoff := strings.Contains(filepath.ToSlash(path), "/"+handoff.Folder+"/")
		files++
		if isHandoff {
			handoffs++
		}
		if sameBothWays(t, src) {
			understood++
			if isHandoff {
				understoodHandoffs++
			}
		} else if testing.Verbose() {
			t.Logf("left to goldmark: %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the scanner understands %d of %d handoffs, %d of %d documents", understoodHandoffs, handoffs, understood, files)
	if handoffs > 0 && understoodHandoffs*100 < handoffs*85 {
		t.Errorf("the scanner understands only %d of %d handoffs", understoodHandoffs, handoffs)
	}
}
