package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"

	"handoff/surface/command"
)

const picture = "../../docs/demo.svg"

// TestPicture compares README's picture of a terminal with the output of
// `handoff demo`. With HANDOFF_UPDATE_SCRIPTS=1 it draws the picture again.
func TestPicture(t *testing.T) {
	var out bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: t.TempDir(), Getenv: os.Getenv,
		Now: func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) }}
	if code := run(t.Context(), w, []string{"demo", "--color", "always"}); code != command.Clean {
		t.Fatalf("exit status %d:\n%s", code, &out)
	}
	got := svg(pictured(out.String()))
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

// pictured are the lines of the demo that fit one screen: without its folder,
// whose name changes with each run, and without the metadata.
func pictured(out string) []string {
	var lines []string
	for _, step := range strings.Split(strings.TrimSpace(out), "\n\n")[1:] {
		switch head, _, _ := strings.Cut(step, "\n"); {
		case strings.Contains(head, "metadata: "), strings.HasPrefix(head, "Next:"):
			continue
		case head[0] >= '1' && head[0] <= '9':
			_, says, _ := strings.Cut(head, ". ") // without the other steps the numbers would have gaps
			step = says + strings.TrimPrefix(step, head)
			fallthrough
		default:
			lines = append(append(lines, strings.Split(step, "\n")...), "")
		}
	}
	return lines[:len(lines)-1]
}

const (
	pictureColumns = 112
	columnWidth    = 78 // width of a character at 13 px, in tenths of a pixel
	rowHeight      = 18
	margin         = 20
)

// svg draws lines as a terminal shows them. It wraps a line that is too long.
func svg(lines []string) string {
	var rows strings.Builder
	y := 2 * margin
	for _, line := range lines {
		class := "says"
		if rest, ok := strings.CutPrefix(line, "   "); ok {
			class, line = "out", rest
		}
		if strings.Contains(line, "\x1b[1m") {
			class, line = "typed", strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(line)
		}
		for first := true; first || line != ""; first = false {
			row := firstRow(line)
			line = strings.TrimPrefix(line[len(row):], " ")
			fmt.Fprintf(&rows, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", margin, y, class, html.EscapeString(row))
			y += rowHeight
		}
	}
	y += margin - rowHeight
	width, height := pictureColumns*columnWidth/10+2*margin, y
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
<title>handoff demo: a vague handoff is refused, a good one is written, listed and briefed</title>
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre }
.says { fill: #7ee2a8 } .typed { fill: #ffffff; font-weight: bold } .out { fill: #c9d1d9 }
</style>
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
%s</svg>
`, width, height, width, height, rows.String())
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
