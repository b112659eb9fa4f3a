package httpapi

import (
	"net/http"
	"testing"

	"handoff/log/receipt"
	"handoff/surface/problem"
	"handoff/workspace/current"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
)

// TestForPages: what pages do goes the way of the routes: it is refused with the same problems, and a
// caller gives back what it has claimed, and nothing else.
func TestForPages(t *testing.T) {
	var pages ForPages
	s := serve(t, func(c *Config) {
		c.Pages = func(f ForPages) http.Handler { pages = f; return http.NotFoundHandler() }
	})
	ann := pages.Handoffs(current.Caller{User: "1000@test", Terminal: "browser a"})
	bob := pages.Handoffs(current.Caller{User: "1000@test", Terminal: "browser b"})
	if r, err := handoffops.Claim.On(t.Context(), ann, "259/3", receipts.ClaimRequest{As: "ann"}); err != nil || r.By != "ann" {
		t.Fatalf("%+v, %v", r, err)
	}
	s.postJSON(409, "/handoffs/259%2F3/claim", `{"as":"codex"}`)
	_, err := handoffops.Claim.On(t.Context(), bob, "259/3", receipts.ClaimRequest{As: "bob"})
	if p := pages.Problem(err); p.Type != problem.Held.Type || p.Status != 409 || p.Holder != "ann" {
		t.Errorf("%+v of %v", p, err)
	}
	for _, r := range []receipts.ReleaseRequest{{}, {Claim: "made.1.up"}} {
		if _, err := handoffops.Release.On(t.Context(), bob, "259/3", r); err == nil || pages.Problem(err).Status >= 500 {
			t.Errorf("%+v is released: %v", r, err)
		}
	}
	if r, err := handoffops.Release.On(t.Context(), ann, "259/3", receipts.ReleaseRequest{Why: "late"}); err != nil || r.State != receipt.Released {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = handoffops.Claim.On(t.Context(), ann, "../../etc/passwd.md", receipts.ClaimRequest{As: "ann"})
	if p := pages.Problem(err); p.Status != 404 {
		t.Errorf("%+v", p)
	}
	if pages.Retry != nil {
		t.Error("a server without a command retries")
	}
}
