package convert

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"handoff/internal/json/jsontext"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/templates"
)

var (
	texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<&>", "a\n\nb", "## Current State\nx\n", "# T\n\n## Immediate Next Action\nGo.\n\n## Other\ny",
		"```\nopen", "\x00", "---\ntask: 3\n---\n# x", "\r\n", "**Next action**: do"}))
	notes = rapid.Ptr(rapid.SampledFrom([]string{sourceCut, documentNote, "reference", ""}), true)
	ids   = rapid.Map(rapid.SliceOf(rapid.Byte()), artifact.Sum)
	paths = rapid.SampledFrom([]string{"a.go", "specs/259_x/handoffs/phase-3-handoff-20260212T143022Z.md", "docs/x y.md"})
	jsons = rapid.SampledFrom([]string{"null", "5", "1e2", `"t"`, `["a","b"]`, `{"file":"a.go","x":{"y":[1]}}`, `{"a":{"a":{}}}`})
)

func fields(names ...string) *rapid.Generator[[]bundle.Field] {
	return rapid.Custom(func(t *rapid.T) (list []bundle.Field) {
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 3, rapid.ID).Draw(t, "names") {
			list = append(list, bundle.Field{Name: name, Value: json.RawMessage(jsons.Draw(t, "value"))})
		}
		return list
	})
}

