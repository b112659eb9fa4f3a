package view

import "handoff/log/tape/entry"

// Received is the anchor of an envelope that was received: up to three entries before
// the event. It is zero if only the event is left, as on the parent of a merged fork.
func (v *View) Received(digest string) (anchor entry.Entry, ok bool, err error) {
	f, ok, err := v.LastWith(ReceiveKey(digest), entry.IsEvent(entry.EventReceived))
	if err != nil || !ok {
		return entry.Entry{}, false, err
	}
	near := Range{From: f.Spot, To: f.Spot}
	near.From.Pos -= min(near.From.Pos, 3)
	near.From.Part = 0
	for e, err := range v.Entries(near) {
		if err != nil {
			return entry.Entry{}, true, err
		}
		if _, received := entry.Text(e.State(), "received_from"); e.Kind == entry.KindAnchor && received {
			anchor = e
		}
	}
	return anchor, true, nil
}
