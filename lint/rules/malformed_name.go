package rules

import (
	"path"
	"slices"
	"time"

	"handoff"
	"handoff/lint"
)

// MalformedName flags a file whose name is not the one the schema gives it.
var MalformedName = lint.Rule{
	Name:     "malformed-name",
	Severity: lint.Error,
	Fixable:  true,
	Check:    malformedName,
}

func malformedName(p *lint.Pass) {
	if p.Path == "" {
		return
	}
	if folder := strayFolder(p.Path, p.Name); folder != "" {
		p.File("folder %s is not {number}_{slug}: the task is unknown", quote(folder))
	}
	switch better, ok := betterName(p); {
	case p.Name.Class == handoff.Canonical:
	case p.Name.Class == handoff.Foreign:
		p.File("file name is not %s", pattern(p.Name))
	case ok && slices.Contains(p.Siblings, better):
		p.File("file name has %s, and %s is taken: use the time it was written at", p.Name.Class, better)
	case ok:
		p.Report(lint.Finding{Message: "file name has " + p.Name.Class.String() + ": rename it to " + better, Rename: better})
	case p.Name.Class.HasClock() && p.Name.Plain():
		p.File("file name has %s: it should be %s, in UTC (--rename wants --zone)", p.Name.Class, pattern(p.Name))
	default:
		p.File("file name has %s: it should be %s", p.Name.Class, pattern(p.Name))
	}
}

// betterName is the right name where its time is known: where the name says a
// zone, else the title says the same time with its zone, else the settings know
// the zone. Without, digits may be off by hours.
func betterName(p *lint.Pass) (base string, ok bool) {
	if _, ok := p.Name.Better(time.UTC); ok && !p.Name.Zoned() {
		m, ok := findMoment(p.Doc.Title.Text)
		if ok && m.zoned && m.unit == time.Second && m.mayBe(momentOf(p.Name)) {
			return handoff.BaseFor(p.Name.Phase, m.time), true
		}
	}
	return p.Name.Better(p.Settings.Zone)
}

// pattern is the form of the right name with what is known of it filled in.
func pattern(n handoff.Name) string {
	phase := "P"
	if n.PhaseText != "" && n.Plain() {
		phase = n.PhaseText
	}
	return "phase-" + phase + "-handoff-YYYYMMDDTHHMMSSZ.md"
}

// strayFolder is the folder in the place of a task's when it has no task
// number. A relative path that begins too late to tell has none.
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
