// Package ending classifies how a run of an agent ended, from what its host printed: a used-up
// limit with the time at which it resets, an error that passes by itself, one that does not, or
// a crash. What a host's words mean is decided here alone, also where only a message is at hand. The
// words of each host are data in the table of agents; those that all providers of models share are in
// this package.
//
// The package reads nothing and starts nothing. Times that a host prints are read in words.go.
package ending

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/agents"
)

// Kind is how a run ended.
type Kind = agents.End

// The kinds.
const (
	OK        = agents.OK
	Limit     = agents.Limit
	Temporary = agents.Temporary
	Permanent = agents.Permanent
	Crash     = agents.Crash
)

// Run is what is known of a run that has ended.
type Run struct {
	Failed string // the error, as the host's stream reports it
	Stderr string // the end of what it printed there, for a host that reports errors nowhere else
	Said   string // its last text, for the same
	Exit   int    // exit status; -1 for a signal
	Ended  bool   // by itself, with status 0
	Worked bool   // a call of the model succeeded
	Reset  int64  // when the limit that refused it resets, as the host reports it, in seconds since 1970; 0 if it does not
}

// Ending is how a run ended.
type Ending struct {
	Kind    Kind
	TooLong bool      // the context of the session was full: a crash after which a new session works
	Until   time.Time // when the host says that it works again; zero if it does not say
	Why     string    // the words that show it, "" for none
}

// soon is the wait up to which a refusal is an error that passes: the rate of calls was too high,
// and no allowance is used up.
const soon = 10 * time.Minute

// early is where the words about a limit begin in such a message, in bytes.
const early = 16

// maxSaid is the longest last text that can be a message of the host instead of the model's.
const maxSaid = 400

// Of classifies a run. now is the time at which it ended; times of day without a zone are those of
// zone.
func Of(words agents.Ends, r Run, now time.Time, zone *time.Location) Ending {
	text := r.message()
	if text == "" && (r.Ended || r.Exit == 0) {
		return Ending{Kind: OK}
	}
	kind, why := kindOf(words, text)
	e := Ending{Kind: kind, Why: why}
	if r.Ended && r.Failed == "" { // an answer of the model, unless it can be nothing but a limit
		e.Until = Reset(text, now, zone)
		if e.Kind != Limit || e.Until.IsZero() || len(line(normal(text)))-len(why) > early {
			return Ending{Kind: OK}
		}
		return e
	}
	if tooLong(words, text) && (r.Failed != "" || kind != Limit && kind != Temporary) {
		return Ending{Kind: Crash, TooLong: true, Why: line(text)}
	}
	if by := Kind(words.Exits[strconv.Itoa(r.Exit)]); e.Kind == "" && by != "" {
		e.Kind, e.Why = by, "exit status "+strconv.Itoa(r.Exit)
	}
	if e.Kind == "" {
		return Ending{Kind: Crash, Why: line(text)}
	}
	if e.Kind == Limit || e.Kind == Temporary {
		e.Until = Reset(text, now, zone)
		if e.Until.IsZero() && r.Reset > 0 {
			e.Until = believed(time.Unix(r.Reset, 0), now)
		}
	}
	if e.Kind == Temporary && e.Until.After(now.Add(soon)) {
		e.Kind = Limit
	}
	return e
}

// message is the text that says how the run ended. What a run says that ended well is a message of
// the host only if no call of a model succeeded, and it is short.
func (r Run) message() string {
	said := ""
	if !r.Worked && len(r.Said) <= maxSaid {
		said = r.Said
	}
	switch {
	case r.Failed != "":
		return r.Failed
	case r.Ended:
		return said
	}
	return strings.TrimSpace(r.Stderr + "\n" + said)
}

// kindOf finds the first kind whose words are in a text: those of the host before those of all
// providers, and a limit before an error, because a host may print the answer of the provider
// beside its own message.
func kindOf(words agents.Ends, text string) (Kind, string) {
	text = normal(text)
	for _, w := range []agents.Ends{words, common} {
		for _, of := range []struct {
			kind    Kind
			phrases []string
		}{{Limit, w.Limit}, {Permanent, w.Permanent}, {Temporary, w.Temporary}} {
			for _, p := range of.phrases {
				if at := agents.FindWords(text, p); at >= 0 {
					return of.kind, line(text[at:])
				}
			}
		}
	}
	return "", ""
}

// tooLong reports whether a message about a failure says that the context of the session is too long.
// Such a message may speak of a limit, too: of tokens. Nor does it mean that the agent needs a person.
func tooLong(words agents.Ends, message string) bool {
	message = normal(message)
	has := func(phrase string) bool { return agents.FindWords(message, phrase) >= 0 }
	return slices.ContainsFunc(words.TooLong, has) || slices.ContainsFunc(common.TooLong, has)
}

// normal is a text as words are found in it.
func normal(text string) string { return strings.ToLower(strings.ReplaceAll(text, "’", "'")) }

// line is the first line of a text.
func line(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}

// common are the words of providers of models, which hosts repeat, and of broken connections.
var common = agents.Ends{
	TooLong: []string{
		"prompt is too long", "input is too long", "context_length_exceeded", "maximum context length", "exceeds the context window", "exceed context limit", "context window",
		"exceeds the maximum number of tokens", "input token count", "input length and", "range of input length",
	},
	Limit: []string{
		"usage_limit_reached", "usage limit reached", "usage limit has been reached", "hit your usage limit", "hit your * limit", "hit your limit", "weekly limit reached", "quota will reset",
		"resource_exhausted * per day", "daily quota", "requests per day", "generaterequestsperday", "exceeded your * session limit", "exceeded your weekly rate limit",
		"reached your specified * usage limits",
	},
	Permanent: []string{
		"insufficient_quota", "credit balance is too low", "invalid api key", "invalid x-api-key", "incorrect api key", "authentication_error", "authentication failed", "authenticate", "unauthorized",
		"permission_error", "billing_error", "payment required", "model_not_found", "model not found", "not_found_error", "does not exist or you do not have access",
		"invalid_request_error", "error: 401", "error: 402", "error: 403", "(401)", "(402)", "(403)", "status 401", "status 402", "status 403", "\"code\":401", "\"code\":403",
	},
	Temporary: []string{
		"rate_limit_error", "rate limit", "rate-limit", "ratelimit", "too many requests", "resource_exhausted", "exhausted", "429", "overloaded", "overloaded_error", "at capacity", "high demand", "high load",
		"500", "502", "503", "504", "520", "522", "524", "529", "internal server error", "internal_server_error", "api_error", "server_error", "bad gateway", "service unavailable", "gateway time",
		"temporarily unavailable", "usually temporary", "stream disconnected", "stream error", "stream closed", "stream ended", "incomplete response", "response was incomplete", "premature close",
		"connection error", "connection reset", "connection closed", "connection refused", "connection lost", "econnreset", "econnrefused", "etimedout", "enotfound", "eai_again", "epipe", "socket hang up", "fetch failed",
		"network error", "request timed out", "timed out", "timeout", "unable to connect", "no data arrived", "unexpected end of json", "unterminated string in json", "is not valid json", "exceeded retry limit",
		"try again later", "retry later", "terminated",
	},
}
