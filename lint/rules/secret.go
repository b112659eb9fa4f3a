package rules

import (
	"strings"

	"handoff/internal/prose"
	"handoff/lint"
)

// Secret flags what looks like a key, a token or a password.
var Secret = lint.Rule{
	Name:     "secret",
	Severity: lint.Error,
	Check:    secret,
}

func secret(p *lint.Pass) {
	src := p.Doc.Source
	eachLongRun(src, func(from, to int) {
		for at := from; at < to; at++ {
			if !tokenLetter[src[at]] || !opensToken(src[at:to]) || at > from && tokenByte(src[at-1]) {
				continue
			}
			if n, kind := tokenAt(src[at:to]); n > 0 {
				reportSecret(p, at, at+n, kind)
				at += n
			}
		}
		passwordInURL(p, from, to)
	})
	privateKeys(p)
	assignments(p)
}

// reportSecret says what was found and where, and nothing of the secret.
func reportSecret(p *lint.Pass, from, to int, kind string) {
	reportBytes(p, from, to, "this looks like "+kind+": take it out, revoke it, and say where the new one is kept")
}

// shortestRun is the length of the shortest run of visible characters that a
// token or an address with a password makes.
const shortestRun = 16

// eachLongRun calls f for every run of at least shortestRun visible bytes. It
// looks at every sixteenth byte and goes back to the blank before it, so most
// of a document is never read.
func eachLongRun(src string, f func(from, to int)) {
	for at := shortestRun - 1; at < len(src); {
		from := at
		for from > at-shortestRun+1 && src[from] > ' ' {
			from--
		}
		if src[from] <= ' ' {
			at = from + shortestRun
			continue
		}
		for from > 0 && src[from-1] > ' ' {
			from--
		}
		to := at + 1
		for to < len(src) && src[to] > ' ' {
			to++
		}
		f(from, to)
		at = to + shortestRun
	}
}

// tokenByte reports whether a byte can stand within a token.
func tokenByte(c byte) bool { return prose.WordByte(c) && c < 0x80 || c == '-' }

// tokenKind is a kind of token that shows by how it begins.
type tokenKind struct {
	prefix string
	least  int // fewest bytes behind the prefix
	most   int // most bytes behind it
	upper  bool
	name   string
}

const anyLength = 4096

var tokenKinds = [...]tokenKind{
	{"AKIA", 16, 16, true, "an AWS access key"},
	{"ASIA", 16, 16, true, "an AWS access key"},
	{"ghp_", 36, anyLength, false, "a GitHub token"},
	{"gho_", 36, anyLength, false, "a GitHub token"},
	{"ghs_", 36, anyLength, false, "a GitHub token"},
	{"ghu_", 36, anyLength, false, "a GitHub token"},
	{"ghr_", 36, anyLength, false, "a GitHub token"},
	{"github_pat_", 22, anyLength, false, "a GitHub token"},
	{"glpat-", 20, anyLength, false, "a GitLab token"},
	{"xoxa-", 10, anyLength, false, "a Slack token"},
	{"xoxb-", 10, anyLength, false, "a Slack token"},
	{"xoxp-", 10, anyLength, false, "a Slack token"},
	{"xoxr-", 10, anyLength, false, "a Slack token"},
	{"xoxs-", 10, anyLength, false, "a Slack token"},
	{"AIza", 35, 35, false, "a Google API key"},
	{"sk-", 20, anyLength, false, "an API key"},
	{"sk_live_", 16, anyLength, false, "a Stripe key"},
	{"rk_live_", 16, anyLength, false, "a Stripe key"},
	{"npm_", 36, 36, false, "an npm token"},
	{"pypi-", 50, anyLength, false, "a PyPI token"},
}

// tokenAt is the length and the kind of the token that opens text, 0 when
// none does.
func tokenAt(text string) (n int, kind string) {
	for i := range tokenKinds {
		k := &tokenKinds[i]
		if !strings.HasPrefix(text, k.prefix) {
			continue
		}
		end := len(k.prefix)
		for end < len(text) && tokenByte(text[end]) {
			end++
		}
		body := text[len(k.prefix):end]
		if len(body) >= k.least && len(body) <= k.most && !(k.upper && strings.ToUpper(body) != body) && random(body, 3) && mixed(body) {
			return end, k.name
		}
	}
	return webToken(text)
}

// tokenLetter holds the letters that tokens begin with.
var tokenLetter = [256]bool{'A': true, 'e': true, 'g': true, 'n': true, 'p': true, 'r': true, 's': true, 'x': true}

// opensToken is the cheap test before tokenAt, by the first two letters.
func opensToken(text string) bool {
	if len(text) < shortestRun {
		return false
	}
	switch text[0] {
	case 'A':
		return text[1] == 'K' || text[1] == 'S' || text[1] == 'I'
	case 'g':
		return text[1] == 'h' || text[1] == 'i' || text[1] == 'l'
	case 's', 'r':
		return text[1] == 'k'
	case 'x':
		return text[1] == 'o'
	case 'n':
		return text[1] == 'p'
	case 'p', 'e':
		return text[1] == 'y'
	}
	return false
}

// mixed tells a random body from words with dashes between: it holds digits,
// and capitals or a long piece without a dash.
func mixed(body string) bool {
	digits, upper, piece, longest := 0, false, 0, 0
	for i := 0; i < len(body); i++ {
		piece++
		switch c := body[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'A' <= c && c <= 'Z':
			upper = true
		case c == '-' || c == '_':
			piece = 0
		}
		longest = max(longest, piece)
	}
	return digits >= 2 && (upper || longest >= 20)
}

// webToken knows a JSON web token: three parts, the first two of which open
// with a JSON object in base64.
func webToken(text string) (n int, kind string) {
	if !strings.HasPrefix(text, "eyJ") {
		return 0, ""
	}
	end, part, parts := 0, 0, 1
	for ; end < len(text) && (tokenByte(text[end]) || text[end] == '.'); end++ {
		if text[end] != '.' {
			continue
		}
		if end-part < 10 || parts == 3 || parts == 1 && !strings.HasPrefix(text[end+1:], "eyJ") {
			break
		}
		parts, part = parts+1, end+1
	}
	if parts < 3 || end-part < 10 || !random(text[:end], 3) {
		return 0, ""
	}
	return end, "a JSON web token"
}
