package httpapi

import (
	"fmt"
	"handoff/workspace/handoffops"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"handoff/log/receipt"
	"handoff/surface/problem"
	"handoff/workspace/receipts"
)

const firstAction = "Apply `rcases` on `h_ih` to extract the induction hypothesis, then use `exact` with `ih_coherent`."

func (s *server) step(code int, path, body string, header ...string) receipts.Record {
	s.t.Helper()
	return into[receipts.Record](s.postJSON(code, path, body, header...))
}

// TestLifeOverHTTP: a handoff is found, claimed, acknowledged, renewed, released,
// claimed again and finished, and its receipts list these steps.
func TestLifeOverHTTP(t *testing.T) {
	s := serve(t, nil)
	const at = "/handoffs/259%2F3/"
	next := into[receipts.Listing](s.want(200, "GET", "/handoffs/next", ""))
	if next.Next == nil || next.Next.Path != exampleDocument || next.WaitingTotal != 1 {
		t.Fatalf("%+v", next)
	}
	r := s.step(201, at+"claim", `{"as":"codex"}`)
	if r.State != receipt.Claimed || r.By != "codex" || r.Token != 1 || r.Until.Format("15:04") != "18:05" {
		t.Fatalf("%+v", r)
	}
	claim := fmt.Sprintf(`{"claim":%q}`, r.Claim)
	s.postJSON(409, at+"claim", `{"as":"other"}`)
	s.postJSON(404, "/handoffs/next/claim", `{"as":"other"}`)
	s.postJSON(409, at+"ack", fmt.Sprintf(`{"claim":%q,"first_action":"Read it."}`, r.Claim))
	if r := s.step(200, at+"ack", fmt.Sprintf(`{"claim":%q,"first_action":%q}`, r.Claim, firstAction)); !r.Acknowledged {
		t.Errorf("%+v", r)
	}
	if r := s.step(200, at+"renew", fmt.Sprintf(`{"claim":%q,"ttl_seconds":60}`, r.Claim)); r.Until.Format("15:04") != "16:06" {
		t.Errorf("%+v", r)
	}
	if r := s.step(200, at+"release", fmt.Sprintf(`{"claim":%q,"why":"out of time"}`, r.Claim)); r.State != receipt.Released {
		t.Errorf("%+v", r)
	}
	for _, what := range []string{"renew", "done"} {
		s.postJSON(409, at+what, claim)
	}
	second := into[handoffops.NextClaimed](s.postJSON(201, "/handoffs/next/claim", `{"as":"claude","task":259}`)).Claimed
	if second.Token != 2 || second.Path != exampleDocument {
		t.Fatalf("%+v", second)
	}
	forced := s.step(201, at+"claim", `{"as":"ann","force":true,"why":"it hangs"}`)
	s.postJSON(409, at+"done", fmt.Sprintf(`{"claim":%q}`, second.Claim))
	if r := s.step(200, at+"done", fmt.Sprintf(`{"claim":%q}`, forced.Claim)); r.State != receipt.Done {
		t.Errorf("%+v", r)
	}
	got := into[handoffops.History](s.want(200, "GET", at+"receipts", ""))
	var kinds []string
	for _, step := range got.Steps {
		kinds = append(kinds, string(step.Kind))
	}
	if want := "claimed acknowledged renewed released claimed claimed done"; strings.Join(kinds, " ") != want || got.State != receipt.Done {
		t.Errorf("%s, %v", kinds, got.State)
	}
}

