package compile

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/log/thread/compile/render"
)

const (
	maxThreads = 16      // threads that are referred to
	maxText    = 1 << 20 // bytes of an included text

	noRoom = "the budget has no room for it"
)

// findThreads collects the threads that the handoff bundle and the messages refer to, without the one that was handed
// off. Of several references to one thread the last counts.
func (c *compiler) findThreads() error {
	if !c.req.Refs {
		return nil
	}
	var all []bundle.ThreadRef
	if c.from != nil {
		all = c.from.others()
	}
	for i := len(c.base); i >= 0 && c.src.References != nil; i-- {
		s := c.own
		if i > 0 {
			s = c.base[i-1]
		}
		if s.unreferring {
			continue
		}
		refs, err := c.src.References(s.threadID, s.upTo, maxThreads)
		if err != nil {
			return fmt.Errorf("references of %s: %w", s.threadID, err)
		}
		all = append(all, refs...)
	}
	for i, ref := range all {
		if !slices.ContainsFunc(all[i+1:], func(later bundle.ThreadRef) bool { return later.ThreadID == ref.ThreadID }) {
			c.threads = append(c.threads, ref)
		}
	}
	c.threads = c.threads[max(0, len(c.threads)-maxThreads):]
	return nil
}

// others are the threads that the handoff bundle refers to, without the one that was handed off.
func (s *start) others() (all []bundle.ThreadRef) {
	if s.bundle == nil {
		return nil
	}
	for _, ref := range s.bundle.Refs.Threads {
		cut := ref.ThreadID == s.created.FromThreadID && ref.Seq == s.created.FromSeq || ref.Note != nil && *ref.Note == thread.SourceCut
		if !cut {
			all = append(all, ref)
		}
	}
	return all
}

func (c *compiler) threadEntries() (all []entry) {
	for _, ref := range c.threads {
		fields := []bundle.Field{textField("thread_id", ref.ThreadID), field("seq", ref.Seq)}
		if ref.MessageID != nil {
			fields = append(fields, textField("message_id", *ref.MessageID))
		}
		all = append(all, c.reference("thread_ref", Piece{Kind: "thread", ThreadID: ref.ThreadID, Seq: ref.Seq}, noted(ref.Note, fields...)...))
	}
	return all
}

// include reads the texts of what is referred to. With a budget they are added at last, within what is left, and threads
// are compiled then.
func (c *compiler) include() error {
	for i := range c.entries {
		e := &c.entries[i]
		if !e.reference || e.piece.Kind == "thread" && c.req.Budget > 0 {
			continue
		}
		if err := c.includeIn(e); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) includeIn(e *entry) error {
	text, why := "", ""
	var err error
	switch {
	case e.piece.Kind == "thread":
		text, why, err = c.threadText(e.piece, 0)
	case e.piece.Kind == "file" && c.req.RefsText && c.src.File == nil:
		why = "files are not included here"
	case e.piece.Kind == "file" && c.req.RefsText:
		text, why = textOf(c.src.File(e.piece.ID))
	case e.piece.Kind == "artifact" && c.req.RefsText && c.src.Artifact != nil:
		id, _ := artifact.ParseID(e.piece.ID) // as it was parsed
		text, why = textOf(c.src.Artifact(id))
	}
	switch {
	case err != nil:
		return err
	case why != "":
		e.item = e.with("content_missing", why)
		c.leaveText(e.piece, why, false)
	case text != "" && c.req.Budget > 0:
		e.whole = e.with("content", text)
	case text != "":
		e.item = e.with("content", text)
	}
	return c.hold(text)
}

// with is a reference with another field.
func (e *entry) with(name, text string) bundle.Item {
	of := e.item.(bundle.OtherItem)
	return bundle.OtherItem{Type: of.Type, Fields: append(slices.Clone(of.Fields), textField(name, text))}
}

// leaveText records that a reference is there without its text.
func (c *compiler) leaveText(p Piece, why string, budget bool) {
	p.Text, p.Tokens, p.Why, p.Budget = true, 0, why, budget
	c.leftOut = append(c.leftOut, p)
	c.packed = c.packed || budget
}

// textOf is the text of a file or an artifact, or why it is not included.
func textOf(src []byte, err error) (text, why string) {
	switch {
	case isMissing(err):
		return "", "there is no such file now"
	case err != nil:
		return "", "it cannot be read"
	case len(src) > maxText:
		return "", fmt.Sprintf("it has %d bytes, more than the %d that are included", len(src), maxText)
	case !utf8.Valid(src):
		return "", "it is not text"
	}
	return string(src), ""
}

// threadText is the context of a referenced thread up to its cut, or why it is not included. budget is the maximum of
// tokens, 0 for none.
func (c *compiler) threadText(p Piece, budget int) (text, why string, err error) {
	sub := Request{ThreadID: p.ThreadID, Seq: &p.Seq, Base: c.req.Base, Budget: budget, Limits: c.req.Limits, Incomplete: true}
	if c.bounded() {
		sub.Max = max(1, c.req.Max-c.held)
	}
	r, err := Compile(c.src, sub)
	switch {
	case isMissing(err):
		return "", "no such thread here", nil
	case errors.As(err, new(*TooLarge)):
		return "", "", &TooLarge{c.req.Max}
	case errors.As(err, new(*OverBudget)):
		return "", noRoom, nil
	case err != nil:
		return "", "it cannot be read", nil
	}
	if text, err = render.Quoted(r.Bundle, render.Options{Artifact: c.src.Artifact}); err != nil {
		return "", "it cannot be read", nil
	}
	return text, "", nil
}

// includeTexts includes the texts of the references in what the budget leaves.
func (c *compiler) includeTexts(left int) error {
	for i := range c.entries {
		e := &c.entries[i]
		cost, err := 0, error(nil)
		switch {
		case e.whole != nil:
			cost, err = c.grow(e, e.whole, left)
		case e.reference && e.piece.Kind == "thread":
			cost, err = c.includeThread(e, left)
		}
		if err != nil {
			return err
		}
		left -= cost
	}
	return nil
}

// grow replaces a reference by one with its text, if that costs at most so many tokens more.
func (c *compiler) grow(e *entry, whole bundle.Item, left int) (cost int, err error) {
	n, err := c.tokens(whole)
	if cost = n - e.piece.Tokens; err == nil && cost <= left {
		e.item, e.piece.Tokens = whole, n
		return cost, nil
	}
	c.leaveText(e.piece, fmt.Sprintf("about %d tokens, %d are left", cost, left), true)
	return 0, err
}

// includeThread includes the context of a thread in at most so many tokens. The lines between its parts count, too, so
// the parts get less until the whole fits.
func (c *compiler) includeThread(e *entry, left int) (cost int, err error) {
	for budget := left; budget > 0; {
		text, why, err := c.threadText(e.piece, budget)
		if err != nil {
			return 0, err
		}
		if why != "" {
			c.leaveText(e.piece, why, why == noRoom)
			return 0, nil
		}
		whole := e.with("content", text)
		n, err := c.tokens(whole)
		if over := n - e.piece.Tokens - left; err == nil && over > 0 {
			budget -= over
			continue
		}
		e.item, cost = whole, n-e.piece.Tokens
		e.piece.Tokens += cost
		return cost, err
	}
	c.leaveText(e.piece, noRoom, true)
	return 0, nil
}
