package facts

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"handoff/document/seen"
	"handoff/internal/text/shellword"
)

// run is a command that checked the work.
type run struct {
	seen.Ran
	narrow bool // it checked a part that its words name
	at     place
}

// place is where something is in a transcript: its line, and where on it.
type place struct{ line, part int }

func (p place) after(o place) bool { return cmp.Or(p.line-o.line, p.part-o.part) > 0 }

// edit is a change of files.
type edit struct {
	what string
	at   place
}

// Seen returns what the transcript shows of the checks of a session: for each way the last command, how it ended, and what
// was changed after it. root is that of the workspace, own reports whether a path is one of a file in which handoffs are kept.
func (f *Facts) Seen(root string, own func(path string) bool) (s seen.Session) {
	s.Read = true
	var runs []run
	var edits []edit
	theirs := f.handed()
	counts := func(name string) bool {
		return !temporary(name) && !theirs(name) && !own(strings.ReplaceAll(name, `\`, "/"))
	}
	for _, w := range f.Written {
		if counts(w.Path) {
			edits = append(edits, edit{w.Path, place{w.Line, 0}})
		}
	}
	for i := range f.Commands {
		c := &f.Commands[i]
		list := parts(c.Text)
		dir := c.Dir
		for n := range list {
			p, at := &list[n], place{c.Line, n + 1}
			if len(p.words) > 1 && p.words[0] == "cd" {
				dir = moved(dir, p.words[1])
			}
			switch kinds := p.checks(); {
			case kinds != 0:
				runs = append(runs, f.ranBy(c, list, n, kinds, dir == root, at))
			case c.State != Refused && c.State != Unseen:
				if what := p.changes(counts); what != "" {
					edits = append(edits, edit{what, at})
				}
			}
		}
	}
	for _, a := range f.Agents {
		if a.Edits {
			edits = append(edits, edit{"a subagent", place{a.Seen, 0}})
		}
		if a.Known && a.Calls == 0 {
			s.Idle = append(s.Idle, a.Task)
		}
	}
	for _, kind := range []seen.Kinds{seen.Tests, seen.Builds, seen.Lints} {
		if r, ok := decisive(runs, kind, edits); ok {
			r.Kinds = kind
			s.Ran = append(s.Ran, r.Ran)
		}
	}
	return s
}

// ranBy is a part of a command as a run.
func (f *Facts) ranBy(c *Command, list []part, n int, kinds seen.Kinds, atRoot bool, at place) run {
	p := &list[n]
	r := run{Ran: seen.Ran{Kinds: kinds, Command: shellword.Join(p.full...), Status: statusOf(c, list, n), Exit: c.Exit, Line: c.Line}, narrow: narrow(p.words), at: at}
	if r.Status == seen.Unknown {
		t := f.total(c, n, len(list))
		r.Status, r.Shown = t.status, t.line
	}
	r.Plain = atRoot && len(p.full) > 0 && !assigns(p.full[0])
	return r
}

// decisive is the run that decides about claims of a kind: the last one, unless that checked only a part, and the last one of
// all failed, or nothing was changed since that.
func decisive(runs []run, kind seen.Kinds, edits []edit) (last run, ok bool) {
	for _, r := range slices.Backward(runs) {
		r.Edited = lastEdit(edits, r.at)
		switch {
		case r.Kinds&kind == 0:
		case !ok:
			if last, ok = r, true; !r.narrow || r.Status != seen.Passed {
				return last, true
			}
		case !r.narrow:
			if r.Status == seen.Failed || r.Status == seen.Passed && r.Edited == "" {
				return r, true
			}
			return last, true
		}
	}
	return last, ok
}

// lastEdit is what was changed last after a place, "" for nothing.
func lastEdit(edits []edit, after place) string {
	var last edit
	for _, e := range edits {
		if e.at.after(after) && e.at.after(last.at) || e.at.line == after.line && e.at.part == 0 { // a call beside it: which came first is not known
			last = e
		}
	}
	return last.what
}

// statusOf is how a part of a command ended. The shell returns the status of the last part of a pipe and of a list, so that of
// another one is known only if all parts after it ran because it succeeded.
func statusOf(c *Command, list []part, n int) seen.Status {
	passed := c.State == Exited && c.Exit == 0 || c.State == Succeeded && c.Told
	failed := c.State == Exited && c.Exit != 0
	if list[n].inner || !passed && !failed || len(c.Text) >= textShown {
		return seen.Unknown
	}
	pipefail := slices.ContainsFunc(list[:n], func(p part) bool {
		return len(p.words) > 1 && p.words[0] == "set" && slices.Contains(p.words, "pipefail")
	})
	for k := n; k > 0; k-- {
		if op := list[k-1].ends; op == "||" {
			return seen.Unknown // it ran only if another one failed
		} else if op == ";" || op == "&" || op == "" {
			break
		}
	}
	for k := n; k < len(list); k++ {
		op := list[k].ends
		last := k == len(list)-1
		if op == "&" || !last && op != "&&" && !(op == "|" && pipefail) || k > n && failed && list[k].checks() == 0 && !(list[k-1].ends == "|" && pipefail) {
			return seen.Unknown
		}
	}
	if failed {
		return seen.Failed
	}
	return seen.Passed
}

// narrowing are flags that choose some of the tests.
var narrowing = []string{"-run", "-k", "-t", "-g", "-m", "--grep", "--filter", "--tests", "-Dtest", "--testNamePattern", "--only", "--lib", "-p", "--package"}

// narrow reports whether a command checks only a part of the work, which its words name.
func narrow(words []string) bool {
	for i, word := range words {
		flag, _, _ := strings.Cut(word, "=")
		switch {
		case i == 0 || word == "." || word == "./..." || word == "...":
		case slices.Contains(narrowing, flag), strings.Contains(word, "::"):
			return true
		case word != "" && word[0] != '-' && (strings.Contains(word, "/") || path.Ext(word) != ""):
			return true
		}
	}
	return false
}

// moved is a folder after a cd, "" if that is not known.
func moved(dir, to string) string {
	switch {
	case path.IsAbs(to):
		return path.Clean(to)
	case dir == "" || strings.ContainsAny(to, "~$`*"):
		return ""
	}
	return path.Join(strings.ReplaceAll(dir, `\`, "/"), to)
}

// changers are programs that change files of the work, and the words after which they do; none for always. Formatters and
// commits are not among them: what they change needs no new check, as a rule.
var changers = map[string][]string{"mv": nil, "cp": nil, "rm": nil, "patch": nil, "tee": nil, "apply_patch": nil,
	"git": {"am", "apply", "checkout", "cherry-pick", "merge", "mv", "pull", "rebase", "reset", "restore", "revert", "rm", "stash", "switch"},
	"sed": {"-i", "--in-place"}, "perl": {"-i", "-pi"}}

// changes says what a command changes, "" for nothing of the work: a file that its output goes to, or the command itself.
func (p *part) changes(counts func(string) bool) string {
	for _, name := range p.into {
		if counts(name) && path.Ext(name) != ".log" {
			return name
		}
	}
	if len(p.words) == 0 {
		return ""
	}
	after, known := changers[path.Base(p.words[0])]
	if !known || len(after) > 0 && !slices.ContainsFunc(p.words[1:], func(w string) bool {
		return slices.ContainsFunc(after, func(a string) bool { return w == a || a[0] == '-' && a != "--in-place" && strings.HasPrefix(w, a) })
	}) {
		return ""
	}
	named := p.words[len(p.words)-1]
	if len(after) == 0 && !counts(named) {
		return ""
	}
	return shellword.Join(p.words...)
}

// temporary reports whether a path is outside of the work: in a folder for temporary files, or of an agent.
func temporary(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	if !path.IsAbs(name) {
		return strings.HasPrefix(name, "~")
	}
	for _, dir := range []string{"/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/", "/dev/"} {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return strings.Contains(name, "/.claude/") || strings.Contains(name, "/.codex/")
}

// handed reports of a file whether a command passed it to handoff, such as the values of a new document.
func (f *Facts) handed() func(name string) bool {
	var texts []string
	for _, c := range f.Commands {
		for _, p := range parts(c.Text) {
			if len(p.words) > 1 && path.Base(p.words[0]) == "handoff" {
				texts = append(texts, p.words...)
			}
		}
	}
	return func(name string) bool {
		base := path.Base(strings.ReplaceAll(name, `\`, "/"))
		return slices.ContainsFunc(texts, func(word string) bool { return path.Base(word) == base })
	}
}