// TestWorkOverHTTP: work without a document is claimed as handoffs are, under the names that the command line has. The
// paths of the interface allow them.
func TestWorkOverHTTP(t *testing.T) {
	s := serve(t, nil)
	for ref, path := range map[string]string{"issue:311": "issue%3A311", "task:7": "task:7", "path:src/x/**": "path:src%2Fx%2F**"} {
		r := s.step(201, "/handoffs/"+path+"/claim", `{"as":"ann"}`)
		if r.Path != ref || r.State != receipt.Claimed {
			t.Errorf("%s: %+v", ref, r)
		}
		s.postJSON(409, "/handoffs/"+path+"/claim", `{"as":"bob"}`)
		if r = s.step(200, "/handoffs/"+path+"/done", fmt.Sprintf(`{"claim":%q}`, r.Claim)); r.State != receipt.Done {
			t.Errorf("%s: %+v", ref, r)
		}
		field, _ := reflect.TypeFor[handoffInput]().FieldByName("Ref")
		if ok, err := regexp.MatchString(field.Tag.Get("pattern"), ref); err != nil || !ok {
			t.Errorf("%s does not match the pattern (%v)", ref, err)
		}
	}
	s.postJSON(400, "/handoffs/task:x/claim", `{"as":"ann"}`)
}

// TestRefusalsAreTyped: a program sees why a step is refused, who holds the handoff or has
// finished it, and when to try again, but never the holder's claim.
func TestRefusalsAreTyped(t *testing.T) {
	s := serve(t, nil)
	const at = "/handoffs/259%2F3/"
	first := s.step(201, at+"claim", `{"as":"ann","ttl_seconds":90}`)
	a := s.postJSON(409, at+"claim", `{"as":"bob"}`)
	p := into[problem.Problem](a)
	if p.Type != problem.Held.Type || p.Holder != "ann" || p.Token != 1 || p.Path != exampleDocument || !p.Until.Equal(first.Until) || p.Since == nil ||
		p.RetryAfter != 90 || a.Header.Get("Retry-After") != "90" || strings.Contains(a.body, first.Claim) {
		t.Errorf("held: %s, Retry-After %s", a.body, a.Header.Get("Retry-After"))
	}
	second := s.step(201, at+"claim", `{"as":"bob","force":true,"why":"it hangs"}`)
	a = s.postJSON(409, at+"done", fmt.Sprintf(`{"claim":%q}`, first.Claim))
	if p = into[problem.Problem](a); p.Type != problem.Stale.Type || p.Holder != "bob" || p.Token != 2 || strings.Contains(a.body, second.Claim) {
		t.Errorf("stale: %s", a.body)
	}
	s.step(200, at+"done", fmt.Sprintf(`{"claim":%q}`, second.Claim))
	a = s.postJSON(409, at+"claim", `{"as":"ann"}`)
	if p = into[problem.Problem](a); p.Type != problem.Finished.Type || p.State != "done" || p.Holder != "bob" || p.Since == nil || p.RetryAfter != 0 {
		t.Errorf("finished: %s", a.body)
	}
	if p = into[problem.Problem](s.postJSON(404, at+"renew", `{"claim":"0123456789abcdef.1.x"}`)); p.Type != problem.UnknownClaim.Type {
		t.Errorf("unknown: %+v", p)
	}
}

// TestStepsRefused: the problem with a request decides the status of the answer.
func TestStepsRefused(t *testing.T) {
	s := serve(t, nil)
	const at = "/handoffs/259%2F3/"
	const unknown = `{"claim":"0123456789abcdef.1.x"}`
	for _, c := range []struct {
		code       int
		path, body string
	}{
		{404, "/handoffs/7/claim", `{"as":"x"}`},
		{404, "/handoffs/7/receipts/x", `{}`},
		{404, "/handoffs/%2Fetc%2Fpasswd/claim", `{"as":"x"}`},
		{404, "/handoffs/" + url.PathEscape("specs/../../x.md") + "/claim", `{"as":"x"}`},
		{422, at + "claim", `{}`},
		{400, at + "claim", `{"as":""}`},
		{400, at + "claim", `{"as":"two\nlines"}`},
		{400, at + "claim", `{"as":"x","force":true}`},
		{400, at + "claim", `{"as":"x","ttl_seconds":0}`},
		{400, at + "claim", `{"as":"x","ttl_seconds":2678401}`},
		{422, at + "claim", `{"as":"x","ttl_seconds":"2h"}`},
		{404, at + "renew", unknown},
		{404, at + "release", unknown},
		{400, at + "release", `{"claim":"x"}`},
		{422, at + "release", `{}`},
		{400, at + "ack", `{}`},
		{400, at + "done", `{}`},
		{400, "/handoffs/next/claim", `{"as":""}`},
		{404, "/handoffs/next/claim", `{"as":"x","task":7}`},
	} {
		s.postJSON(c.code, c.path, c.body)
	}
	s.want(405, "GET", at+"claim", "")
	if got := into[handoffops.History](s.want(200, "GET", at+"receipts", "")); len(got.Steps) != 0 {
		t.Errorf("something was recorded: %+v", got)
	}
}

