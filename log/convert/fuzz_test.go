package convert

import (
	"bytes"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/parse"
	"handoff/templates"
)

// FuzzDocument converts any text as a document to an anchor and back: no
// section is lost without a report.
func FuzzDocument(f *testing.F) {
	f.Add([]byte("# Phase 3 Handoff - 20260212T143022Z\n\n**Status**: x\n\n## Immediate Next Action\nGo.\n\n## Current State\n- **File**: a.go\n\n**References**: x\n"))
	f.Add([]byte("---\nthread: t\nseq: 4\n---\n## Other\n```\nopen\n## Current State\n"))
	f.Add([]byte("# T\n\n## Next Action\nGo.\n\n## Current State\n- x\n\n## Next Action\nGo.\n"))
	f.Add([]byte("# T\n\n## Next Action\nGo.\n\n## Next Action\nStay.\n"))
	f.Add([]byte("# T\n\n## Next Actian\nGo.\n\n## Current State\n- x\n\n## Next Action\n"))
	f.Add([]byte("# T\n\n## Next Actian\nGo.\n\n## Current rte\n- x\n\n## Next Action\n"))
	f.Add([]byte("## # #\nx\n"))
	for _, title := range []string{"## Other", "```", "~~~ sh", "**Next Action**: rest", "- x", "> ## Other", "1. x", "***", "<!-- x", "| a |", "Next Action", "<div>", "[a]: b", "==="} {
		f.Add([]byte("# " + title + "\ny\n\n## Other\nx\n\n## Current State\nz\n"))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, p := range parse.Document(src).Problems {
			if p.Kind == handoff.BadEncoding || p.Kind == handoff.TooDeep {
				return // such a document has no bundle
			}
		}
		there := fromSource(src, path)
		a, _ := there.Anchor()
		back := FromAnchor(a)
		v, lost := back.Document()
		v.Time = at
		again, err := templates.Render(v, "", false)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := there.Bundle(); !sameBundle(back, b) && there.Profile == "" {
			t.Errorf("%q: the bundle of the anchor is not that of the document", src)
		}
		sameSections(t, "by anchor", []byte(there.Text), again, lost)
	})
}

// FuzzAnchor converts any object as the state of an anchor: the bundle is
// valid, and the state is restored from it.
func FuzzAnchor(f *testing.F) {
	f.Add("p", []byte(`{"summary": "s", "next_steps": ["a", "b"], "refs": {"threads": [], "artifacts": [], "files": []}, "bundle": {"x": 1}, "task": 3}`))
	f.Add("", []byte(`{"received_from": "a", "owner": "b", "ownership": "transfer", "intention": {"next_steps": "n"}, "timestamp": "2026-02-21T12:00:00Z", "state": {"file": "x"}, "decisions": [1]}`))
	f.Fuzz(func(t *testing.T, name string, state []byte) {
		if _, err := jsontext.Python.Object(string(state)); err != nil {
			return
		}
		a := State{name, jsontext.Python.AppendValue(nil, string(state))}
		there := FromAnchor(a)
		b, lost := there.Bundle()
		if err := b.Check(); err != nil {
			t.Fatalf("%s: %v", a.JSON(), err)
		}
		there.Document()
		there.Envelope(Sending{})
		for _, l := range lost {
			if l.Kept == "" {
				return
			}
		}
		back := FromBundle(b)
		again, _ := back.Anchor()
		if len(lost) > 0 && !bytes.Equal(again.JSON(), a.JSON()) {
			t.Errorf("\n got %s\nwant %s", again.JSON(), a.JSON())
		}
	})
}
