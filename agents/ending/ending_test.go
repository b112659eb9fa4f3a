package ending

import (
	"testing"
	"time"

	"handoff/agents"
)

// now is 2026-11-27 at 2:40 in the morning in Berlin.
var now = time.Date(2026, 11, 27, 1, 40, 0, 0, time.UTC)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	z, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestTooLong: a session whose context is full needs a new session, and no person: the agent is not given
// up. What a host prints beside its error does not hide a limit.
func TestTooLong(t *testing.T) {
	words := agents.Ends{TooLong: []string{"conversation too long"}}
	for name, c := range map[string]struct {
		run  Run
		want Ending
	}{
		"the provider":           {failed("400 prompt is too long: 214500 tokens > 200000 maximum"), Ending{Kind: Crash, TooLong: true, Why: "400 prompt is too long: 214500 tokens > 200000 maximum"}},
		"the host":               {failed("Conversation too long. Press esc twice."), Ending{Kind: Crash, TooLong: true, Why: "Conversation too long. Press esc twice."}},
		"a limit of tokens":      {failed("context_length_exceeded: you hit your token limit"), Ending{Kind: Crash, TooLong: true, Why: "context_length_exceeded: you hit your token limit"}},
		"only printed":           {Run{Stderr: "error: prompt is too long", Exit: 1}, Ending{Kind: Crash, TooLong: true, Why: "error: prompt is too long"}},
		"printed beside a limit": {Run{Stderr: "context window: 90 %\nyou hit your usage limit", Exit: 1}, Ending{Kind: Limit, Why: "hit your usage limit"}},
		"an answer":              {Run{Ended: true, Said: "The prompt is too long."}, Ending{Kind: OK}},
	} {
		if got := Of(words, c.run, time.Date(2026, 11, 27, 1, 40, 0, 0, time.UTC), time.UTC); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// message is what a host printed, as it was reported from real sessions.
type message struct {
	agent string
	run   Run
	kind  Kind
	until string // RFC 3339; "" for none
}

func failed(text string) Run { return Run{Failed: text, Exit: 1} }

var messages = []message{
	{"claude", failed("You've hit your limit · resets 3am"), Limit, "2026-11-27T03:00:00+01:00"},
	{"claude", failed("You've hit your session limit · resets 9am"), Limit, "2026-11-27T09:00:00+01:00"},
	{"claude", failed("You've hit your session limit · resets 2:30pm (Pacific/Auckland)"), Limit, "2026-11-28T14:30:00+13:00"}, // there it is 2:40 in the afternoon
	{"claude", failed("You’ve hit your session limit · resets 10:30pm (Europe/Berlin)\n/login to switch to an API usage-billed account."), Limit, "2026-11-27T22:30:00+01:00"},
	{"claude", failed("You've hit your weekly limit · resets Nov 28 at 3pm (Europe/Berlin)"), Limit, "2026-11-28T15:00:00+01:00"},
	{"claude", failed("You've hit your weekly limit · resets Dec 2, 12am (UTC)"), Limit, "2026-12-02T00:00:00Z"},
	{"claude", failed("You've hit your Opus limit · resets Jan 1, 5am (America/Los_Angeles) · progress saved"), Limit, "2027-01-01T05:00:00-08:00"},
	{"claude", failed("You're out of extra usage · resets 11:30am (Asia/Colombo)"), Limit, "2026-11-27T11:30:00+05:30"},
	{"claude", failed("Claude AI usage limit reached|1795755600"), Limit, "2026-11-27T05:00:00Z"},
	{"claude", failed("Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5)."), Limit, "2026-11-27T13:00:00-05:00"},
	{"claude", failed("5-hour limit reached ∙ resets 3pm"), Limit, "2026-11-27T15:00:00+01:00"},
	{"claude", failed(`API Error: Request rejected (429) · {"type":"error","error":{"type":"billing_error","message":"spend limit reached · resets Dec 8 · request an increase at https://go.corp.example.com/claude-limits"}}`), Limit, "2026-12-08T00:00:00+01:00"},
	{"claude", failed("API Error: Request rejected (429)\nYou've hit your session limit · resets 3:45pm"), Limit, "2026-11-27T15:45:00+01:00"},
	{"claude", Run{Failed: "You've hit your session limit", Reset: 1795762800, Exit: 1}, Limit, "2026-11-27T07:00:00Z"}, // the event before it had the time
	{"claude", failed("API Error: Request rejected (429) · spend limit reached · resets Dec 8 · request an increase at https://go.corp.example.com/claude-limits"), Limit, "2026-12-08T00:00:00+01:00"},
	{"claude", failed("API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."), Limit, "2026-12-01T00:00:00Z"},
	{"claude", failed(`API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}`), Limit, "2026-12-01T00:00:00Z"},
	{"claude", failed("API Error: Server is temporarily limiting requests (not your usage limit) · This request would exceed your account's rate limit. Please try again later."), Temporary, ""},
	{"claude", failed(`API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), Temporary, ""},
	{"claude", failed("API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary."), Temporary, ""},
	{"claude", failed("API Error: 500 api_error: Internal server error. This is a server-side issue, usually temporary — try again in a moment."), Temporary, ""},
	{"claude", failed(`API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."}}`), Temporary, ""},
	{"claude", failed("API Error: Unable to connect to API (ECONNRESET)"), Temporary, ""},
	{"claude", failed("No data arrived for more than 5 minutes."), Temporary, ""},
	{"claude", failed("Credit balance is too low"), Permanent, ""},
	{"claude", failed("Invalid API key · Please run /login"), Permanent, ""},
	{"claude", failed("There's an issue with the selected model (opus-9). It may not exist or you may not have access to it."), Permanent, ""},
	{"claude", failed(`API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 214500 tokens > 200000 maximum"}}`), Crash, ""},

	{"codex", failed("You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 hours 13 minutes."), Limit, "2026-11-27T04:53:00+01:00"},
	{"codex", failed("You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11 minutes."), Limit, "2026-12-02T23:51:00Z"},
	{"codex", failed("You've hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at 4:29 AM."), Limit, "2026-11-27T04:29:00+01:00"},
	{"codex", failed("You've hit your usage limit. Please try again at Nov 29th, 2026 12:55 AM."), Limit, "2026-11-29T00:55:00+01:00"},
	{"codex", failed("You've hit your usage limit. Upgrade your plan to continue, or try again at 10 de dec. de 2026, 11:52."), Limit, "2026-12-10T11:52:00+01:00"},
	{"codex", failed("You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again later."), Limit, ""},
	{"codex", failed("You've hit your usage limit. Upgrade to Pro, or wait for limits to reset (every 5h and every week.)."), Limit, ""},
	{"codex", failed(`unexpected status 429 Too Many Requests: {"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1795771668,"resets_in_seconds":27268}}`), Limit, "2026-11-27T09:27:48Z"},
	{"codex", failed("You’ve hit your usage limit for gpt-5.5-spark. Switch to another model now, or try again at 7:22 PM."), Limit, "2026-11-27T19:22:00+01:00"},
	{"codex", failed("You’ve hit your usage limit. To get more access now, send a request to your admin or try again at 7:22 PM."), Limit, "2026-11-27T19:22:00+01:00"},
	{"codex", failed("You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at Dec 1st, 2026 12:22 AM."), Limit, "2026-12-01T00:22:00+01:00"},
	{"codex", failed("Your workspace is out of credits. Add credits to continue."), Limit, ""},
	{"codex", failed("To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus."), Permanent, ""},
	{"codex", failed("exceeded retry limit, last status: 429 Too Many Requests, request id: 0a1b"), Temporary, ""},
	{"codex", failed("exceeded retry limit, last status: 429 Too Many Requests: Rate limit reached for gpt-5. Please try again in 1.898s."), Temporary, "2026-11-27T01:40:01Z"},
	{"codex", failed("stream disconnected before completion: Incomplete response returned, reason: content_filter"), Temporary, ""},
	{"codex", failed("Selected model is at capacity. Please try a different model."), Temporary, ""},
	{"codex", failed("We're currently experiencing high demand, which may cause temporary errors."), Temporary, ""},
	{"codex", failed("Quota exceeded. Check your plan and billing details."), Permanent, ""},
	{"codex", failed("unexpected status 401 Unauthorized: Missing bearer or basic authentication in header"), Permanent, ""},
	{"codex", failed("The 'gpt-9' model is not supported when using Codex with a ChatGPT account."), Permanent, ""},

	{"gemini", failed("Usage limit reached for gemini-3-pro-preview.\nAccess resets at 3:04 PM PST."), Limit, "2026-11-27T15:04:00-08:00"},
	{"gemini", failed("Usage limit reached for all Pro models.\nAccess resets at 9:15 AM GMT+1."), Limit, "2026-11-27T09:15:00+01:00"},
	{"gemini", failed("You have exhausted your capacity on this model. Your quota will reset after 5h13m2s."), Limit, "2026-11-27T07:53:02+01:00"},
	{"gemini", failed("You have exhausted your daily quota on this model."), Limit, ""},
	{"gemini", failed(`[API Error: You exceeded your current quota, please check your plan and billing details. {"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "34s"}]}]`), Temporary, "2026-11-27T01:40:34Z"},
	{"gemini", failed(`{'@type': 'type.googleapis.com/google.rpc.RetryInfo', 'retryDelay': '34.07s'} RESOURCE_EXHAUSTED`), Temporary, "2026-11-27T01:40:34Z"},
	{"gemini", failed("[API Error: You exceeded your current quota. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 20\nPlease retry in 47.51s. RESOURCE_EXHAUSTED]"), Temporary, "2026-11-27T01:40:47Z"},
	{"gemini", failed(`{"error":{"code":429,"message":"{\"error\":{\"details\":[{\"metadata\":{\"quotaResetDelay\":\"4h2m0s\",\"quotaResetTimeStamp\":\"2026-11-27T05:42:00Z\"}}]}}","status":"RESOURCE_EXHAUSTED"}}`), Limit, "2026-11-27T05:42:00Z"},
	{"gemini", failed("Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per tier' of service 'cloudcode-pa.googleapis.com'"), Limit, ""},
	{"gemini", failed("[API Error: The model is overloaded. Please try again later.]"), Temporary, ""},
	{"gemini", Run{Stderr: "Please set an Auth method in your settings.json", Exit: 41}, Permanent, ""},
	{"gemini", Run{Stderr: "exit", Exit: 41}, Permanent, ""},

	{"copilot", failed("Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours. Please review our Terms of Service"), Limit, "2026-11-27T03:40:00Z"},
	{"copilot", failed("Sorry, you've exceeded your 5 hour session limits. Please retry after 2733 seconds. (user_global_rate_limited:pro)"), Limit, "2026-11-27T02:25:33Z"},
	{"copilot", failed("You've reached your weekly rate limit. Please wait for your limit to reset on November 30, 2026 at 2:00 AM or switch to\nauto model to continue."), Limit, "2026-11-30T02:00:00+01:00"},
	{"copilot", failed("Sorry, you have been rate-limited. Please wait 2 minutes before trying again or consider switching to Auto."), Temporary, "2026-11-27T01:42:00Z"},
	{"copilot", failed("Error: No authentication information found."), Permanent, ""},

	{"opencode", failed("Free usage exceeded, subscribe to Go [retrying in 6h16m attempt #1]"), Limit, "2026-11-27T07:56:00Z"},
	{"opencode", failed(`429: {"type":"FreeUsageLimitError","message":"Rate limit exceeded. Please try again later."} retry-after: 73801`), Limit, "2026-11-27T22:10:01Z"},
	{"opencode", failed("The usage limit has been reached"), Limit, ""},
	{"opencode", failed("Too Many Requests: Retry-After: Fri, 27 Nov 2026 04:00:00 GMT"), Limit, "2026-11-27T04:00:00Z"},
	{"opencode", failed("AI_APICallError: Rate limit exceeded. Please try again later."), Temporary, ""},
	{"opencode", failed("ProviderModelNotFoundError"), Permanent, ""},
	{"qwen", failed("Free daily quota has been reached. Resets at midnight UTC."), Limit, "2026-11-28T00:00:00Z"},

	{"aider", Run{Stderr: "litellm.RateLimitError: retry-after-ms: 1500", Exit: 1}, Temporary, "2026-11-27T01:40:01Z"},
	{"amp", Run{Stderr: "HTTP 503 Service Unavailable", Exit: 1}, Temporary, ""},
	{"amp", Run{Stderr: "panic: runtime error", Exit: 2}, Crash, ""},
	{"claude", Run{Exit: -1}, Crash, ""},
	{"claude", Run{Exit: 3}, Crash, ""},
	{"claude", failed("error_during_execution"), Crash, ""},
	{"claude", Run{Ended: true, Said: "The parser handles 429 and 529 now, and says when the usage limit resets.", Worked: true}, OK, ""},
	{"amp", Run{Ended: true, Said: "You've hit your usage limit. Resets in 3 hours."}, Limit, "2026-11-27T04:40:00Z"}, // a host that ends with 0
	{"amp", Run{Ended: true, Said: "Which database do you mean?"}, OK, ""},
	{"amp", Run{Ended: true, Said: "Fixed the timeout, and the message when the usage limit is reached (HTTP 429)."}, OK, ""},
	{"amp", Run{Ended: true, Said: "The parser now says 'usage limit reached'; I will try again in 3 hours."}, OK, ""},
	{"claude", Run{Ended: true}, OK, ""},
}

// TestMessages: what hosts really print, and what it means at a certain moment in Berlin.
func TestMessages(t *testing.T) {
	zone := berlin(t)
	for _, m := range messages {
		a, err := agents.Builtin(m.agent)
		if err != nil {
			t.Fatal(err)
		}
		want := time.Time{}
		if m.until != "" {
			if want, err = time.Parse(time.RFC3339, m.until); err != nil {
				t.Fatal(err)
			}
		}
		got := Of(a.Ends, m.run, now, zone)
		if got.Kind != m.kind || !got.Until.Truncate(time.Second).Equal(want) {
			t.Errorf("%s: %+v\n is %s until %s (%q)\nwant %s until %s", m.agent, m.run, got.Kind, got.Until.In(zone), got.Why, m.kind, want.In(zone))
		}
	}
}

// TestReset: the ways in which a time is written, at other moments.
func TestReset(t *testing.T) {
	zone := berlin(t)
	at := func(s string) time.Time {
		got, err := time.ParseInLocation("2006-01-02 15:04:05", s, zone)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, c := range []struct{ now, text, want string }{
		{"2026-11-27 02:40:00", "resets 2:30am", "2026-11-28 02:30:00"},  // past: tomorrow
		{"2026-11-27 02:40:00", "resets 2:39am", "2026-11-27 02:39:00"},  // just past: another clock
		{"2026-11-27 02:40:00", "resets 12:40am", "2026-11-28 00:40:00"}, // 12 is the hour after midnight
		{"2026-11-27 02:40:00", "resets 12pm", "2026-11-27 12:00:00"},
		{"2026-11-27 02:40:00", "resets at noon", "2026-11-27 12:00:00"},
		{"2026-11-27 02:40:00", "resets at midnight", "2026-11-28 00:00:00"},
		{"2026-11-27 02:40:00", "resets at midnight Pacific Time", "2026-11-27 09:00:00"},
		{"2026-11-27 02:40:00", "resets tomorrow at 1:15 AM", "2026-11-28 01:15:00"},
		{"2026-11-27 02:40:00", "resets today at 17:00", "2026-11-27 17:00:00"},
		{"2026-11-27 02:40:00", "resets Mon 9:00 AM", "2026-11-30 09:00:00"},
		{"2026-11-27 02:40:00", "Resets Friday at 1am", "2026-12-04 01:00:00"},
		{"2026-11-27 02:40:00", "resets on 28 Nov 2026, 15:04", "2026-11-28 15:04:00"},
		{"2026-11-27 02:40:00", "resets 2026-11-28 15:04", "2026-11-28 15:04:00"},
		{"2026-11-27 02:40:00", "reset_at: 2026-11-28T15:04:05+01:00", "2026-11-28 15:04:05"},
		{"2026-11-27 02:40:00", "resets 15:00 UTC", "2026-11-27 16:00:00"},
		{"2026-11-27 02:40:00", "resets 3pm (Not/AZone)", "2026-11-27 15:00:00"}, // the local one, as without
		{"2026-11-27 02:40:00", "try again in an hour", "2026-11-27 03:40:00"},
		{"2026-11-27 02:40:00", "reset in 15 hours, 39 minutes, and 5 seconds", "2026-11-27 18:19:05"}, // and: not a day
		{"2026-11-27 02:40:00", "resets in ~5h", "2026-11-27 07:40:00"},
		{"2026-11-27 02:40:00", "resets in 2 hours and a minute", "2026-11-27 04:41:00"},
		{"2026-11-27 02:40:00", "resets in a day and an hour", "2026-11-28 03:40:00"},
		{"2026-11-27 02:40:00", "Try again in less than a minute.", "2026-11-27 02:41:00"},
		{"2026-11-27 02:40:00", "resets in 1d 4h", "2026-11-28 06:40:00"},
		{"2026-11-27 02:40:00", "retry after 90 seconds", "2026-11-27 02:41:30"},
		{"2026-11-27 02:40:00", "Retry-After: 120", "2026-11-27 02:42:00"},
		{"2026-11-27 02:40:00", `"reset_at":1795755600000`, "2026-11-27 06:00:00"},
		{"2026-11-27 02:40:00", "Wait for 3 hours and 5 minutes", "2026-11-27 05:45:00"},
		{"2026-12-31 23:50:00", "resets 12:30am", "2027-01-01 00:30:00"},
		{"2026-12-31 23:50:00", "resets Jan 2 at 3pm", "2027-01-02 15:00:00"},
		{"2027-01-01 00:10:00", "resets Dec 31 at 11:59pm", "2026-12-31 23:59:00"}, // of the year before
		{"2026-11-27 02:40:00", "resets Aug 8", ""},
		{"2027-03-27 23:00:00", "resets 3:30am", "2027-03-28 03:30:00"},        // a night without the hour from 2 to 3
		{"2027-03-28 03:30:00", "resets 3:10am", "2027-03-29 03:10:00"},        // the day before had 23 hours
		{"2026-10-24 23:30:00", "try again in 4 hours", "2026-10-25 02:30:00"}, // 3:30 by the clock of summer
		{"2026-11-27 02:40:00", "try again later", ""},
		{"2026-11-27 02:40:00", "I will continue with task 3 at the end", ""},
		{"2026-11-27 02:40:00", "resets in 900 days", ""},
		{"2026-11-27 02:40:00", `"resets_at":9999999999`, ""},
		{"2026-11-27 02:40:00", "resets 25:70", ""},
		{"2026-11-27 02:40:00", "wait 99999999999999999999999999 hours", ""},
		{"2026-11-27 02:40:00", "", ""},
	} {
		got := Reset(c.text, at(c.now), zone)
		if c.want == "" && got.IsZero() {
			continue
		}
		if c.want == "" || !got.Equal(at(c.want)) {
			t.Errorf("%s at %s: %s, want %s", c.text, c.now, got.In(zone), c.want)
		}
	}
}

// FuzzOf: whatever an agent prints, a time that is believed is near.
func FuzzOf(f *testing.F) {
	for _, m := range messages {
		f.Add(m.run.Failed + m.run.Stderr)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := Of(agents.Ends{Limit: []string{"hit your * limit"}}, Run{Failed: text, Exit: 1}, now, time.UTC)
		if e.Kind == "" || !e.Until.IsZero() && believed(e.Until, now).IsZero() {
			t.Errorf("%q: %+v", text, e)
		}
	})
}
