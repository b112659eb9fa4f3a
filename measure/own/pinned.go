package own

import (
	"handoff/document/handoff"
	"handoff/document/pinned"
	"handoff/log/artifact"
	"handoff/parse"
)

type fate struct {
	Fate    pinned.Fate `json:"fate"`
	Section string      `json:"section"`
	Text    string      `json:"text"`
	ID      string      `json:"id,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Edited  bool        `json:"edited,omitempty"`
	Moved   bool        `json:"moved,omitempty"`
}

// comparePinned returns what became of the pinned items of a document in the next one.
// missing are artifacts whose items count as lost.
func (*Own) comparePinned(in struct {
	Before    string            `json:"before"`
	After     string            `json:"after"`
	Artifacts map[string]string `json:"artifacts"`
}) (any, error) {
	f := pinned.Follower{Blobs: func(id string) []byte {
		if text, ok := in.Artifacts[id]; ok {
			return []byte(text)
		}
		return nil
	}}
	f.Next(parse.Document([]byte(in.Before)))
	changes, lost := f.Next(parse.Document([]byte(in.After)))
	out := struct {
		Fates   []fate   `json:"fates"`
		Missing []string `json:"missing"`
	}{[]fate{}, []string{}}
	for _, c := range changes {
		out.Fates = append(out.Fates, fate{c.Fate, handoff.SpecOf(c.Item.Section).Key, c.Item.Text, c.Item.ID, c.Reason, c.Edited, c.Moved})
	}
	for _, m := range lost {
		out.Missing = append(out.Missing, m.Blob)
	}
	return out, nil
}

// packPinned returns the artifact for the items of a document's section that do not fit
// into the next document, and the line that replaces them.
func (*Own) packPinned(in struct {
	Document string `json:"document"`
	Section  string `json:"section"`
	Command  string `json:"command"`
}) (any, error) {
	var items []pinned.Item
	var kind handoff.Kind
	for _, it := range pinned.Items(parse.Document([]byte(in.Document))) {
		if handoff.SpecOf(it.Section).Key == in.Section {
			items, kind = append(items, it), it.Section
		}
	}
	if len(items) == 0 {
		return refused, nil
	}
	src := pinned.Pack(kind, items)
	return struct {
		Artifact string `json:"artifact"`
		Line     string `json:"line"`
	}{string(src), handoff.MovedLine(len(items), in.Command, artifact.Sum(src).String())}, nil
}
