package rules

import (
	"math"
	"strings"

	"handoff/internal/prose"
	"handoff/lint"
)

// This file is the part of the rule secret that has no prefix to go by: keys
// in blocks, passwords in addresses and values of telling names. Each of them
// must look random, else every line about passwords would be one.

// privateKeys reports PEM blocks. Their first line alone is no secret.
func privateKeys(p *lint.Pass) {
	src := p.Doc.Source
	for at := 0; ; {
		i := strings.Index(src[at:], "PRIVATE KEY-----")
		if i < 0 {
			return
		}
		end := at + i + len("PRIVATE KEY-----")
		from := strings.LastIndex(src[at:end], "-----BEGIN")
		if from >= 0 && keyFollows(src[end:]) {
			reportSecret(p, at+from, end, "a private key")
		}
		at = end
	}
}

// keyFollows reports whether a long run of base64 comes soon.
func keyFollows(text string) bool {
	run := 0
	for i := 0; i < len(text) && i < 200; i++ {
		c := text[i]
		if c < 0x80 && prose.WordByte(c) && c != '_' || c == '+' || c == '/' {
			if run++; run >= 24 {
				return true
			}
			continue
		}
		run = 0
	}
	return false
}

// passwordsInURLs reports "scheme://user:password@host", in runs of visible
// bytes.
func passwordsInURLs(p *lint.Pass) {
	src := p.Doc.Source
	for at := 0; ; {
		i := strings.IndexByte(src[at:], '@')
		if i < 0 {
			return
		}
		from, to := at+i, at+i+1
		for from > at && src[from-1] > ' ' {
			from--
		}
		for to < len(src) && src[to] > ' ' {
			to++
		}
		passwordInURL(p, from, to)
		at = to
	}
}

func passwordInURL(p *lint.Pass, from, to int) {
	run := p.Doc.Source[from:to]
	scheme := strings.Index(run, "://")
	if scheme < 0 {
		return
	}
	rest := run[scheme+3:]
	if end := strings.IndexAny(rest, "/?#`\"'<>()"); end >= 0 {
		rest = rest[:end]
	}
	at := strings.LastIndexByte(rest, '@')
	colon := strings.IndexByte(rest, ':')
	if colon <= 0 || at < colon {
		return
	}
	user, password := rest[:colon], rest[colon+1:at]
	if len(password) >= 6 && password != user && random(password, 2) && !commonWord(password) {
		start := from + scheme + 3 + colon + 1
		reportSecret(p, start, start+len(password), "a password in an address")
	}
}

// assignments reports values given to names that say what they are:
// "password: …", "API_KEY=…".
func assignments(p *lint.Pass) {
	src := p.Doc.Source
	for at := 0; at < len(src); {
		i := nextAssignment(src, at)
		if i < 0 {
			return
		}
		at = i + 1
		if !secretName(src[:i]) {
			continue
		}
		from := at
		for from < len(src) && from < at+6 && strings.IndexByte(" *`\"'=", src[from]) >= 0 {
			from++
		}
		to := from
		for to < len(src) && src[to] > ' ' && strings.IndexByte("`\"',;<>|", src[to]) < 0 {
			to++
		}
		value := strings.TrimRight(src[from:to], ".)*")
		if value == "" {
			continue
		}
		if n, _ := tokenAt(value); n == 0 && secretValue(value) {
			reportSecret(p, from, from+len(value), "a password or key")
		}
	}
}

// nextAssignment is the offset of the next colon or equals sign, or -1.
func nextAssignment(src string, at int) int {
	colon := strings.IndexByte(src[at:], ':')
	end := len(src)
	if colon >= 0 {
		end = at + colon
	}
	if equals := strings.IndexByte(src[at:end], '='); equals >= 0 {
		return at + equals
	}
	if colon < 0 {
		return -1
	}
	return end
}

// secretName reports whether text ends with a name for something secret.
func secretName(text string) bool {
	end := len(text)
	for end > 0 && (text[end-1] == ' ' || text[end-1] == '*' || text[end-1] == '`' || text[end-1] == '"' || text[end-1] == '\'') {
		end--
	}
	if end < len("pwd") {
		return false
	}
	switch text = text[:end]; text[end-1] | 0x20 {
	case 'd', 't', 'n', 'y':
	default:
		return false
	}
	for _, name := range [...]string{"password", "passwd", "pwd", "secret", "token", "api_key", "apikey", "api-key", "api key", "access_key", "access key", "secret_key", "private_key"} {
		if len(text) >= len(name) && text[len(text)-1]|0x20 == name[len(name)-1] && strings.EqualFold(text[len(text)-len(name):], name) {
			return true
		}
	}
	return false
}

// secretValue reports whether a value is one that nobody would write but as a
// password: no code, no path, no words, letters and digits mixed.
func secretValue(s string) bool {
	if len(s) < 8 || len(s) > 512 || strings.ContainsAny(s, "(){}[]$\\") || commonWord(s) || prose.LikelyPath(s) {
		return false
	}
	digits, letters, upper, lower, other := 0, 0, 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z':
			letters, lower = letters+1, lower+1
		case 'A' <= c && c <= 'Z':
			letters, upper = letters+1, upper+1
		case c >= 0x80:
			return false
		case c != '_' && c != '-' && c != '.':
			other++
		}
	}
	if digits < 2 || letters < 2 {
		return false
	}
	if len(s) < 16 && (upper == 0 || lower == 0) && other == 0 {
		return false // "session2", "step-12b": an identifier
	}
	if strings.ContainsAny(s, "_.-") && digits*5 < len(s) {
		return false // words with a number: an identifier
	}
	return random(s, 2.8)
}

// random reports whether a text has no mark of a placeholder and at least
// least bits of entropy a byte.
func random(s string, least float64) bool {
	for _, mark := range [...]string{"xxxx", "example", "placeholder", "your", "dummy", "redacted", "changeme", "****", "....", "…",
		"fake", "sample", "${", "$(", "<", "{{", "%s", "12345678", "abcdefgh"} {
		if containsFold(s, mark) {
			return false
		}
	}
	return entropy(s) >= least
}

// commonWord knows the passwords of documentation.
func commonWord(s string) bool {
	for _, w := range [...]string{"password", "passwd", "secret", "postgres", "hunter2", "letmein", "changeit", "password1", "password123", "secret123", "mysecret", "mypassword"} {
		if strings.EqualFold(s, w) {
			return true
		}
	}
	return strings.HasPrefix(s, "$") || strings.HasPrefix(s, "%")
}

func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// entropy is the number of bits a byte of s holds, by how often each occurs.
func entropy(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			share := float64(n) / float64(len(s))
			bits -= share * math.Log2(share)
		}
	}
	return bits
}