// TestClaimOnce: of many that claim the best handoff at once one gets it, and its
// repeated request gets the same claim.
func TestClaimOnce(t *testing.T) {
	s := serve(t, nil)
	var won atomic.Int64
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			resp, err := s.client.Post(s.url+"/handoffs/next/claim", "application/json", strings.NewReader(fmt.Sprintf(`{"as":"agent %d"}`, i)))
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			if resp.StatusCode == 201 {
				won.Add(1)
			} else if resp.StatusCode != 404 {
				t.Errorf("%d", resp.StatusCode)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d claims", won.Load())
	}
	// Only the holder may continue the work.
	s.postJSON(409, "/specs/259/handoffs", "{"+values+"}")
	held := into[handoffops.History](s.want(200, "GET", "/handoffs/259%2F3/receipts", ""))
	made := into[handoffCreated](s.postJSON(201, "/specs/259/handoffs", fmt.Sprintf(`{"claim":%q,%s}`, held.Claim, values)))
	first := s.step(201, "/handoffs/259%2F4/claim", `{"as":"x"}`, "Idempotency-Key", "k")
	again := s.step(200, "/handoffs/259%2F4/claim", `{"as":"x"}`, "Idempotency-Key", "k")
	if first.Claim == "" || again.Claim != first.Claim {
		t.Errorf("%+v, then %+v", first, again)
	}
	// The holder may have moved the document before it reports that the work is done.
	if err := os.Rename(s.path(made.Path), filepath.Join(s.root, "moved.md")); err != nil {
		t.Fatal(err)
	}
	path := "/handoffs/" + url.PathEscape(made.Path) + "/done"
	s.postJSON(404, path, `{"as":"x"}`)
	if r := s.step(200, path, fmt.Sprintf(`{"claim":%q}`, first.Claim)); r.State != receipt.Done {
		t.Errorf("%+v", r)
	}
}

// TestSuccessorOverHTTP: a handoff that is written with a claim supersedes the claimed
// one; with a stale claim nothing is written.
func TestSuccessorOverHTTP(t *testing.T) {
	s := serve(t, nil)
	first := s.step(201, "/handoffs/259%2F3/claim", `{"as":"x"}`)
	body := fmt.Sprintf(`{"claim":%q,%s}`, first.Claim, values)
	s.postJSON(201, "/specs/259/handoffs", body)
	if got := into[handoffops.History](s.want(200, "GET", "/handoffs/"+url.PathEscape(exampleDocument)+"/receipts", "")); got.State != receipt.Superseded {
		t.Errorf("%+v", got)
	}
	s.step(201, "/handoffs/"+url.PathEscape(exampleDocument)+"/claim", `{"as":"y","force":true,"why":"again"}`)
	s.postJSON(409, "/specs/259/handoffs", body)
	s.postJSON(404, "/specs/259/handoffs", `{"claim":"0123456789abcdef.1.x",`+values+`}`)
	if n := len(names(t, s, "259_prove_completeness")); n != 2 {
		t.Errorf("%d documents", n)
	}
}
