package rules

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/lint"
	taskrules "handoff/workspace/reconcile/rules"
)

//go:generate go test -vet=off . -run TestPage -update

// TestPage compares docs/rules.md with the archives of the rules.
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
	b.WriteString("# Rules\n\nGenerated from the archives in `lint/rules` and `workspace/reconcile/rules`, whose examples are the rules' tests: `go generate ./...`.\n")
	b.WriteString("\n`handoff lint` checks one document by these rules:\n\n")
	for _, r := range All {
		row(&b, r, Docs)
	}
	b.WriteString("\n`handoff verify` checks by these rules that the files of a task agree:\n\n")
	for _, r := range taskrules.All {
		row(&b, &r.Rule, taskrules.Docs)
	}
	for _, r := range All {
		describe(&b, r, Docs)
	}
	for _, r := range taskrules.All {
		describe(&b, &r.Rule, taskrules.Docs)
	}
	return b.String()
}

func row(b *strings.Builder, r *lint.Rule, docs lint.Docs) {
	if strings.HasSuffix(b.String(), ":\n\n") {
		b.WriteString("| rule | severity | fix | why |\n|---|---|---|---|\n")
	}
	fix := ""
	if r.Fixable {
		fix = "yes"
	}
	fmt.Fprintf(b, "| [%s](#%s) | %s | %s | %s |\n", r.Name, r.Name, r.Severity, fix, strings.ReplaceAll(docs.Summary(r.Name), "|", "\\|"))
}

func describe(b *strings.Builder, r *lint.Rule, docs lint.Docs) {
	text, _ := docs.Archive(r.Name)
	a := txtar.Parse([]byte(text))
	fmt.Fprintf(b, "\n## %s\n\n%s\n", r.Name, strings.TrimSpace(string(a.Comment)))
	for _, f := range a.Files {
		if f.Name == "bad.want" {
			fmt.Fprintf(b, "\nExample output:\n\n```text\n%s```\n", f.Data)
		}
	}
}
