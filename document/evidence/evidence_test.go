package evidence_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/document/evidence"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct{ item, text, want string }{
		{"All pass [verified: go test ./parse @1a2b3c4]", "All pass", "go|test|./parse @1a2b3c4"},
		{"All pass [verified: `go test ./parse` @1a2b3c4].", "All pass", "go|test|./parse @1a2b3c4"},
		{"All pass\n  [verified: go test\n  ./parse]", "All pass", "go|test|./parse @"},
		{"x [verified: grep -n 'a | b[0]' c.go @1a2b3c4d]", "x", "grep|-n|a | b[0]|c.go @1a2b3c4d"},
		{`x [verified: echo "a b"c @12345]`, "x", "echo|a bc|@12345 @"},
		{"x [unverified: no access]", "x", "unverified no access"},
		{"x [unverified]", "x", "unverified "},
		{"x", "x", ""},
		{"see [verified]: not at the end", "see [verified]: not at the end", ""},
		{"a [link]", "a [link]", ""},
		{"x [verifiedly: y]", "x [verifiedly: y]", ""},
		{"x [verified]", "x", "error it names no command"},
		{"x [verified: ]", "x", "error it names no command"},
		{"x [verified: make test | tail @1a2b3c4]", "x", `error make test | tail: no shell`},
		{"x [verified: echo $HOME]", "x", "error echo $HOME: no shell"},
		{"x [verified: ls *.go]", "x", "error ls *.go: no shell"},
		{`x [verified: echo "$HOME"]`, "x", "error"},
		{"x [verified: echo 'a]", "x", "error"},
		{"x [verified: a; b]", "x", "error"},
		{"x [verified: a\x00b]", "x", "error"},
	} {
		text, m, err := evidence.Split(c.item)
		got := ""
		switch {
		case err != nil:
			got = "error " + err.Error()
		case m != nil && m.Verified:
			got = strings.Join(m.Command, "|") + " @" + m.At
		case m != nil:
			got = "unverified " + m.Reason
		}
		if text != c.text || !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q: %q, %q; want %q, %q", c.item, text, got, c.text, c.want)
		}
	}
}

func TestAllowed(t *testing.T) {
	var list evidence.Allowed
	for _, entry := range []string{"go test ...", "make check", "grep -qF ...", "go vet ./..."} {
		words, err := evidence.ParseAllowed(entry)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, words)
	}
	for command, want := range map[string]bool{
		"go test": true, "go test ./parse": true, "go test ./parse/...": true, "make check": true, "grep -qF 'a b' parse/x.go": true, "go vet ./...": true,
		"go": false, "go build": false, "go test -exec evil ./x": false, "go test ./x -exec=evil": false, "go test ../other": false, "go test /etc": false,
		"go test a/../../b": false, "make check all": false, "make": false, "go vet ./x": false, "grep -qF x ~root": false, "grep -qF x a=/etc/passwd": false,
		"/bin/go test": false, "go test @file": false, "grep -qF x ''": false, "Go test": false,
	} {
		words, err := evidence.Words(command)
		if got := err == nil && list.Has(words); got != want {
			t.Errorf("%s: %v, want %v (%v)", command, got, want, err)
		}
	}
	for _, entry := range []string{"...", "go ... test", "", "a | b"} {
		if words, err := evidence.ParseAllowed(entry); err == nil {
			t.Errorf("%q is allowed as %q", entry, words)
		}
	}
	if (evidence.Allowed{}).Has([]string{"true"}) {
		t.Error("an empty list allows a command")
	}
}

// FuzzAllowed: an item never yields a command with another beginning, a flag or a
// path out of the workspace.
func FuzzAllowed(f *testing.F) {
	f.Add("x [verified: go test ./parse @1a2b3c4]")
	f.Add("x [verified: go test -exec sh ./x]")
	f.Add("x [verified: go 'te'\"st\" ../a]")
	f.Add("x [verified: `go test $(id)`]")
	allowed := evidence.Allowed{{"go", "test", evidence.More}, {"make", "check"}}
	f.Fuzz(func(t *testing.T, item string) {
		_, m, err := evidence.Split(item)
		if err != nil || m == nil || !m.Verified || !allowed.Has(m.Command) {
			return
		}
		switch {
		case slices.Equal(m.Command, []string{"make", "check"}):
		case len(m.Command) < 2 || m.Command[0] != "go" || m.Command[1] != "test":
			t.Fatalf("%q runs %q", item, m.Command)
		}
		for _, word := range m.Command[2:] {
			if word == "" || strings.HasPrefix(word, "-") || strings.HasPrefix(word, "/") || !filepath.IsLocal(word) {
				t.Fatalf("%q has the word %q", item, word)
			}
			if strings.ContainsAny(word, "\x00\n") {
				t.Fatalf("%q has the word %q", item, word)
			}
		}
	})
}

func TestLines(t *testing.T) {
	a := evidence.Allowed{{"go", "test", evidence.More}, {"make", "check"}, {"sh", "-c", "a b"}, {"x", ""}, {"make"}}
	open, exact := a.Lines()
	if got := strings.Join(open, ",") + ";" + strings.Join(exact, ","); got != "go test;make check,make" {
		t.Error(got)
	}
}

// TestDoubts: each reason is told once, those of failed commands first, and two at most.
func TestDoubts(t *testing.T) {
	const edited, failed = "not checked after the last edit, a.go", "failed when last run: make"
	for text, want := range map[string][]string{
		"x [verified: make]\ny [unverified: no access]": nil,
		"x [unverified: " + edited + "]\ny [unverified: not checked after the\n  last edit, a.go] z [unverified: " + failed + "]": {failed, edited},
		"[unverified: " + failed + " a] [unverified: " + failed + " b] [unverified: " + failed + " c]":                            {failed + " a", failed + " b"},
		"[unverified: " + failed + strings.Repeat("x", 300) + "] [unverified: " + failed:                                          nil,
	} {
		if got := evidence.Doubts(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
