package agents

import (
	"strings"

	"handoff/internal/text/strictyaml"
)

// End is how a run of an agent ended.
type End string

// The ends.
const (
	OK        End = "ok"        // without an error
	Limit     End = "limit"     // an allowance of the account is used up
	Temporary End = "temporary" // an error of the provider or the network: the same call may succeed soon
	Permanent End = "permanent" // a setting, a key or a bill has to change first
	Crash     End = "crash"     // no error that is known: a signal, an exit status, an unknown message
)

// Ends are the words with which a host says why a run ended, in any case; * is for some words of the
// same line. Package ending reads them, and has those that all providers of models share.
type Ends struct {
	Limit     []string          `yaml:"limit" json:"limit"`         // an allowance is used up
	Temporary []string          `yaml:"temporary" json:"temporary"` // an error that passes by itself
	Permanent []string          `yaml:"permanent" json:"permanent"` // one that does not
	TooLong   []string          `yaml:"too_long" json:"too_long"`   // the context is too long: only a new session helps
	Exits     map[string]string `yaml:"exits" json:"exits"`         // temporary or permanent, by exit status
}

// maxStar is how many bytes a * matches at most.
const maxStar = 80

// FindWords returns where a phrase begins in a text of lower case; -1 if it is not there.
func FindWords(text, phrase string) int {
	parts := strings.Split(strings.ToLower(phrase), "*")
	for from := 0; ; {
		at := strings.Index(text[from:], parts[0])
		if at < 0 {
			return -1
		}
		at += from
		if whole(text, at, at+len(parts[0])) && follow(text[at+len(parts[0]):], parts[1:]) {
			return at
		}
		from = at + max(1, len(parts[0]))
		if from > len(text) {
			return -1
		}
	}
}

// whole reports whether digits at the ends of text[from:to] are a whole number there: 429 is not in
// 14290.
func whole(text string, from, to int) bool {
	digit := func(at int) bool { return at >= 0 && at < len(text) && text[at] >= '0' && text[at] <= '9' }
	return !(digit(from) && digit(from-1)) && !(to > from && digit(to-1) && digit(to))
}

// follow reports whether the parts of a phrase follow each other on the line.
func follow(text string, parts []string) bool {
	text, _, _ = strings.Cut(text, "\n")
	for _, p := range parts {
		at := strings.Index(text, p)
		if at < 0 || at > maxStar {
			return false
		}
		text = text[at+len(p):]
	}
	return true
}

// check reports words that would be found in every text, and unknown kinds.
func (e Ends) check(r *strictyaml.Reading) {
	const least = 3
	for name, list := range map[string][]string{"limit": e.Limit, "temporary": e.Temporary, "permanent": e.Permanent, "too_long": e.TooLong} {
		for _, p := range list {
			if first, _, _ := strings.Cut(p, "*"); len(strings.TrimSpace(first)) < least {
				r.Complain("/ends/"+name, "%q would be found in too many texts: begin with a word", p)
			}
		}
	}
	for status, kind := range e.Exits {
		if End(kind) != Temporary && End(kind) != Permanent {
			r.Complain("/ends/exits", "exit status %s: unknown kind %q (temporary, permanent)", status, kind)
		}
	}
}
