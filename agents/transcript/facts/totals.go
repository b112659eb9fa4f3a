package facts

import (
	"slices"
	"strings"

	"handoff/agents/transcript"
	"handoff/document/seen"
)

// total is what a program that checks printed about its own run, where the shell lost its status: in a pipe to `tail`, or
// before another command.
type total struct {
	part   int // of the line of the shell
	parts  int // that the line has
	status seen.Status
	line   string // that shows it
	apps   bool   // it may be that of one app of many: see [form]
}

// totals reads the totals of the checks of a command from what the call printed. A total counts only if a program that
// checks is the only part of the line that can have printed it.
func totals(c *Command, r *transcript.Result) (list []total) {
	if r.Output == "" || r.Background || r.Refused || len(c.Text) >= textShown || !Checks(c.Text) {
		return nil
	}
	all := parts(c.Text)
	for n := range all {
		if all[n].checks() == 0 || all[n].inner || len(all[n].into) > 0 {
			continue
		}
		out, ok := printedBy(all, n, r)
		if !ok {
			continue
		}
		if one := out.read(&all[n]); one.status != seen.Unknown {
			one.part, one.parts, one.line = n, len(all), strings.Clone(one.line)
			list = append(list, one)
		}
	}
	return list
}

// total is that of a part of a command; the zero value if there is none, or it may be that of one app of many.
func (f *Facts) total(c *Command, part, parts int) total {
	i := slices.IndexFunc(c.totals, func(t total) bool { return t.part == part && t.parts == parts })
	if i < 0 || c.totals[i].apps && f.hasApps() {
		return total{}
	}
	return c.totals[i]
}

