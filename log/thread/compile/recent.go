package compile

import (
	"math"
	"slices"
)

// recentMessages is the strategy for a thread without summaries: the last messages
// up to the cut, each with the reply of its last run. As in RIP they all have the
// role user.
const recentMessages = "recent_messages_v1"

// recent are the last messages up to an event, at most limit, without those before
// from, which a summary covers.
func (c *compiler) recent(threadID string, upTo, from uint64, limit int) (turns []turn, err error) {
	if c.bounded() {
		return c.recentBounded(threadID, upTo, from, limit)
	}
	if limit <= 0 {
		return nil, nil
	}
	messages, err := c.src.Recent(threadID, upTo, limit)
	for _, m := range messages {
		if m.Seq >= from {
			turns = append(turns, turn{Message: m})
		}
	}
	return turns, err
}

// recentBounded reads one message at a time, the newest first, until they exceed
// the maximum.
func (c *compiler) recentBounded(threadID string, upTo, from uint64, limit int) (turns []turn, err error) {
	for len(turns) < limit {
		messages, err := c.src.Recent(threadID, upTo, 1)
		if err == nil && len(messages) > 0 && messages[0].Seq >= from {
			err = c.hold(messages[0].Content)
		}
		if err != nil {
			return nil, err
		}
		if len(messages) == 0 || messages[0].Seq < from {
			break
		}
		turns = append(turns, turn{Message: messages[0]})
		if upTo = messages[0].Seq; upTo == 0 {
			break
		}
		upTo--
	}
	slices.Reverse(turns)
	return turns, nil
}

// bounded reports whether reading ends at [Request.Max]. With a budget everything
// is read, to report what is left out.
func (c *compiler) bounded() bool { return c.req.Max > 0 && c.req.Budget <= 0 }

// hold counts the bytes of a text, which are at least as many in the bundle.
func (c *compiler) hold(text string) error {
	if c.held += int64(len(text)); c.bounded() && c.held > c.req.Max {
		return &TooLarge{c.req.Max}
	}
	return nil
}

// room is how many more bytes are allowed.
func (c *compiler) room() int {
	if !c.bounded() {
		return math.MaxInt
	}
	return int(c.req.Max - c.held)
}
