package rules

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp/syntax"
	"strings"
	"testing"

	"handoff/lint"
)

// TestSecretKinds draws samples of each kind of secret and puts each on a line
// of its own.
func TestSecretKinds(t *testing.T) {
	const samples = 300
	kinds := 0
	for line := range lines(t, "testdata/secret-kinds.txt") {
		kinds++
		name, pattern, _ := strings.Cut(line, "\t")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, err := syntax.Parse(pattern, syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, uint64(len(name))))
			missed, example := 0, ""
			for range samples {
				var b strings.Builder
				draw(&b, tree, random)
				if findings := secretsIn("- " + b.String() + "\n"); len(findings) != 1 {
					missed, example = missed+1, fmt.Sprintf("%d findings in %s", len(findings), b.String())
				}
			}
			if missed > samples/100 {
				t.Errorf("%d of %d samples not found once, such as: %s", missed, samples, example)
			}
		})
	}
	if kinds < 95 {
		t.Errorf("%d kinds only", kinds)
	}
}

// TestNoSecrets: texts that only resemble secrets.
func TestNoSecrets(t *testing.T) {
	n := 0
	for line := range lines(t, "testdata/secret-lookalikes.txt") {
		n++
		for _, f := range secretsIn("- " + line + "\n") {
			t.Errorf("%s: column %d: %s", line, f.Col, f.Message)
		}
	}
	if n < 200 {
		t.Errorf("%d lookalikes only", n)
	}
}

// secretsIn are the findings of the rule in a document.
func secretsIn(source string) []lint.Finding {
	set := lint.Defaults()
	return found(&lint.Input{Doc: read([]byte(source)), Path: "specs/1_x/handoffs/phase-1-handoff-20260212T143022Z.md"}, Find("secret"), &set)
}

// lines returns the lines of a file that are neither empty nor comments.
func lines(t *testing.T, file string) func(func(string) bool) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(src)) {
			if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// draw writes a text that matches an expression, each byte of a class being
// equally likely.
func draw(b *strings.Builder, re *syntax.Regexp, random *rand.Rand) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			draw(b, sub, random)
		}
	case syntax.OpRepeat:
		for range re.Min {
			draw(b, re.Sub[0], random)
		}
	case syntax.OpCharClass:
		var class []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				class = append(class, r)
			}
		}
		b.WriteRune(class[random.IntN(len(class))])
	default:
		panic("an expression that no sample is drawn from: " + re.String())
	}
}
