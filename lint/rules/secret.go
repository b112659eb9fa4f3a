package rules

import (
	"strings"

	"handoff/lint"
)

// Secret flags what looks like a key, a token or a password.
var Secret = lint.Rule{
	Name:     "secret",
	Severity: lint.Error,
	Check:    secret,
}

func secret(p *lint.Pass) {
	tokens(p)
	passwordsInURLs(p)
	privateKeys(p)
	assignments(p)
}

// reportSecret says what was found and where, and nothing of the secret.
func reportSecret(p *lint.Pass, from, to int, kind string) {
	reportBytes(p, from, to, "this looks like "+kind+": take it out, revoke it, and say where the new one is kept")
}

// tokens reports what shows by how it begins to be a token.
func tokens(p *lint.Pass) {
	src := p.Doc.Source
	for at := 0; ; {
		from, to := nextLongRun(src, at)
		if from < 0 {
			return
		}
		at = to
		if !opensToken(src[from:]) {
			continue
		}
		if n, kind := tokenAt(src[from:]); n > 0 {
			reportSecret(p, from, from+n, kind)
			at = from + n
		}
	}
}

// shortestRun is the length of the shortest run of token bytes that a token
// begins with.
const shortestRun = 15

// nextLongRun finds the next run of at least shortestRun token bytes; from is
// -1 when there is none. Such a run holds eight bytes in a row, counted from
// the start, and most of those of prose hold a blank or a comma.
func nextLongRun(src string, at int) (from, to int) {
	start := at
	for ; at+8 <= len(src); at += 8 {
		if below(eightBytes(src, at), '-') != 0 || !tokenByte(src[at]) || !tokenByte(src[at+3]) || !tokenByte(src[at+7]) {
			continue
		}
		for from = at; from > start && tokenByte(src[from-1]); {
			from--
		}
		for to = at; to < len(src) && tokenByte(src[to]); {
			to++
		}
		if to-from >= shortestRun {
			return from, to
		}
	}
	return -1, -1
}

// tokenBytes is the set of bytes that can stand within a token: ASCII letters
// and digits, dash and underline. Bit c%64 of element c/64 stands for byte c.
var tokenBytes = [4]uint64{1<<'-' | 0x3ff<<'0', 0x3ffffff<<('A'-64) | 1<<('_'-64) | 0x3ffffff<<('a'-64)}

func tokenByte(c byte) bool { return tokenBytes[c/64]>>(c%64)&1 != 0 }

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
