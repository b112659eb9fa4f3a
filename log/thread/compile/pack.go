package compile

import (
	"fmt"
	"slices"

	"handoff/internal/text/tokens"
	"handoff/log/bundle"
	"handoff/log/thread/compile/render"
)

// perItem is about how many tokens a message costs in addition to its text.
const perItem = 4

// OverBudget: the message to answer does not fit the budget. A message is never
// cut.
type OverBudget struct {
	Budget, Needed int // tokens, about
}

func (e *OverBudget) Error() string {
	return fmt.Sprintf("the message to answer has about %d tokens: the budget of %d is too small", e.Needed, e.Budget)
}

// price estimates the tokens of each entry, as the renderings write it.
func (c *compiler) price() error {
	for i := range c.entries {
		e := &c.entries[i]
		if c.src.Artifact == nil && c.req.Budget == 0 && render.TypeOf(e.item) != "message" {
			continue // the text is unavailable, and not needed without a budget
		}
		var err error
		if e.piece.Tokens, err = c.tokens(e.item); err != nil {
			return err
		}
	}
	return nil
}

// tokens is about how many tokens an item has.
func (c *compiler) tokens(item bundle.Item) (n int, err error) {
	parts, _, err := render.Parts(bundle.Context{Items: []bundle.Item{item}}, render.Options{Artifact: c.src.Artifact})
	for _, p := range parts {
		n += tokens.Estimate(p.Text) + perItem
	}
	return n, err
}

// pack leaves out what does not fit the budget. Entries are added in this order:
// the message to answer; what is lost, the handoff's summary and the latest compaction summary;
// the turns from the newest to the oldest, until one does not fit, so that the
// conversation has no gaps; older summaries; references; their texts. Nothing is cut. If a turn
// does not fit, its message may, without the reply.
func (c *compiler) pack() error {
	if c.req.Budget <= 0 {
		return nil
	}
	p := packing{entries: c.entries, why: make([]string, len(c.entries)), left: c.req.Budget}
	order := p.order()
	if len(order) > 0 && p.entries[order[0]].turn == 0 && p.entries[order[0]].piece.Tokens > p.left {
		return &OverBudget{c.req.Budget, p.entries[order[0]].piece.Tokens}
	}
	for _, i := range order {
		p.add(i)
	}
	var kept []entry
	for i, e := range c.entries {
		if p.why[i] == "" {
			kept = append(kept, e)
			continue
		}
		e.piece.Why, e.piece.Budget = p.why[i], true
		c.leftOut = append(c.leftOut, e.piece)
		c.packed = true
		if e.piece.Kind == "summary" && !e.inherited {
			c.reset("compaction_checkpoint", "token_budget", map[string]any{"summary_artifact_id": e.piece.ID, "to_seq": e.piece.Seq})
		}
	}
	c.entries = kept
	return c.includeTexts(p.left)
}

type packing struct {
	entries []entry
	why     []string // why the entry is left out, "" if it is not
	left    int      // tokens
	full    bool     // a turn did not fit: older ones are left out
	turns   int      // number of added turns, the newest ones
}

// order is the entries' indexes, the most important first.
func (p *packing) order() []int {
	order := make([]int, len(p.entries))
	for i := range order {
		order[i] = i
	}
	latest := -1
	for i, e := range p.entries {
		if e.piece.Kind == "summary" {
			latest = i
		}
	}
	rank := func(i int) int {
		switch e := p.entries[i]; {
		case e.turn == 0 && e.piece.Kind == "message":
			return 0
		case e.piece.Kind == "handoff" || e.piece.Kind == "note":
			return 1
		case i == latest:
			return 2
		case e.piece.Kind == "message" || e.piece.Kind == "reply":
			return 3
		case e.piece.Kind == "summary":
			return 4
		}
		return 5
	}
	slices.SortStableFunc(order, func(a, b int) int {
		ra, rb := rank(a), rank(b)
		switch {
		case ra != rb:
			return ra - rb
		case ra == 3: // newest turn first, a message before its reply
			return p.entries[a].turn - p.entries[b].turn
		case ra == 4: // newest first
			return b - a
		}
		return a - b
	})
	return order
}

// add adds an entry, or records why it is left out.
func (p *packing) add(i int) {
	e := p.entries[i]
	inTurns := e.piece.Kind == "message" || e.piece.Kind == "reply"
	switch {
	case e.turn >= p.turns && e.piece.Kind != "message":
		p.why[i] = "its message is left out"
	case inTurns && p.full:
		p.why[i] = "older than what did not fit"
	case e.piece.Tokens > p.left:
		p.why[i] = fmt.Sprintf("about %d tokens, %d are left", e.piece.Tokens, p.left)
		p.full = p.full || inTurns
	default:
		p.left -= e.piece.Tokens
		if e.piece.Kind == "message" {
			p.turns = e.turn + 1
		}
	}
}
