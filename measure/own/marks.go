package own

import "handoff/document/evidence"

type mark struct {
	Verified bool     `json:"verified"`
	Command  []string `json:"command,omitempty"`
	At       string   `json:"at,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

// readMark is an item without its mark, and the mark.
func (*Own) readMark(in struct {
	Item string `json:"item"`
}) (any, error) {
	text, m, err := evidence.Split(in.Item)
	if err != nil {
		return refused, nil
	}
	out := struct {
		Text string `json:"text"`
		Mark *mark  `json:"mark"`
	}{Text: text}
	if m != nil {
		out.Mark = (*mark)(m)
	}
	return out, nil
}
