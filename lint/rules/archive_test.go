package rules

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/document/handoff"
	"handoff/lint"
)

// archive is a rule's documentation and its cases, as in the file.
type archive struct {
	*txtar.Archive
	file  string
	cases []testCase
}

// testCase is one document of an archive with its surroundings.
type testCase struct {
	name    string
	source  string
	want    string // findings, "" for none
	fixed   string // the source after the fix
	hasFix  bool
	escapes bool // bytes that no text file can hold are written as escapes
	input   lint.Input
	set     lint.Settings
}

const (
	defaultPath = "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"
	defaultNow  = "2026-02-12T15:00:00Z"
)

func readArchive(t *testing.T, file string) *archive {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{Archive: txtar.Parse(data), file: file}
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".md")
		if !ok {
			continue
		}
		c, err := a.newCase(name, string(f.Data))
		if err != nil {
			t.Fatalf("%s: %s.given: %v", file, name, err)
		}
		a.cases = append(a.cases, c)
	}
	for _, f := range a.Files {
		name, ext := strings.TrimSuffix(f.Name, path.Ext(f.Name)), path.Ext(f.Name)
		if !slices.Contains([]string{".md", ".want", ".fixed", ".given"}, ext) {
			t.Errorf("%s: %s: no .md, .want, .fixed or .given file", file, f.Name)
		} else if a.find(name+".md") == nil {
			t.Errorf("%s: %s has no %s.md", file, f.Name, name)
		}
	}
	return a
}

func (a *archive) find(name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	return nil
}

func (a *archive) newCase(name, source string) (testCase, error) {
	c := testCase{name: name, set: lint.Defaults()}
	c.input.Now, _ = time.Parse(time.RFC3339, defaultNow)
	c.givePath(defaultPath)
	if f := a.find(name + ".given"); f != nil {
		look := facts{}
		lines := bufio.NewScanner(strings.NewReader(string(f.Data)))
		for lines.Scan() {
			if err := c.give(strings.TrimSpace(lines.Text()), look); err != nil {
				return c, err
			}
		}
		slices.Sort(c.input.Siblings)
	}
	c.source = c.decode(source)
	if f := a.find(name + ".want"); f != nil {
		c.want = string(f.Data)
	}
	if f := a.find(name + ".fixed"); f != nil {
		c.fixed, c.hasFix = c.decode(string(f.Data)), true
	}
	return c, nil
}

// give adds one line of a .given file to the surroundings.
func (c *testCase) give(line string, look facts) (err error) {
	key, rest, _ := strings.Cut(line, " ")
	switch key {
	case "":
	case "path":
		c.givePath(rest)
	case "now":
		c.input.Now, err = time.Parse(time.RFC3339, rest)
	case "filed":
		c.input.Filed = true
	case "sibling":
		c.input.Siblings = append(c.input.Siblings, rest)
	case "workspace":
		c.input.Look = look.at
	case "folder":
		look[rest], c.input.Look = lint.Facts{Exists: true, Folder: true}, look.at
	case "file":
		space := strings.LastIndexByte(rest, ' ') // a name may have blanks
		name := rest[:max(space, 0)]
		var n int
		n, err = strconv.Atoi(rest[space+1:])
		look[name], c.input.Look = lint.Facts{Exists: true, Lines: func() int { return n }}, look.at
	case "since": // what became of a path; "" for one that was deleted
		name, now, _ := strings.Cut(rest, " ")
		before := c.input.Since
		c.input.Since = func(path string) (string, bool) {
			switch {
			case path == name:
				return now, true
			case before != nil:
				return before(path)
			}
			return "", false
		}
	case "like": // the only file with the same base name
		c.input.Like = func(p string) string {
			if path.Base(p) == path.Base(rest) {
				return rest
			}
			return ""
		}
	case "root":
		c.input.Look = look.below(rest) // the last line of the file: others have no root
	case "profile":
		profiles := map[string]lint.Profiles{"handoff": lint.Handoff, "completion": lint.Completion, "auto": lint.Handoff | lint.Completion}
		if c.set.Profile = profiles[rest]; c.set.Profile == 0 {
			err = fmt.Errorf("unknown profile %q", rest)
		}
	case "zone":
		var in time.Time
		in, err = time.Parse("-07:00", rest)
		c.set.Zone = in.Location()
	case "set":
		err = c.giveSetting(rest)
	case "escapes":
		c.escapes = true
	default:
		err = fmt.Errorf("unknown fact %q", key)
	}
	return err
}