// hasApps reports whether the session saw a project of many apps.
func (f *Facts) hasApps() bool {
	inApps := func(one File) bool {
		return strings.Contains("/"+strings.ReplaceAll(one.Path, `\`, "/"), "/apps/")
	}
	return slices.ContainsFunc(f.Written, inApps) || slices.ContainsFunc(f.Read, inApps) ||
		slices.ContainsFunc(f.Commands, func(c Command) bool { return strings.Contains(c.Text, "apps/") })
}

// printed is what is left in a transcript of the output of one program.
type printed struct {
	lines []string
	end   bool // its last lines are there
	whole bool // and all others
}

// printedBy returns what is left of the output of a part of a line. ok is false if another part may have printed it, or
// changed it.
func printedBy(all []part, n int, r *transcript.Result) (out printed, ok bool) {
	text := plain(r.Output)
	out.end = !r.Failed || r.Exited // else the host ended it
	out.whole = out.end && !r.Shortened
	if at := strings.LastIndex(text, gap); at >= 0 {
		_, text, _ = strings.Cut(text[at:], "\n")
		out.whole = false
	}
	if strings.Contains(text, "truncated") || strings.Contains(text, "</persisted-output>") { // words of hosts, which shorten long outputs
		out.end, out.whole = false, false
	}
	out.lines = strings.Split(text, "\n")
	var other printed
	filtered := true // by what is after the part, in its pipe
	for k := range all {
		p := &all[k]
		piped := k > 0 && all[k-1].ends == "|"
		filtered = filtered && (k <= n || piped)
		switch into := &other; {
		case k == n && piped:
			return out, false
		case k == n:
		case piped:
			if k > n && filtered {
				into = &out
			}
			if !p.filters(into) {
				return out, false
			}
		case p.checks() != 0 && sameTotals(p, &all[n]), p.checks() == 0 && !p.quiet():
			return out, false
		}
	}
	return out, true
}

// filters records what a program after a pipe leaves of the output. ok is false if what it prints may be other than lines of it.
func (p *part) filters(out *printed) (ok bool) {
	if len(p.words) == 0 || len(p.into) > 0 || p.inner {
		return false
	}
	files := 0
	for _, word := range p.words[1:] {
		if word == "" || strings.IndexByte("-+0123456789", word[0]) < 0 {
			files++
		}
		if strings.HasPrefix(word, "-c") || strings.HasPrefix(word, "--bytes") || strings.HasPrefix(word, "-f") || strings.HasPrefix(word, "-o") || strings.HasPrefix(word, "--only") {
			return false // parts of lines, or of a file
		}
	}
	switch p.words[0] {
	case "tee":
	case "cat":
		return files == 0
	case "tail":
		out.whole = false
		return files == 0
	case "head":
		out.end, out.whole = false, false
		return files == 0
	case "grep", "egrep", "rg":
		out.end, out.whole = false, false
		return files == 1
	default:
		return false
	}
	return true
}

// quiet reports whether a part prints nothing that can be taken for the total of a check.
func (p *part) quiet() bool {
	if len(p.words) == 0 || len(p.into) > 0 && p.words[0] != "tee" {
		return true
	}
	switch p.words[0] {
	case "cd", "exit", "export", "mkdir", "set", "sleep", "true", "unset", "wait", ":":
		return true
	case "cargo", "mix":
		return len(p.words) == 2 && (p.words[1] == "fmt" || p.words[1] == "format")
	case "git":
		return len(p.words) > 1 && p.words[1] == "add"
	case "echo":
		text := strings.Join(p.words[1:], " ")
		for _, status := range []string{"$?", "${PIPESTATUS[0]}", "$PIPESTATUS"} {
			text = strings.ReplaceAll(text, status, "1")
		}
		return !strings.ContainsAny(text, "$`*?\\") && !strings.HasPrefix(text, "-") && !isTotal(text)
	}
	return false
}

// sameTotals reports whether two checks print totals of the same form, so that they cannot be told apart.
func sameTotals(a, b *part) bool {
	return slices.ContainsFunc(a.forms(), func(f *form) bool { return slices.Contains(b.forms(), f) })
}

// isTotal reports whether a line is a total of any form.
func isTotal(line string) bool {
	line = trimmed(line)
	return slices.ContainsFunc(allForms(), func(f form) bool {
		return anyMatches(f.passed, line) != "" || anyMatches(f.failed, line) != ""
	})
}

// forms are those of the totals that a check may print.
func (p *part) forms() (list []*form) {
	name, word := p.checker()
	kinds := p.checks()
	all := allForms()
	for i := range all {
		f := &all[i]
		own := slices.Contains(f.of, name) || slices.Contains(f.of, name+" "+word)
		if own || slices.Contains(scripts, name) && f.kinds == kinds {
			list = append(list, f)
		}
	}
	return list
}

// read returns how a check ended, by the totals that it printed, and the line that shows it. A failure wins.
func (o *printed) read(p *part) (t total) {
	for _, f := range p.forms() {
		for _, line := range o.lines {
			if line = trimmed(line); anyMatches(f.failed, line) != "" {
				return total{status: seen.Failed, line: line}
			}
		}
	}
	for _, f := range p.forms() {
		if line := o.passed(f); line != "" && !f.unsure(p) {
			t = total{status: seen.Passed, line: line, apps: f.sum == apps && !o.whole}
		}
	}
	return t
}

// passed is the last line of a total that shows success, "" if a line of it is missing, or what follows it may be.
func (o *printed) passed(f *form) (shown string) {
	if !o.end || f.sum == partly && !o.whole {
		return ""
	}
	for _, pattern := range f.passed {
		found := false
		for _, line := range o.lines {
			if line = trimmed(line); matches(pattern, line) {
				shown, found = line, true
			}
		}
		if !found && !f.any {
			return ""
		}
	}
	return shown
}

// unsure reports whether the words of a command take away what the total says of the whole run.
func (f *form) unsure(p *part) bool {
	if f.sum == each && slices.ContainsFunc(p.full, func(word string) bool { return word == "timeout" }) {
		return true // it may have been ended in the middle
	}
	return slices.ContainsFunc(p.words, func(word string) bool { return slices.Contains(hiding, word) })
}

// hiding are words with which a program goes on after a failure, or does not report it, or runs for many projects.
var hiding = []string{"--no-fail-fast", "-k", "--keep-going", "-i", "-fn", "--fail-never", "-Dmaven.test.failure.ignore", "-Dmaven.test.failure.ignore=true", "-ws", "--workspaces", "-r", "--recursive", "--exit-zero"}

// plain is a text without the colors of a terminal.
func plain(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "\x1b")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' })
		text = rest[end+1:]
	}
}

// trimmed is a line without what runners decorate totals with, and with single blanks.
func trimmed(line string) string {
	return strings.Join(strings.Fields(strings.Trim(line, "=# \tℹ✔✖✗✓×\r")), " ")
}
