package rules

import (
	"cmp"
	"path"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/lint"
)

// malformedName flags a file name that is not in the form of the schema.
func malformedName(p *lint.Pass) {
	if p.Path == "" {
		return
	}
	if folder := strayFolder(p.Path, p.Name); folder != "" {
		p.File("folder %s is not {number}_{slug}: the task is unknown", `"`+folder+`"`)
	}
	switch better, ok := betterName(p); {
	case p.Name.Class == handoff.Canonical:
	case p.Name.Class == handoff.Foreign:
		p.File("file name is not %s", pattern(p.Name))
	case ok && slices.Contains(p.Siblings, better):
		p.File("file name has %s, and %s is taken: use the time it was written", p.Name.Class, better)
	case ok:
		p.Report(lint.Finding{Message: "file name has " + p.Name.Class.String() + ": rename it to " + better, Rename: better})
	case p.Settings.Zone != nil && p.Name.Class.HasClock() && p.Name.Plain() && !p.Name.Zoned():
		_, stated := zonedTimes(p.Doc)
		p.File("file name has %s, and the document says %s: use the time it was written", p.Name.Class, stated)
	case p.Name.Class.HasClock() && p.Name.Plain():
		p.File("file name has %s: it should be %s, in UTC (--rename needs --zone)", p.Name.Class, pattern(p.Name))
	default:
		p.File("file name has %s: it should be %s", p.Name.Class, pattern(p.Name))
	}
}

// betterName returns the right name, if its time is known: the name has a zone,
// or the document has the same time with a zone, or the settings have the zone.
// If the document contradicts the name, it returns none.
func betterName(p *lint.Pass) (base string, ok bool) {
	if _, ok := p.Name.Better(time.UTC); !ok || p.Name.Zoned() {
		return p.Name.Better(nil)
	}
	stated, _ := zonedTimes(p.Doc)
	for _, m := range stated {
		if t, ok := timeOf(p.Name, m); ok {
			return handoff.BaseFor(p.Name.Phase, t), true
		}
	}
	if len(stated) > 0 {
		return "", false
	}
	return p.Name.Better(p.Settings.Zone)
}

// zonedTimes are the times with a zone in the document's title and after
// **Timestamp**.
func zonedTimes(doc *handoff.Document) (list []handoff.Moment, first string) {
	add := func(text string) {
		if m, found := handoff.FindMoment(text); m.Zoned {
			list, first = append(list, m), cmp.Or(first, found)
		}
	}
	add(doc.Title.Text)
	stamp := func(s *handoff.Section) {
		if l := s.Label("Timestamp", "Time", "Date", "Created", "Written"); l != nil {
			add(l.Value)
		}
	}
	stamp(&doc.Preamble)
	for i := range doc.Sections {
		stamp(&doc.Sections[i])
	}
	return list, first
}

// timeOf is the time of a name without a zone, if m is the same time with a
// zone: the difference is the offset.
func timeOf(n handoff.Name, m handoff.Moment) (time.Time, bool) {
	named, _ := n.Moment()
	unit := max(m.Unit, named.Unit)
	switch {
	case !mayBe(m, named):
		return time.Time{}, false
	case m.Unit == time.Second:
		return m.Time, true
	}
	return n.Time.Add(m.Time.Truncate(unit).Sub(n.Time.Truncate(unit))), true
}

// pattern is the form of the right name, with the known parts filled in.
func pattern(n handoff.Name) string {
	phase := "P"
	if n.PhaseText != "" && n.Plain() {
		phase = n.PhaseText
	}
	return "phase-" + phase + "-handoff-YYYYMMDDTHHMMSSZ.md"
}

// strayFolder is the folder that should be a task's but has no task number; ""
// if the path is relative and too short to know.
func strayFolder(p string, n handoff.Name) string {
	if n.Dir != "" {
		return ""
	}
	dir := path.Dir(p)
	folder := path.Base(path.Dir(dir))
	if path.Base(dir) != handoff.Folder || folder == "." || folder == ".." || folder == "/" {
		return ""
	}
	return folder
}