func drawBundle(t *rapid.T) bundle.Handoff {
	b := bundle.Handoff{SummaryMarkdown: texts.Draw(t, "summary")}
	for range rapid.IntRange(0, 2).Draw(t, "threads") {
		b.Refs.Threads = append(b.Refs.Threads, bundle.ThreadRef{ThreadID: "t", Seq: rapid.Uint64().Draw(t, "seq"), MessageID: notes.Draw(t, "message"), Note: notes.Draw(t, "note"), Extra: fields("x").Draw(t, "extra")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "artifacts") {
		b.Refs.Artifacts = append(b.Refs.Artifacts, bundle.ArtifactRef{ID: ids.Draw(t, "id"), Note: notes.Draw(t, "note")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "files") {
		b.Refs.Files = append(b.Refs.Files, bundle.FileRef{Path: paths.Draw(t, "path"), Note: notes.Draw(t, "note")})
	}
	b.Refs.Extra, b.Extra = fields("x", "threads2").Draw(t, "more"), fields("x", "summary", keptAnchor, keptEnvelope).Draw(t, "extra")
	return b
}

func drawAnchor(t *rapid.T) State {
	s := State{Name: texts.Draw(t, "name")}
	if !rapid.Bool().Draw(t, "stateless") {
		var w stateWriter
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{mSummary, mNext, mNextShort, mAbout, mTask, mPhase, mDocument, mProfile, mRefs, mFields, mFrom, mTo,
			mReason, mTapeRef, mIntention, mOwnership, mTimestamp, "tables", "state", "decisions", "next_action", "context"}), 0, 8, rapid.ID).Draw(t, "members") {
			if rapid.Bool().Draw(t, "text") {
				w.text(name, texts.Draw(t, "value"), true)
			} else {
				w.raw(name, jsons.Draw(t, "json"))
			}
		}
		s.State = jsontext.Python.AppendMembers(nil, w.members)
	}
	return s
}

func drawEnvelope(t *rapid.T) tape.Envelope {
	e := tape.Envelope{Type: "context_handoff", From: "agent:a", To: "agent:b", Timestamp: "2026-02-21T12:00:00.250Z", Content: tape.EnvelopeContent{
		Reason: texts.Draw(t, "reason"), Summary: "s" + texts.Draw(t, "summary"), TapeRef: "tape://workspace/main/entry/8", Ownership: "transfer"}}
	if rapid.Bool().Draw(t, "intends") {
		e.Content.Intention = &tape.EnvelopeIntention{NextSteps: texts.Draw(t, "next"), ContextSummary: texts.Draw(t, "about")}
	}
	back, err := tape.ParseEnvelope(e.Bytes()) // as it is read
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestLossless are the ways there and back that docs/convert.md promises.
func TestLossless(t *testing.T) {
	for name, check := range map[string]func(*rapid.T){
		"bundle anchor bundle": func(t *rapid.T) {
			b := drawBundle(t)
			there := FromBundle(b)
			a, _ := there.Anchor()
			back := FromAnchor(a)
			if again, _ := back.Bundle(); !bytes.Equal(again.Bytes(), b.Bytes()) {
				t.Fatalf("\n got %s\nwant %s\n via %s", again.Bytes(), b.Bytes(), a.JSON())
			}
		},
		"anchor bundle anchor": func(t *rapid.T) {
			a := drawAnchor(t)
			there := FromAnchor(a)
			b, lost := there.Bundle()
			if err := b.Check(); err != nil {
				t.Fatal(err)
			}
			back := FromBundle(b)
			again, _ := back.Anchor()
			named := slices.ContainsFunc(lost, func(l Lost) bool { return l.Field == "name" && l.Kept == "" })
			if named {
				again.Name = a.Name
			}
			if !bytes.Equal(again.JSON(), a.JSON()) {
				t.Fatalf("\n got %s\nwant %s\n via %s", again.JSON(), a.JSON(), b.Bytes())
			}
		},
		"envelope anchor envelope": func(t *rapid.T) {
			e := drawEnvelope(t)
			there := FromEnvelope(e)
			a, lost := there.Anchor()
			back := FromAnchor(a)
			again, _ := back.Envelope(Sending{Time: back.Time})
			again.Timestamp = e.Timestamp // it may have fractions
			if again.Content.Intention == nil && e.Content.Intention != nil && *e.Content.Intention == (tape.EnvelopeIntention{}) {
				again.Content.Intention = e.Content.Intention
			}
			if len(lost) > 0 || !bytes.Equal(again.Bytes(), e.Bytes()) {
				t.Fatalf("%v\n got %s\nwant %s", lost, again.Bytes(), e.Bytes())
			}
		},
		"envelope bundle envelope": func(t *rapid.T) {
			e := drawEnvelope(t)
			there := FromEnvelope(e)
			b, lost := there.Bundle()
			back := FromBundle(b)
			again, _ := back.Envelope(Sending{})
			kept := !slices.ContainsFunc(lost, func(l Lost) bool { return l.Kept == "" })
			if !kept || !bytes.Equal(again.Bytes(), e.Bytes()) {
				t.Fatalf("%v\n got %s\nwant %s", lost, again.Bytes(), e.Bytes())
			}
		},
		"thread anchor thread": func(t *rapid.T) {
			b := drawBundle(t)
			there := FromThread(thread.HandedOff{FromThreadID: "p", FromSeq: 7, ActorID: "user", Origin: "cli"}, "title", time.Time{}, &b)
			want, _ := there.Thread()
			a, _ := there.Anchor()
			back := FromAnchor(a)
			got, _ := back.Thread()
			if !bytes.Equal(got.Bundle.Bytes(), want.Bundle.Bytes()) || got.Title != want.Title || got.From.ThreadID != want.From.ThreadID || got.From.Seq != want.From.Seq {
				t.Fatalf("\n got %s\nwant %s", got.Bundle.Bytes(), want.Bundle.Bytes())
			}
		},
		"anchor thread anchor": func(t *rapid.T) {
			a := drawAnchor(t)
			there := FromAnchor(a)
			there.CutAt(bundle.ThreadRef{ThreadID: "p", Seq: 7, MessageID: new("m")})
			made, _ := there.Thread()
			if err := made.Bundle.Check(); err != nil || made.From == nil {
				t.Fatal(made.From, err)
			}
			back := FromThread(thread.HandedOff{FromThreadID: "p", FromSeq: 7, FromMessageID: new("m")}, made.Title, time.Time{}, &made.Bundle)
			again, _ := back.Anchor()
			if !a.plain() && !bytes.Equal(again.JSON(), a.JSON()) {
				t.Fatalf("\n got %s\nwant %s\n via %s", again.JSON(), a.JSON(), made.Bundle.Bytes())
			}
		},
	} {
		t.Run(name, rapid.MakeCheck(check))
	}
}

func drawValues(t *rapid.T) templates.Values {
	line := rapid.StringMatching("[A-Za-z`][A-Za-z0-9 `/.:*_<>-]{0,30}[a-z.]")
	items := rapid.SliceOfN(rapid.OneOf(line, rapid.Map(line, func(s string) string { return s + "\n\n  " + s })), 1, 3)
	v := templates.Values{Task: 259, Phase: 3, Time: at, NextAction: line.Draw(t, "next"),
		State:     templates.State{File: line.Draw(t, "file"), Goal: rapid.SampledFrom([]string{"", "one", "a\n```\nb"}).Draw(t, "goal")},
		Decisions: items.Draw(t, "decisions"), DeadEnds: items.Draw(t, "dead ends"), Context: items.Draw(t, "context"), References: items.Draw(t, "references")}
	if rapid.Bool().Draw(t, "cut") {
		v.Thread, v.Seq = "t-1", new(int64(41))
	}
	if rapid.Bool().Draw(t, "deviates") {
		v.Deviations = items.Draw(t, "deviations")
	}
	if rapid.Bool().Draw(t, "more") {
		v.More = []templates.Section{{Heading: "Files changed", Body: line.Draw(t, "more body")}}
	}
	return v
}

// TestDocumentBack: a document from the template is restored byte for byte from
// an anchor and from a bundle; from an envelope without the links to its task
// and thread.
func TestDocumentBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValues(t)
		src, err := templates.Render(v, "", false)
		if err != nil {
			t.Fatal(err)
		}
		there := fromSource(src, path)
		a, lost := there.Anchor()
		same := func(way string, h Handoff) {
			again, _ := h.Document()
			again.Time = at
			if way == "envelope" {
				again.Task, again.Phase, again.Thread, again.Seq = v.Task, v.Phase, v.Thread, v.Seq
			}
			got, err := templates.Render(again, "", false)
			if err != nil || !bytes.Equal(got, src) {
				t.Fatalf("%s: %v\n got %s\nwant %s", way, err, got, src)
			}
		}
		if len(lost) > 0 {
			t.Fatal(lost)
		}
		same("anchor", FromAnchor(a))
		b, _ := there.Bundle()
		same("bundle", FromBundle(b))
		e, _ := there.Envelope(Sending{From: "a", To: "b", TapeRef: "tape:///main/anchor/x"})
		same("envelope", FromEnvelope(e))
		if viaAnchor := FromAnchor(a); !sameBundle(viaAnchor, b) {
			t.Fatal("the bundle of the anchor is not that of the document")
		}
	})
}

func sameBundle(h Handoff, want bundle.Handoff) bool {
	b, _ := h.Bundle()
	return bytes.Equal(b.Bytes(), want.Bytes())
}
