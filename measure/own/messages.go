package own

import (
	"handoff/log/tape"
	"handoff/log/tape/envelope"
)

type uriText struct {
	URI string `json:"uri"`
}

type reference struct {
	Workspace string  `json:"workspace"`
	Tape      string  `json:"tape"`
	Entry     *int64  `json:"entry,omitempty"`
	Anchor    *string `json:"anchor,omitempty"`
}

func (*Own) readURI(in uriText) (any, error) {
	r, err := envelope.ParseURI(in.URI)
	if err != nil {
		return refused, nil
	}
	return reference(r), nil
}

func (*Own) writeURI(in reference) (any, error) {
	return uriText{envelope.Ref(in).String()}, nil
}

// readEnvelope returns what is passed on, and the digest that identifies an envelope.
func (*Own) readEnvelope(in text) (any, error) {
	e, err := tape.ParseEnvelope([]byte(in.Text))
	if err != nil {
		return refused, nil
	}
	return struct {
		Text   string `json:"text"`
		Digest string `json:"digest"`
	}{string(e.Bytes()), e.Digest()}, nil
}