func (c *testCase) givePath(p string) {
	c.input.Path, c.input.Name = "", handoff.Name{}
	if p != "-" {
		c.input.Path, c.input.Name = p, handoff.ParseName(p)
	}
}

func (c *testCase) giveSetting(s string) error {
	key, value, _ := strings.Cut(s, " ")
	settings := map[string]*int{
		"max_lines": &c.set.MaxLines, "max_next_action_words": &c.set.MaxWords,
		"max_fence_lines": &c.set.MaxFence, "padding": &c.set.Padding,
	}
	n, err := strconv.Atoi(value)
	if settings[key] == nil || err != nil {
		return fmt.Errorf("unknown setting %q", s)
	}
	*settings[key] = n
	return nil
}

// facts is a workspace of files that need not exist.
type facts map[string]lint.Facts

func (f facts) at(p string) lint.Facts { return f.below("")(p) }

// below looks up absolute paths below root as the relative ones. Others are
// outside the workspace.
func (f facts) below(root string) func(string) lint.Facts {
	return func(p string) lint.Facts {
		local, ok := strings.CutPrefix(p, root+"/")
		if strings.HasPrefix(p, "/") && (root == "" || !ok) {
			return lint.Facts{Exists: true}
		}
		return f[local]
	}
}

// decode replaces the escapes \r, \xHH and \uHHHH if the case has escapes;
// other backslashes stay.
func (c *testCase) decode(s string) string {
	if !c.escapes {
		return s
	}
	var b strings.Builder
	for s != "" {
		size := escapeSize(s)
		text, err := strconv.Unquote(`"` + s[:size] + `"`)
		if size == 0 || err != nil {
			size, text = 1, s[:1]
		}
		b.WriteString(text)
		s = s[size:]
	}
	return b.String()
}

// escapeSize is the length of the escape s opens with, 0 when it is none.
func escapeSize(s string) int {
	size := 0
	switch {
	case strings.HasPrefix(s, `\r`):
		size = 2
	case strings.HasPrefix(s, `\x`):
		size = 4
	case strings.HasPrefix(s, `\u`):
		size = 6
	}
	return min(size, len(s))
}

// encode is the inverse of decode.
func (c *testCase) encode(s string) string {
	if !c.escapes {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// render writes findings as a .want file does.
func render(list []lint.Finding) string {
	var b strings.Builder
	for _, f := range list {
		if f.Lines.First > 0 {
			fmt.Fprintf(&b, "%d:", f.Lines.First)
			if f.Col > 0 {
				fmt.Fprintf(&b, "%d:", f.Col)
			}
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s: %s\n", f.Severity, f.Message)
		if f.Rename != "" {
			fmt.Fprintf(&b, "  rename: %s\n", f.Rename)
		}
	}
	return b.String()
}

// put sets a file, adds it after its case, or (text "") removes it.
func (a *archive) put(name, ext, text string) {
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name+ext })
	switch {
	case i >= 0 && text == "":
		a.Files = slices.Delete(a.Files, i, i+1)
	case i >= 0:
		a.Files[i].Data = []byte(text)
	case text != "":
		last := 0
		for j, f := range a.Files {
			if strings.TrimSuffix(f.Name, path.Ext(f.Name)) == name {
				last = j + 1
			}
		}
		a.Files = slices.Insert(a.Files, last, txtar.File{Name: name + ext, Data: []byte(text)})
	}
}

func (a *archive) write(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(a.file, txtar.Format(a.Archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
