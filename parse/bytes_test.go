package parse

import (
	"strings"
	"testing"
)

// byteCases are documents that cannot be files in testdata, because an editor
// or a checkout changes line ends, byte order marks and bytes that are not
// text.
var byteCases = []struct{ name, src, want string }{
	{"empty", "", ""},
	{"blank", "\n\n  \n", ""},
	{"crlf", "# T\r\n\r\n## Current State\r\n- **File**: a\r\n  b\r\n\r\n```\r\nx\r\n```\r\n**References**:\r\n", `title 1-1 "T"
section 3-9 "Current State" Current State exact hash heading 3-3 body 4-9
  list 4-5
  fence 7-9
  item 4-5 depth 0 - head 4-5 "**File**: a\r\n  b"
  label 4-5 "File" = "a\r\n  b"
  fence 7-9 body 8-8 depth 0 closed=true ""
section 10-10 "References" References bare bold heading 10-10 body -
`},
	{"mark", "\ufeff# T <!-- c -->\n\n## Current State", `title 1-1 "T <!-- c -->"
section 3-3 "Current State" Current State exact hash heading 3-3 body -
comment 1-1 col 8 alone=false "c"
`},
	{"mark alone", "\ufeff", ""},
	{"mark and comment", "\ufeff<!-- c -->\n", `preamble 1-1
  html 1-1
comment 1-1 col 4 alone=true "c"
`},
	{"mark and frontmatter", "\ufeff---\r\ntask: 3\r\nfoo: 1\r\n---\r\n# T\r\n", `front 1-4 task=3 phase="" thread="" profile=""
title 5-5 "T"
problem front 3:1 unknown key "foo" (task, phase, thread, seq, profile, draft, source, lint)
`},
	{"frontmatter without line end", "---\ntask: 3\n---", `front 1-3 task=3 phase="" thread="" profile=""
`},
	{"non-ascii", "# Φ → ψ\n\n## Current State\n- **Goal ⊢**: `∀ x, φ`\n", `title 1-1 "Φ → ψ"
section 3-4 "Current State" Current State exact hash heading 3-3 body 4-4
  list 4-4
  item 4-4 depth 0 - head 4-4 "**Goal ⊢**: ` + "`∀ x, φ`" + `"
  label 4-4 "Goal ⊢" = "` + "`∀ x, φ`" + `"
`},
	{"nul", "# A title of some length\n\n## Current\x00 State\nText\x00\n", `title 1-1 "A title of some length"
section 3-4 "Current\x00 State" Current State misspelled hash heading 3-3 body 4-4
  paragraph 4-4
problem encoding 3:11 NUL byte: remove it
`},
	{"lone return", "# T\n\n## Current State\rText\r\n", `title 1-1 "T"
section 3-3 "Current State\rText" other unknown hash heading 3-3 body -
problem encoding 3:17 carriage return without a line feed: end lines with \n or \r\n
`},
	{"not utf-8", "# Stra\xdfe und Weg\n\n## Current State\n\nf\xfcr alle\n", `title 1-1 "Stra\xdfe und Weg"
section 3-5 "Current State" Current State exact hash heading 3-3 body 5-5
  paragraph 5-5
problem encoding 1:7 byte 0xdf is not UTF-8: save the file as UTF-8
`},
	{"binary", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00# T\n\n## Current State\n", `problem encoding 1:8 binary data, not text: save it as UTF-8
`},
	{"utf-16", "\xff\xfe#\x00 \x00T\x00\n\x00", `problem encoding 1:1 UTF-16, as some programs on Windows write text: save it as UTF-8
`},
	{"open at the end", "## Current State\n\n```", `section 1-3 "Current State" Current State exact hash heading 1-1 body 3-3
  fence 3-3
  fence 3-3 body - depth 0 closed=false ""
problem unclosed 3:0 nothing closes this code fence: add the closing line
`},
	{"tabs", "## Current State\n\n-\ta\n\n\t- b\n\t\tc\n\n1.\t```\n\tx\n\t```\n\n\tcode?\n\n>\t-\tq\n", `section 1-14 "Current State" Current State exact hash heading 1-1 body 3-14
  list 3-6
  list 8-12
  quote 14-14
  item 3-6 depth 0 - head 3-3 "a"
  item 5-6 depth 1 - head 5-6 "b\n\t\tc"
  item 8-12 depth 0 1. head - ""
  item 14-14 depth 1 - head 14-14 "q"
  fence 8-10 body 9-9 depth 1 closed=true ""
`},
	{"deep on one line", "# T\n\n" + strings.Repeat("> ", 101) + "x\n\n## Current State\n", `problem deep 3:0 lists or quotes nested more than 100 deep: not read any further
`},
	{"not too deep", strings.Repeat("> ", 100) + "x\n", `preamble 1-1
  quote 1-1
`},
	{"a rule of many dashes", strings.Repeat("- ", 5000) + "\n", `preamble 1-1
  break 1-1
`},
}

func TestBytes(t *testing.T) {
	for _, c := range byteCases {
		t.Run(c.name, func(t *testing.T) {
			src := []byte(c.src)
			if got := dump(Document(src)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if string(src) != c.src {
				t.Error("the source was changed")
			}
		})
	}
}

// TestSourceEnd checks that nothing is written after the given bytes.
func TestSourceEnd(t *testing.T) {
	whole := []byte("- a\n\n      code  XYZ")
	Document(whole[:len(whole)-3])
	if got := string(whole); got != "- a\n\n      code  XYZ" {
		t.Errorf("the bytes after the source were changed: %q", got)
	}
}
