package facts

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"handoff/internal/text/secret"
	"handoff/internal/text/visible"
)

// Facts returns what was collected so far. Lists are sorted by line, and secrets in
// texts are masked.
func (c *Collector) Facts() *Facts {
	f := c.facts
	if f.First.Line == 0 {
		f.First, f.Last = c.side.first, c.side.last
		if f.Said.Line == 0 {
			f.Said = c.side.said
		}
	}
	if c.partial {
		f.First = Quote{}
	}
	written := maps.Clone(c.written)
	for _, one := range c.calls {
		if t := one.tool; t != nil && t.Writes && t.File != "" {
			path := c.below(t.File)
			again := File{Path: path}
			if old := written[path]; old != nil {
				again = *old
			}
			if again.Line <= one.line {
				again.Line, again.Unseen = one.line, true
			}
			again.Times++
			if written == nil {
				written = map[string]*File{}
			}
			written[path] = &again
		}
	}
	f.Written = sorted(written)
	f.Read = slices.DeleteFunc(sorted(c.read), func(one File) bool { return written[one.Path] != nil })
	f.Earlier = c.facts.Earlier + max(0, len(c.commands)-Kept)
	f.Commands = append([]Command{}, c.commands[max(0, len(c.commands)-Kept):]...) // not nil: programs read a list
	f.Failures = make([]Failure, 0, len(c.failures))
	for _, one := range c.failures {
		f.Failures = append(f.Failures, *one)
	}
	slices.SortFunc(f.Failures, func(a, b Failure) int {
		return cmp.Or(a.Lines[len(a.Lines)-1]-b.Lines[len(b.Lines)-1], cmp.Compare(a.Text, b.Text))
	})
	f.Todos = append([]Todo{}, c.todos...)
	f.Agents = slices.Clone(f.Agents)
	f.LastCalls = c.lastCalls()
	f.mask()
	return &f
}

func sorted(files map[string]*File) []File {
	list := make([]File, 0, len(files))
	for _, one := range files {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Or(a.Line-b.Line, cmp.Compare(a.Path, b.Path)) })
	return list
}

// mask removes secrets and invisible characters from all texts.
func (f *Facts) mask() {
	for _, q := range []*Quote{&f.First, &f.Last, &f.Said, &f.Summary, &f.Branch, &f.Commit, &f.Failed} {
		q.mask()
	}
	for i := range f.Written {
		f.Written[i].Path = clean(f.Written[i].Path)
	}
	for i := range f.Read {
		f.Read[i].Path = clean(f.Read[i].Path)
	}
	for i := range f.Commands {
		f.Commands[i].mask()
	}
	for i := range f.Failures {
		one := &f.Failures[i]
		one.Text, one.Error = clean(one.Text), FirstLine(clean(one.Error))
	}
	for i := range f.Todos {
		f.Todos[i].Text = clean(f.Todos[i].Text)
	}
	for i := range f.Agents {
		f.Agents[i].Task = clean(f.Agents[i].Task)
	}
	f.Dir = clean(f.Dir)
}

func (c *Command) mask() {
	c.Text = clean(c.Text)
	c.totals = slices.Clone(c.totals)
	for i := range c.totals {
		c.totals[i].line = clean(c.totals[i].line)
	}
}

func (q *Quote) mask() {
	text, _ := visible.Model(secret.Mask(strings.ToValidUTF8(q.Text, "")))
	q.Text = shown(text)
	q.Cut = q.Cut || len(q.Text) < len(text)
	if q.End != "" {
		text = unbroken(q.End)
		q.End = strings.ToValidUTF8(text[max(0, len(text)-endShown):], "")
	}
}

// unbroken masks secrets in the end of a text, without what may be the end of a secret: its first word, and a key of many lines
// that began before it.
func unbroken(end string) string {
	if begin, key := strings.Index(end, "-----BEGIN "), strings.Index(end, "-----END "); key >= 0 && (begin < 0 || key < begin) {
		end = end[key+len("-----END "):]
	}
	if at := strings.IndexAny(end, " \t\r\n"); at >= 0 {
		end = end[at:]
	}
	end, _ = visible.Model(secret.Mask(strings.ToValidUTF8(end, "")))
	return strings.TrimSpace(end)
}

// clean masks secrets, and then cuts: a secret that is cut in two is not recognized.
func clean(text string) string {
	text, _ = visible.Model(secret.Mask(strings.ToValidUTF8(text, "")))
	return shown(text)
}

func shown(text string) string {
	if len(text) > textShown {
		text = strings.ToValidUTF8(text[:textShown], "")
	}
	return text
}

// FirstLine returns the first meaningful line of a text, because the first output of a
// command is often the frame of a message.
func FirstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.Trim(line, "=-*#<>{}[]()_ .") != "" && !strings.HasPrefix(line, "Exit code ") {
			return line
		}
	}
	return ""
}
