package compile

// recentMessages is the strategy of a thread without summaries: the last
// messages up to the cut, each with what its last run answered. They are
// messages of the role user, whoever wrote them, as RIP has it.
const recentMessages = "recent_messages_v1"

func (c *compiler) recent(threadID string, upTo uint64, limit int) ([]turn, error) {
	if limit <= 0 {
		return nil, nil
	}
	messages, err := c.src.Recent(threadID, upTo, limit)
	if err != nil {
		return nil, err
	}
	turns := make([]turn, len(messages))
	for i, m := range messages {
		turns[i].Message = m
	}
	return turns, nil
}
