package planted

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// The least of the false statements that must be told, and the most of the true ones that may be called false, in percent.
const (
	leastKnown, leastUnseen = 80, 50
	mostKnown, mostUnseen   = 2, 5
)

// TestReal plants statements in a repository that the test makes, and in this checkout if it is a clone with a history.
func TestReal(t *testing.T) {
	needs.Tool(t, "git")
	program, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folders := []string{made(t)}
	if own, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--show-toplevel").Output(); err == nil && !testing.Short() && commits(t, strings.TrimSpace(string(own))) > 100 {
		folders = append(folders, strings.TrimSpace(string(own)))
	}
	var said []string
	tables, err := Run(t.Context(), Request{Repositories: folders, Program: program, Dir: t.TempDir(), Seed: 1, Say: func(line string) { said = append(said, line) }})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range tables[0].Rows[:2] {
		told, blamed := row.Cells[0], row.Cells[4]
		least, most := [...]int{leastKnown, leastUnseen}[i], [...]int{mostKnown, mostUnseen}[i]
		if *told.Of < 50*len(folders) || *blamed.Of < 50*len(folders) || told.N*100 < least**told.Of || blamed.N*100 > most**blamed.Of {
			t.Errorf("%s: %s told, %s blamed:\n%s", row.Name, told, blamed, strings.Join(said, "\n"))
		}
	}
}

// commits counts the commits of a folder's repository.
func commits(t *testing.T, dir string) int {
	t.Helper()
	r := repository{dir: dir}
	return len(r.asks(t.Context(), "log", "-n", "200", "--format=%h"))
}

// made is a repository with a file for each name, in several folders, some of which are renamed, deleted and tagged.
func made(t *testing.T) string {
	t.Helper()
	r := repository{dir: t.TempDir()}
	run := func(args ...string) {
		if _, err := r.git(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file, name string) {
		text := "package scan\n\n"
		for _, part := range strings.Fields("read write merge parse count split trim fold sort quote check print") {
			text += "// " + part + name + " is one of the twelve steps with " + strings.ToLower(name) + "s.\nfunc " + part + name + "() error {\n\treturn " + part + "All(\"" + name + "\", nil)\n}\n\n"
		}
		full := filepath.Join(r.dir, file)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q", "-b", "main")
	for i, name := range []string{"Number", "String", "Comment", "Operator", "Keyword", "Bracket", "Newline", "Escape"} {
		file := "src/" + []string{"lexer", "parser"}[i%2] + "/" + strings.ToLower(name) + ".go"
		write(file, name)
		run("add", ".")
		run("commit", "-qm", "scan "+strings.ToLower(name)+"s of "+[]string{"configuration", "templates", "journals", "documents"}[i%4])
	}
	run("tag", "v0.1.0")
	run("mv", "src/lexer/number.go", "src/lexer/digits.go")
	run("commit", "-qm", "rename the file of numbers")
	run("rm", "-q", "src/parser/escape.go")
	run("commit", "-qm", "remove escapes again")
	run("tag", "v0.2.0")
	return r.dir
}

// TestWordings: of each kind a third of the wordings is kept out.
func TestWordings(t *testing.T) {
	checked, all := 0, 0
	for _, k := range kinds() {
		if len(k.known) != 2*len(k.unseen) || len(k.known) == 0 {
			t.Errorf("%s: %d known, %d kept out", k.name, len(k.known), len(k.unseen))
		}
		if all += len(k.known) + len(k.unseen); k.checked {
			checked++
		}
	}
	if checked < 10 || all != 240 {
		t.Errorf("%d kinds that can be looked up, %d wordings", checked, all)
	}
}
