package rules

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:generate go test . -run TestPage -update

// TestPage holds docs/rules.md to what the rules say of themselves.
func TestPage(t *testing.T) {
	const path = "../../docs/rules.md"
	want := page()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of date: go generate ./...", path)
	}
}

func page() string {
	var b strings.Builder
	b.WriteString("# Rules\n\nGenerated from the archives in `lint/rules`, whose examples are the rules' tests: `go generate ./...`.\n\n")
	b.WriteString("| rule | severity | fix | why |\n|---|---|---|---|\n")
	for _, r := range All {
		fix := ""
		if r.Fixable {
			fix = "yes"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", r.Name, r.Name, r.Severity, fix, strings.ReplaceAll(Summary(r.Name), "|", "\\|"))
	}
	for _, r := range All {
		text, _ := Doc(r.Name)
		a := txtar.Parse([]byte(text))
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", r.Name, strings.TrimSpace(string(a.Comment)))
		for _, f := range a.Files {
			if f.Name == "bad.want" {
				fmt.Fprintf(&b, "\nExample output:\n\n```text\n%s```\n", f.Data)
			}
		}
	}
	return b.String()
}
