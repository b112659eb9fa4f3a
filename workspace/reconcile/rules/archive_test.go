package rules_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/internal/testing/needs"
	"handoff/lint"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/chains"
	"handoff/workspace/reconcile/rules"
	"handoff/workspace/sync"
	"handoff/workspace/verify"
)

var update = flag.Bool("update", false, "write what the rules find into the archives")

// ruleCase is a workspace of an archive. Its files are NAME/PATH, and
//
//   - NAME.given has the steps before the check, one a line: "sync" runs
//     `handoff sync`; "symlink PATH" moves the file out of the workspace and
//     replaces it by a symlink; "remove PATH" deletes it; "done PATH" and "claimed PATH" record that in the receipts of
//     a document, as a command that is killed before it writes the metadata; "git BRANCH" commits
//     all files on a branch.
//   - NAME.want has the findings of the rule.
//   - NAME.fixed/PATH are the files below specs that `verify --fix` changes.
type ruleCase struct {
	*testing.T
	rule  *rules.Rule
	name  string
	files map[string]string // of the workspace, by path
	given []string
	want  string
	fixed map[string]string

	root    string
	outside string // the file that a symlink leads to
}

// TestRules runs each rule over the cases of its archive.
func TestRules(t *testing.T) {
	for _, r := range rules.All {
		t.Run(r.Name, func(t *testing.T) { testRule(t, r) })
	}
}

// TestAll expects one archive for each rule, and the rules in the order of their
// names.
func TestAll(t *testing.T) {
	if names := ruleNames(); !slices.Equal(names, rules.Docs.Names()) {
		t.Errorf("rules %q, archives %q", names, rules.Docs.Names())
	}
}

func testRule(t *testing.T, r *rules.Rule) {
	text, _ := rules.Docs.Archive(r.Name)
	archive := txtar.Parse([]byte(text))
	if s := rules.Docs.Summary(r.Name); s == "" || !strings.HasSuffix(s, ".") {
		t.Errorf("the documentation begins with %q, want a sentence", s)
	}
	cases := casesOf(t, r, archive)
	names := make([]string, len(cases))
	fixable := false
	for i, c := range cases {
		names[i] = c.name
		t.Run(c.name, func(t *testing.T) {
			c.T = t
			fixable = c.run() || fixable
		})
	}
	if !slices.Contains(names, "bad") || !slices.Contains(names, "good") {
		t.Errorf("cases %q, want bad and good among them", names)
	}
	if fixable != r.Fixable && !t.Skipped() {
		t.Errorf("Fixable is %t, some case has a finding that --fix removes: %t", r.Fixable, fixable)
	}
	if *update {
		writeArchive(t, r.Name, archive.Comment, cases)
	}
}

// casesOf are the cases of an archive, in their order.
func casesOf(t *testing.T, r *rules.Rule, a *txtar.Archive) (cases []*ruleCase) {
	for _, f := range a.Files {
		part, path, isFile := strings.Cut(f.Name, "/")
		name, kind, _ := strings.Cut(part, ".")
		i := slices.IndexFunc(cases, func(c *ruleCase) bool { return c.name == name })
		if i < 0 {
			i = len(cases)
			cases = append(cases, &ruleCase{rule: r, name: name, files: map[string]string{}, fixed: map[string]string{}})
		}
		c, data := cases[i], string(f.Data)
		switch {
		case kind == "" && isFile:
			c.files[path] = data
		case kind == "given" && !isFile:
			c.given = strings.Split(strings.TrimSpace(data), "\n")
		case kind == "want" && !isFile:
			c.want = data
		case kind == "fixed" && isFile:
			c.fixed[path] = data
		default:
			t.Errorf("%s: %s: want NAME/PATH, NAME.given, NAME.want or NAME.fixed/PATH", r.Name, f.Name)
		}
	}
	return cases
}

// run checks the case and reports whether --fix removes a finding.
func (c *ruleCase) run() (fixable bool) {
	c.write()
	before := c.tree()
	c.settings(lint.Off)
	c.settings(lint.Note)
	c.settings(lint.Error)
	found := c.verify(verify.Request{})
	want := render(found)
	left := slices.DeleteFunc(slices.Clone(found), func(f lint.Finding) bool { return f.Derivable })
	fixable = len(left) < len(found)
	if got := render(c.verify(verify.Request{Fix: true})); got != render(left) {
		c.Errorf("after --fix:\n%s\nwant:\n%s", got, render(left))
	}
	fixed := map[string]string{}
	for path, text := range c.tree() {
		if fixable && before[path] != text {
			fixed[path] = text
		}
	}
	if *update {
		c.want, c.fixed = want, fixed
	}
	if c.want != want {
		c.Errorf("got:\n%s\nwant:\n%s", want, c.want)
	}
	if !maps.Equal(c.fixed, fixed) {
		c.Errorf("--fix writes:\n%q\nwant:\n%q", fixed, c.fixed)
	}
	if c.name == "bad" && want == "" || c.name == "good" && want != "" {
		c.Errorf("findings:\n%s", want)
	}
	return fixable
}

