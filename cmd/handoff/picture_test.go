package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"

	"handoff/internal/testing/needs"
	"handoff/surface/command"
)

const picture = "../../docs/demo.svg"

// demonstrated is what a demo prints, with the name of its folder replaced.
func demonstrated(t *testing.T, args ...string) string {
	t.Helper()
	needs.Tool(t, "git")
	var out bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: t.TempDir(), Getenv: os.Getenv,
		Now: func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) }}
	if code := run(t.Context(), w, append([]string{"demo"}, args...)); code != command.Clean {
		t.Fatalf("exit status %d:\n%s", code, &out)
	}
	return out.String()
}

// TestPicture compares README's picture of a terminal with the output of
// `handoff demo`. With HANDOFF_UPDATE_SCRIPTS=1 it draws the picture again.
func TestPicture(t *testing.T) {
	got := svg(strings.Split(strings.TrimSpace(demonstrated(t, "--color", "always")), "\n\n")[1:])
	if os.Getenv("HANDOFF_UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(picture, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(picture)
	if err != nil || got != string(want) {
		t.Errorf("%s is not what the demo prints (%v): HANDOFF_UPDATE_SCRIPTS=1 go test ./cmd/handoff -run TestPicture draws it", picture, err)
	}
}

// TestDemo: the story can be read in about two minutes, and each of its commands has an output.
func TestDemo(t *testing.T) {
	const most = 560
	text := demonstrated(t)
	if n := len(strings.Fields(text)); n > most {
		t.Errorf("%d words, at most %d", n, most)
	}
	for _, want := range []string{"hit your session limit", "claimed specs/", "is held by codex until", "Continue with `total() in whole cents", "failed 2 times", "restored 3 files", "names nothing to act on", "done since"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("colours without a terminal")
	}
}

const (
	pictureColumns = 100
	columnWidth    = 78 // width of a character at 13 px, in tenths of a pixel
	rowHeight      = 18
	margin         = 20
	readSeconds    = 6 // that a slide is shown
)

// svg draws the parts of the demo as slides, as a terminal shows them, one after the other. Where
// nothing moves, it shows the first one.
func svg(parts []string) string {
	var slides, moves strings.Builder
	most := 0
	n := 0
	for _, part := range parts {
		if strings.HasPrefix(part, "Next:") {
			continue
		}
		rows, count := slide(part)
		most = max(most, count)
		fmt.Fprintf(&slides, "<g class=\"slide\" style=\"animation-delay:%ds\">\n%s</g>\n", n*readSeconds, rows)
		n++
	}
	share := 100 / float64(n)
	fmt.Fprintf(&moves, "@keyframes show { 0%%, %.2f%% { opacity: 1 } %.2f%%, 100%% { opacity: 0 } }", share-0.01, share)
	width, height := pictureColumns*columnWidth/10+2*margin, most*rowHeight+2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
<title>handoff demo: claude stops at its usage limit; a handoff is drafted from its session, codex claims it, reads the brief, gets the uncommitted files back and finishes</title>
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; fill: #1f2328 }
.page { fill: #f6f8fa } .says { fill: #0550ae; font-weight: bold } .typed { font-weight: bold } .bad { fill: #cf222e } .good { fill: #116329 }
@media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } .page { fill: #0d1117 } .says { fill: #79c0ff } .typed { fill: #ffffff } .bad { fill: #ff7b72 } .good { fill: #7ee2a8 } }
.slide { opacity: 0 } .slide:first-of-type { opacity: 1 }
%s
@media (prefers-reduced-motion: no-preference) { .slide, .slide:first-of-type { opacity: 0; animation: show %ds step-end infinite } }
</style>
<rect class="page" width="100%%" height="100%%" rx="8"/>
%s</svg>
`, width, height, width, height, moves.String(), n*readSeconds, slides.String())
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// slide is a part of the demo as text elements, and how many rows it has. It wraps a line that is too long.
func slide(part string) (rows string, count int) {
	var b strings.Builder
	for line := range strings.Lines(part) {
		class := ""
		if m := sgr.FindStringSubmatch(line); m != nil {
			class = map[string]string{command.Heading: "says", command.Bold: "typed", "31": "bad", "32": "good"}[m[1]]
		}
		line = strings.TrimPrefix(sgr.ReplaceAllString(strings.TrimSuffix(line, "\n"), ""), "   ")
		for first := true; first || line != ""; first = false {
			row := firstRow(line)
			line = strings.TrimPrefix(line[len(row):], " ")
			count++
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", margin, margin+count*rowHeight-4, class, html.EscapeString(row))
		}
		if class == "says" {
			count++
		}
	}
	return b.String(), count
}

// firstRow is the part of a line that fits, up to the end of a word if there is
// one.
func firstRow(line string) string {
	row := displaywidth.TruncateString(line, pictureColumns, "")
	if i := strings.LastIndexByte(row, ' '); i > 0 && row != line {
		row = row[:i]
	}
	return row
}
