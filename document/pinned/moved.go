package pinned

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/parse"
	"handoff/templates"
)

// Moved is a line of a section that replaces items that did not fit on the screen:
// they are in an artifact.
//
//	And 7 more: `handoff chain 259` (artifact 3f2a…)
type Moved struct {
	Section handoff.Kind
	Count   int
	Blob    string // SHA-256 of the artifact, in hex
	Line    int
}

const (
	movedBegin = "And "
	movedMore  = " more: "
	movedBlob  = " (artifact "
)

// MovedLine is the line for items that were moved. command shows them.
func MovedLine(count int, command, blob string) string {
	return fmt.Sprintf("%s%d%s`%s`%s%s)", movedBegin, count, movedMore, command, movedBlob, blob)
}

// MovedFrom returns the lines of a document that replace moved items.
func MovedFrom(d *handoff.Document) (list []Moved) {
	if d == nil {
		return nil
	}
	for _, kind := range sections {
		for i := range d.Sections {
			s := &d.Sections[i]
			if s.Kind != kind || s.Body.First == 0 {
				continue
			}
			for n := s.Body.First; n <= s.Body.Last; n++ {
				if m, ok := movedIn(d.Line(n)); ok {
					m.Section, m.Line = kind, n
					list = append(list, m)
				}
			}
		}
	}
	return list
}

func movedIn(line string) (m Moved, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), movedBegin)
	count, rest, more := strings.Cut(rest, movedMore)
	_, rest, blob := strings.Cut(rest, movedBlob)
	m.Blob = strings.TrimSuffix(rest, ")")
	n, err := strconv.Atoi(count)
	_, bad := hex.DecodeString(m.Blob)
	if m.Count = n; !ok || !more || !blob || err != nil || n < 1 || bad != nil || len(m.Blob) != 2*sha256.Size || m.Blob == rest {
		return Moved{}, false
	}
	return m, true
}

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
	for _, kind := range sections {
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
	for _, m := range MovedFrom(d) {
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
func Rebuild(m Moved, before []Item, after *handoff.Document) []byte {
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