// write creates the workspace and takes the given steps.
func (c *ruleCase) write() {
	c.root = c.TempDir()
	for path, text := range c.files {
		full := filepath.Join(c.root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			c.Fatal(err)
		}
	}
	for _, step := range c.given {
		switch verb, path, _ := strings.Cut(step, " "); verb {
		case "sync":
			if err := sync.Run(c.Context(), c.open(), sync.Request{}, func(s sync.Result) error { return s.Err }); err != nil {
				c.Fatal(err)
			}
		case "symlink":
			full := filepath.Join(c.root, path)
			c.outside = filepath.Join(c.TempDir(), "outside")
			if err := os.Rename(full, c.outside); err != nil {
				c.Fatal(err)
			}
			needs.Symlink(c, c.outside, full)
		case "remove":
			if err := os.Remove(filepath.Join(c.root, path)); err != nil {
				c.Fatal(err)
			}
		case "git":
			c.commit(path)
		case "done", "claimed":
			c.record(verb, path)
		default:
			c.Fatalf("unknown step %q: want sync, git, symlink, remove, done or claimed PATH", step)
		}
	}
}

// commit commits all files on a branch.
func (c *ruleCase) commit(branch string) {
	needs.Tool(c, "git")
	for _, args := range [][]string{{"init", "-q", "-b", branch}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all"}} {
		cmd := exec.Command("git", args...)
		if cmd.Dir = c.root; cmd.Run() != nil {
			c.Fatalf("git %v failed", args)
		}
	}
}

// record records a step in the receipts of a document.
func (c *ruleCase) record(step, path string) {
	store, err := c.open().Receipts()
	if err != nil {
		c.Fatal(err)
	}
	at := receipt.Moment{Now: time.Date(2026, 2, 12, 14, 45, 0, 0, time.UTC)}
	decide := at.Finish("ann", "")
	if step == "claimed" {
		decide = at.Claim(receipt.ClaimRequest{By: "ann", TTL: time.Hour, ID: func() string { return "x" }, Force: true, Why: "test"})
	}
	if _, err := store.Record(c.Context(), path, decide); err != nil {
		c.Fatal(err)
	}
}

func (c *ruleCase) open() *workspace.Workspace {
	ids := 0
	w, err := workspace.Open(c.root, workspace.Options{
		OpenChain: chains.Open,
		Now:       func() time.Time { return time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC) },
		NewID: func() string {
			ids++
			return fmt.Sprintf("%08d-0000-4000-8000-000000000000", ids)
		},
	})
	if err != nil {
		c.Fatal(err)
	}
	return w
}

func ruleNames() (names []string) {
	for _, r := range rules.All {
		names = append(names, r.Name)
	}
	return names
}

// settings checks that a severity of the configuration replaces that of the
// rule: off means no findings.
func (c *ruleCase) settings(severity lint.Severity) {
	found := c.verify(verify.Request{Fix: severity == lint.Off}, severity)
	for _, f := range found {
		if f.Severity != severity || severity == lint.Off {
			c.Errorf("the configuration says %s: %s", severity, render([]lint.Finding{f}))
		}
	}
}

// verify returns the findings of the case's rule, for which the configuration may
// have a severity. All other rules are switched off.
func (c *ruleCase) verify(req verify.Request, configured ...lint.Severity) (found []lint.Finding) {
	w := c.open()
	w.Config.Settings.Severity = map[string]lint.Severity{}
	for _, name := range ruleNames() {
		w.Config.Settings.Severity[name] = lint.Off
	}
	delete(w.Config.Settings.Severity, c.rule.Name)
	for _, severity := range configured {
		w.Config.Settings.Severity[c.rule.Name] = severity
	}
	err := verify.Run(c.Context(), w, req, func(v *verify.Result) error {
		derivable := 0
		for _, f := range v.Files {
			for _, f := range f.Findings {
				if c.outside != "" {
					f.Message = strings.ReplaceAll(f.Message, c.outside, "/outside")
				}
				if f.Derivable {
					derivable++
				}
				found = append(found, f)
			}
		}
		if !v.Threads && v.Derivable != derivable {
			c.Errorf("%s: %d findings are counted as fixable, %d are", v.Dir, v.Derivable, derivable)
		}
		return v.Err
	})
	if err != nil {
		c.Fatal(err)
	}
	return found
}

// tree reads the files below specs.
func (c *ruleCase) tree() map[string]string {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(c.root), "specs", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(c.root, path))
		files[path] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Fatal(err)
	}
	for path := range c.files {
		if _, ok := files[path]; !ok && c.rule.Name == "case-clash" {
			needs.Missing(c, "case", "this file system treats names that differ only in case as one")
		}
	}
	return files
}

// render writes findings as a .want file does.
func render(found []lint.Finding) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString(f.Path)
		for _, n := range []int{f.Lines.First, f.Col} {
			if n > 0 {
				fmt.Fprintf(&b, ":%d", n)
			}
		}
		fmt.Fprintf(&b, ": %s: %s", f.Severity, f.Message)
		if f.Derivable {
			b.WriteString(" (fixable)")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func writeArchive(t *testing.T, name string, doc []byte, cases []*ruleCase) {
	t.Helper()
	a := &txtar.Archive{Comment: doc}
	add := func(name, text string) { a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)}) }
	for _, c := range cases {
		for _, path := range slices.Sorted(maps.Keys(c.files)) {
			add(c.name+"/"+path, c.files[path])
		}
		if len(c.given) > 0 {
			add(c.name+".given", strings.Join(c.given, "\n")+"\n")
		}
		if c.want != "" {
			add(c.name+".want", c.want)
		}
		for _, path := range slices.Sorted(maps.Keys(c.fixed)) {
			add(c.name+".fixed/"+path, c.fixed[path])
		}
	}
	if err := os.WriteFile(name+lint.ArchiveExt, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
