// Package figures reads the measured numbers of README and docs, and where each is from: a command, a test, a script, or a
// person who counted. The test of the pages and the program that prints the figures again ask it.
package figures

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Section is a section of a page that has figures.
type Section struct {
	Page    string // from the root, with forward slashes
	Heading string // with its signs
	Line    int
	Figures []Figure
	Sources []Source // its own, else those of the beginning of the page
}

// Figure is a number with a unit of speed, size or precision.
type Figure struct {
	Line int
	Text string
}

// Kind is what a figure is from.
type Kind string

// The kinds.
const (
	Command Kind = "command" // that is written there
	Test    Kind = "test"
	Script  Kind = "script"
	Hand    Kind = "by hand" // or by eye
	Page    Kind = "page"    // that has the source
)

// Source is what prints a figure.
type Source struct {
	Kind Kind
	Line int
	Name string // the command line, the name of the test, the path of the script
	Dir  string // of a command: the folder that the page goes to before, "" for none
}

var (
	figure  = regexp.MustCompile(`(?:^|[^\w` + "`" + `])(\d[\d,.]* ?(?:ms|µs|MB|KB|GB|%)|\d[\d,]* of \d[\d,]*|\d+(?:\.\d+)? (?:s|seconds|times (?:the|as|faster|slower)))(?:\W|$)`)
	command = regexp.MustCompile("`((?:[A-Z_]+=\\S+ )*(?:go (?:test \\./|run )|(?:bash )?measure/\\S+\\.sh |cd )[^`]*)`")
	inBlock = regexp.MustCompile(`^(?:cd \S+ && )?(?:[A-Z_]+=\S+ )*(?:go (?:test \./|run )|(?:bash )?measure/)`)
	test    = regexp.MustCompile(`\bTest[A-Z]\w+`)
	script  = regexp.MustCompile(`[\w./-]+\.(?:sh|py)\b`)
	hand    = regexp.MustCompile(`by (?:hand|eye)|a person (?:read|counted)`)
	page    = regexp.MustCompile(`CONTRIBUTING\.md#\w+|measure/bench/README\.md|bench\.md|measure/bench|\bmeasure\b|bench|To repeat|go test`)
)

// Read returns the sections with figures of README and the pages in docs.
func Read(root string) (list []Section, err error) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, file := range append(pages, filepath.Join(root, "README.md")) {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name, _ := filepath.Rel(root, file)
		list = append(list, inPage(filepath.ToSlash(name), string(src))...)
	}
	return list, nil
}

// inPage are the sections of a page that have figures.
func inPage(name, src string) (list []Section) {
	all := []Section{{Page: name, Line: 1}}
	code, dir, n := false, "", 0
	for line := range strings.Lines(src) {
		n++
		line = strings.TrimRight(line, "\r\n")
		switch fence := strings.HasPrefix(strings.TrimSpace(line), "```"); {
		case fence:
			code, dir = !code, ""
		case code:
			at := &all[len(all)-1]
			if folder, ok := strings.CutPrefix(line, "cd "); ok && !strings.Contains(folder, "$") {
				dir = folder
			}
			before, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), " #")
			if inBlock.MatchString(before) {
				at.Sources = append(at.Sources, Source{Command, n, strings.TrimSpace(before), dir})
			}
		case strings.HasPrefix(line, "#"):
			all = append(all, Section{Page: name, Heading: line, Line: n})
			fallthrough
		default:
			at := &all[len(all)-1]
			for _, m := range figure.FindAllStringSubmatch(line, -1) {
				at.Figures = append(at.Figures, Figure{n, m[1]})
			}
			at.Sources = append(at.Sources, inLine(line, n)...)
		}
	}
	beginning := all[0].Sources
	if len(all) > 1 && strings.HasPrefix(all[1].Heading, "# ") {
		beginning = append(slices.Clip(beginning), all[1].Sources...)
	}
	for _, s := range all {
		if len(s.Figures) > 0 {
			if len(s.Sources) == 0 {
				s.Sources = beginning
			}
			list = append(list, s)
		}
	}
	return list
}

// inLine are the sources that a line names: commands, tests and scripts, else a person or a page.
func inLine(line string, n int) (list []Source) {
	rest := line
	for _, m := range command.FindAllStringSubmatch(line, -1) {
		rest = strings.Replace(rest, m[0], "", 1)
		if strings.Contains(m[1], "go ") || strings.Contains(m[1], ".sh") {
			list = append(list, Source{Kind: Command, Line: n, Name: m[1]})
		}
	}
	for _, name := range test.FindAllString(rest, -1) {
		list = append(list, Source{Kind: Test, Line: n, Name: name})
	}
	for _, name := range script.FindAllString(rest, -1) {
		if name = strings.TrimPrefix(name, "../"); strings.HasPrefix(name, "measure/") {
			list = append(list, Source{Kind: Script, Line: n, Name: name})
		}
	}
	if word := hand.FindString(rest); word != "" {
		list = append(list, Source{Kind: Hand, Line: n, Name: word})
	}
	if word := page.FindString(rest); word != "" && len(list) == 0 {
		list = append(list, Source{Kind: Page, Line: n, Name: word})
	}
	return list
}
