package main

import (
	"fmt"
	"time"

	"handoff/internal/testing/scriptedmodel"
)

// usedUp is how a provider answers a call of an account that has no usage left.
type usedUp struct {
	name, agent string
	zone        string        // of the machine
	after       time.Duration // until the limit resets
	hidden      bool          // the answer does not say when
	answer      func(reset time.Time) scriptedmodel.Answer
	says        string        // part of what the real program makes of it
	exact       time.Duration // of the reset in its message: a minute unless it is named
}

// login are variables with which Claude Code works for a subscription, as after `claude login`.
var login = []string{"ANTHROPIC_API_KEY=", "CLAUDE_CODE_OAUTH_TOKEN=any"}

// subscription is the answer of Anthropic when a limit of a subscription is used up.
func subscription(which string, more ...string) func(time.Time) scriptedmodel.Answer {
	return func(reset time.Time) scriptedmodel.Answer {
		header := map[string]string{"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": fmt.Sprint(reset.Unix()),
			"anthropic-ratelimit-unified-representative-claim": which}
		for i := 0; i < len(more); i += 2 {
			header[more[i]] = more[i+1]
		}
		return scriptedmodel.Answer{Status: 429, Header: header,
			Body: `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."},"request_id":"req_1"}`}
	}
}

// budget is the answer of Anthropic when the limit is used up that an organization has set for an API key.
func budget(of string) func(time.Time) scriptedmodel.Answer {
	return func(reset time.Time) scriptedmodel.Answer {
		return scriptedmodel.Answer{Status: 400, Body: fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified %sAPI usage limits. You will regain access on %s UTC."},"request_id":"req_1"}`,
			of, reset.UTC().Format("2006-01-02 at 15:04"))}
	}
}

// spendLimit is the answer of a gateway of an organization.
func spendLimit(reset time.Time) scriptedmodel.Answer {
	return scriptedmodel.Answer{Status: 429, Header: map[string]string{"x-should-retry": "false"},
		Body: fmt.Sprintf(`{"type":"error","error":{"type":"billing_error","message":"spend limit reached · resets %s · request an increase at https://go.corp.example.com/claude-limits"}}`, reset.Format("Jan 2"))}
}

// plan is the answer of OpenAI when the limit of a plan is used up.
func plan(name string, header ...string) func(time.Time) scriptedmodel.Answer {
	return func(reset time.Time) scriptedmodel.Answer {
		a := scriptedmodel.Answer{Status: 429, Header: map[string]string{},
			Body: fmt.Sprintf(`{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":%q,"resets_at":%d}}`, name, reset.Unix())}
		for i := 0; i < len(header); i += 2 {
			a.Header[header[i]] = header[i+1]
		}
		return a
	}
}

// noReset is the answer of OpenAI that does not say when a limit resets.
func noReset(header map[string]string) func(time.Time) scriptedmodel.Answer {
	return func(time.Time) scriptedmodel.Answer {
		return scriptedmodel.Answer{Status: 429, Header: header, Body: `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus"}}`}
	}
}

// refusals are the answers of the providers, with their real headers and bodies, and what
// Claude Code 2.1.330 and Codex 0.169.0 print for them.
var refusals = []usedUp{
	{name: "session", agent: "claude", zone: "Europe/Berlin", after: 3 * time.Hour, answer: subscription("five_hour"), says: "hit your 5-hour limit · resets"},
	{name: "week", agent: "claude", zone: "America/Los_Angeles", after: 80 * time.Hour, answer: subscription("seven_day"), says: "hit your weekly limit · resets"},
	{name: "opus", agent: "claude", zone: "Asia/Kolkata", after: 50 * time.Hour, answer: subscription("seven_day_opus"), says: "hit your Opus limit · resets"},
	{name: "sonnet", agent: "claude", zone: "UTC", after: 26 * time.Hour, answer: subscription("seven_day_sonnet"), says: "hit your Sonnet limit · resets"},
	{name: "credits", agent: "claude", zone: "Pacific/Auckland", after: time.Hour, says: "hit your 5-hour limit",
		answer: subscription("five_hour", "anthropic-ratelimit-unified-overage-status", "rejected", "anthropic-ratelimit-unified-overage-disabled-reason", "out_of_credits")},
	{name: "key", agent: "claude", zone: "Europe/Berlin", after: 90 * time.Minute, answer: budget(""), says: "reached your specified API usage limits"},
	{name: "workspace", agent: "claude", zone: "America/New_York", after: 100 * time.Hour, answer: budget("workspace "), says: "reached your specified workspace API usage limits"},
	{name: "organization", agent: "claude", zone: "UTC", after: 72 * time.Hour, answer: spendLimit, says: "spend limit reached · resets", exact: 24 * time.Hour},
	{name: "plus", agent: "codex", zone: "Europe/Berlin", after: 3 * time.Hour, answer: plan("plus"), says: "or try again at"},
	{name: "plus week", agent: "codex", zone: "America/Los_Angeles", after: 80 * time.Hour, answer: plan("plus"), says: "Upgrade to Pro"},
	{name: "pro", agent: "codex", zone: "Asia/Kolkata", after: 2 * time.Hour, answer: plan("pro"), says: "purchase more credits or try again at"},
	{name: "free", agent: "codex", zone: "UTC", after: 30 * time.Hour, answer: plan("free"), says: "Upgrade to Plus to continue using Codex"},
	{name: "team", agent: "codex", zone: "Pacific/Auckland", after: time.Hour, answer: plan("team"), says: "send a request to your admin or try again at"},
	{name: "enterprise", agent: "codex", zone: "UTC", after: 150 * time.Hour, answer: plan("enterprise"), says: "usage limit. Try again at"},
	{name: "model", agent: "codex", zone: "America/New_York", after: 4 * time.Hour, says: "Switch to another model now, or try again at",
		answer: plan("pro", "x-codex-active-limit", "codex_other", "x-codex-other-primary-used-percent", "100", "x-codex-other-limit-name", "gpt-5.5-spark")},
	{name: "no time", agent: "codex", zone: "UTC", after: 20 * time.Minute, hidden: true, answer: noReset(nil), says: "or try again later"},
	{name: "workspace credits", agent: "codex", zone: "UTC", after: 20 * time.Minute, hidden: true, says: "out of credits. Add credits to continue",
		answer: noReset(map[string]string{"x-codex-rate-limit-reached-type": "workspace_owner_credits_depleted"})},
}
