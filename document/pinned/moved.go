package pinned

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/parse"
	"handoff/templates"
)

// Schema identifies the form of an artifact with moved items.
const Schema = "handoff.pinned_items.v1"

type packed struct {
	Schema  string   `json:"schema"`
	Section string   `json:"section"`
	Items   []string `json:"items"`
}

// Pack returns the artifact with some items: their unchanged texts. The same items have
// the same bytes.
func Pack(section handoff.Kind, items []Item) []byte {
	p := packed{Schema, handoff.SpecOf(section).Key, []string{}}
	for _, it := range items {
		p.Items = append(p.Items, it.Source)
	}
	text, err := jsontext.Marshal(p)
	if err != nil {
		return nil // texts can always be encoded
	}
	return append(text, '\n')
}

// Unpack reads such an artifact. Members that it does not know are ignored.
func Unpack(src []byte) (items []Item, err error) {
	var p packed
	if err := json.Unmarshal(src, &p); err != nil {
		return nil, err
	}
	if p.Schema != Schema {
		return nil, fmt.Errorf("schema is %q, want %s", p.Schema, Schema)
	}
	for _, kind := range handoff.PinnedSections {
		if handoff.SpecOf(kind).Key == p.Section {
			spec := handoff.SpecOf(kind)
			items = Items(parse.Document([]byte("## " + spec.Heading + "\n" + templates.List(p.Items, spec.Numbered) + "\n")))
			for i := range items {
				items[i].Moved = true
			}
			return items, nil
		}
	}
	return nil, fmt.Errorf("no section %q has pinned items", p.Section)
}

// Blobs returns an artifact, nil if it is not there.
type Blobs func(id string) []byte

// moved returns the moved items of a document. It leaves out unreadable artifacts: their
// items count as lost.
func moved(d *handoff.Document, blobs Blobs) (list []Item) {
	for _, m := range handoff.MovedFrom(d) {
		if blobs == nil {
			continue
		}
		if items, err := Unpack(blobs(m.Blob)); err == nil {
			for _, it := range items {
				it.Line = m.Line
				list = append(list, it)
			}
		}
	}
	return list
}

// Rebuild rebuilds the artifact of a line from the items of the previous document, nil if
// these are not its items. In a clone artifacts may be missing, but documents exist.
func Rebuild(m handoff.Moved, before []Item, after *handoff.Document) []byte {
	var left []Item
	for _, c := range compare(before, after, nil) {
		if c.Fate == Lost && c.Item.Section == m.Section {
			left = append(left, c.Item)
		}
	}
	for first := 0; first+m.Count <= len(left); first++ {
		src := Pack(m.Section, left[first:first+m.Count])
		if sum := sha256.Sum256(src); hex.EncodeToString(sum[:]) == m.Blob {
			return src
		}
	}
	return nil
}
