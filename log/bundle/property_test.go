package bundle

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"handoff/internal/json/jsontext"
	"handoff/log/artifact"
)

// some is a list of up to 3 values; an empty one is nil, as in parsed values.
func some[T any](g *rapid.Generator[T]) *rapid.Generator[[]T] {
	return rapid.Map(rapid.SliceOfN(g, 0, 3), func(s []T) []T {
		if len(s) == 0 {
			return nil
		}
		return s
	})
}

var (
	texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<&>", "\u2028\u2029", "\x00\x1f\x7f", `\"`, "😀", "null"}))
	notes = rapid.Ptr(texts, true)
	seqs  = rapid.Uint64()
	ids   = rapid.Map(rapid.SliceOf(rapid.Byte()), artifact.Sum)
	names = rapid.StringN(1, 20, -1)
	paths = rapid.SampledFrom([]string{"a", "a/b.go", ".rip/x", "a b/é", "ab:c", "..."})
	// Without known names: duplicate names are invalid.
	extras = rapid.Map(some(rapid.Custom(func(t *rapid.T) Field {
		return Field{"x-" + texts.Draw(t, "name"), value(t, 3)}
	})), func(fields []Field) []Field {
		seen := map[string]bool{}
		return slices.DeleteFunc(fields, func(f Field) bool {
			twice := seen[f.Name]
			seen[f.Name] = true
			return twice
		})
	})
)

// value is any JSON in the compact form.
func value(t *rapid.T, depth int) json.RawMessage {
	switch rapid.IntRange(0, 3+min(depth, 1)*2).Draw(t, "kind") {
	case 0:
		return json.RawMessage(rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word"))
	case 1:
		return json.RawMessage(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number"))
	case 2, 3:
		return jsontext.AppendText(nil, texts.Draw(t, "text"))
	case 4:
		var items [][]byte
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			items = append(items, value(t, depth-1))
		}
		return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
	default:
		var members [][]byte
		for _, name := range rapid.SliceOfNDistinct(texts, 0, 3, rapid.ID).Draw(t, "names") {
			members = append(members, append(append(jsontext.AppendText(nil, name), ':'), value(t, depth-1)...))
		}
		return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
	}
}

func drawHandoff(t *rapid.T) Handoff {
	return Handoff{texts.Draw(t, "summary"), Refs{
		some(rapid.Custom(func(t *rapid.T) ThreadRef {
			return ThreadRef{names.Draw(t, "thread"), seqs.Draw(t, "seq"), notes.Draw(t, "message"), notes.Draw(t, "note"), extras.Draw(t, "extra")}
		})).Draw(t, "threads"),
		some(rapid.Custom(func(t *rapid.T) ArtifactRef {
			return ArtifactRef{ids.Draw(t, "id"), notes.Draw(t, "note"), extras.Draw(t, "extra")}
		})).Draw(t, "artifacts"),
		some(rapid.Custom(func(t *rapid.T) FileRef {
			return FileRef{paths.Draw(t, "path"), notes.Draw(t, "note"), extras.Draw(t, "extra")}
		})).Draw(t, "files"),
		extras.Draw(t, "extra"),
	}, extras.Draw(t, "extra")}
}

func drawItem(t *rapid.T) Item {
	switch rapid.IntRange(0, 2).Draw(t, "type") {
	case 0:
		return Message{rapid.SampledFrom(Roles[:]).Draw(t, "role"), texts.Draw(t, "content"), notes.Draw(t, "actor"), notes.Draw(t, "origin"),
			rapid.Ptr(seqs, true).Draw(t, "seq"), notes.Draw(t, "event"), extras.Draw(t, "extra")}
	case 1:
		return SummaryRef{ids.Draw(t, "id"), notes.Draw(t, "note"), extras.Draw(t, "extra")}
	}
	return OtherItem{"x-" + texts.Draw(t, "type"), extras.Draw(t, "fields")}
}

func drawContext(t *rapid.T) Context {
	return Context{
		Compiler{texts.Draw(t, "id"), texts.Draw(t, "strategy"), extras.Draw(t, "extra")},
		Source{names.Draw(t, "thread"), seqs.Draw(t, "seq"), notes.Draw(t, "message"), extras.Draw(t, "extra")},
		Provenance{texts.Draw(t, "run"), texts.Draw(t, "actor"), texts.Draw(t, "origin"), extras.Draw(t, "extra")},
		some(rapid.Custom(drawItem)).Draw(t, "items"),
		extras.Draw(t, "extra"),
	}
}

func drawSummary(t *rapid.T) Summary {
	id := rapid.OneOf(ids, rapid.Just(artifact.ID{}))
	return Summary{
		texts.Draw(t, "kind"),
		Coverage{names.Draw(t, "thread"), seqs.Draw(t, "from"), notes.Draw(t, "from message"), seqs.Draw(t, "to"), notes.Draw(t, "to message"), extras.Draw(t, "extra")},
		SummaryProvenance{texts.Draw(t, "actor"), texts.Draw(t, "origin"), rapid.Ptr(rapid.Custom(func(t *rapid.T) ProducedBy {
			return ProducedBy{rapid.SampledFrom(Producers[:]).Draw(t, "type"), texts.Draw(t, "id"), extras.Draw(t, "extra")}
		}), true).Draw(t, "produced by"), extras.Draw(t, "extra")},
		rapid.Ptr(rapid.Custom(func(t *rapid.T) Basis {
			return Basis{id.Draw(t, "base"), notes.Draw(t, "note"), extras.Draw(t, "extra")}
		}), true).Draw(t, "basis"),
		texts.Draw(t, "summary"), extras.Draw(t, "extra"),
	}
}

// roundTrip writes a value, and reads it and an indented copy: both must return the
// value and have the same byte form.
func roundTrip[T interface{ Bytes() []byte }](t *rapid.T, v T, parse func([]byte) (T, error)) {
	src := v.Bytes()
	var indented bytes.Buffer
	if err := json.Indent(&indented, src, "", "  "); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	for _, form := range [][]byte{src, indented.Bytes()} {
		got, err := parse(form)
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("%v\n got %#v\nwant %#v\n%s", err, got, v, form)
		}
		if again := got.Bytes(); !bytes.Equal(again, src) {
			t.Fatalf("\n got %s\nwant %s", again, src)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	t.Run("handoff", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, drawHandoff(t), ParseHandoff) }))
	t.Run("context", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, drawContext(t), ParseContext) }))
	t.Run("summary", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, drawSummary(t), ParseSummary) }))
}
