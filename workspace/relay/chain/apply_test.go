package chain

import "testing"

// TestApplyCounts: what all turns have used is the relay's, and what the turns of one
// session have used is that session's, so that a sum that the host reports for the session
// is not counted again. A turn that a signal has ended counts, and is resumed.
func TestApplyCounts(t *testing.T) {
	s := State{}
	s.Apply(Fact{Kind: Started, Plan: plan()})
	turn := func(kind Turn, f Fact) {
		s.Apply(Fact{Kind: TurnBegun, Turn: kind})
		f.Kind = TurnEnded
		s.Apply(f)
	}
	check := func(when string, tokens, ofSession int, usd float64, running bool) {
		t.Helper()
		if s.Tokens != tokens || s.SessionTokens != ofSession || s.USD != usd || s.Running != running {
			t.Errorf("%s: %d tokens, %d of the session, $%v, running: %t", when, s.Tokens, s.SessionTokens, s.USD, s.Running)
		}
	}
	s.Apply(Fact{Kind: LinkBegun, Link: 1, Agent: "claude"})
	turn(Begin, Fact{End: Signalled, Tokens: 10, USD: 0.25})
	check("a signal", 10, 10, 0.25, true)
	turn(Continue, Fact{End: Low, Tokens: 20, USD: 0.25})
	check("resumed", 30, 30, 0.5, false)
	turn(Begin, Fact{End: Completed, Tokens: 5})
	check("begun again, in another session", 35, 5, 0.5, false)
	s.Apply(Fact{Kind: LinkBegun, Link: 2, Agent: "claude"})
	turn(Begin, Fact{End: Completed, Tokens: 7})
	check("the next link", 42, 7, 0.5, false)
}
