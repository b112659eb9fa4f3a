package secret

import (
	"strings"

	"handoff/internal/text/eight"
)

// tokens reports tokens with a known prefix.
func (s *secrets) tokens() {
	src := s.src
	for at := 0; ; {
		from, to := nextLongRun(src, at)
		if from < 0 {
			return
		}
		start, n, kind := tokenIn(src, at, from)
		if n > 0 {
			s.add(start, start+n, kind)
		}
		at = max(to, start+n)
	}
}

// shortestRun is the length of the shortest run of token bytes in any token.
const shortestRun = 15

// nextLongRun finds the next run of at least shortestRun token bytes; from is -1 if
// there is none. Such a run contains a whole block of eight bytes, counted from the
// start, and most blocks of prose have a blank or a comma.
func nextLongRun(src string, at int) (from, to int) {
	start := at
	for ; at+8 <= len(src); at += 8 {
		if eight.Below(eight.Bytes(src, at), '-') != 0 || !tokenByte(src[at]) || !tokenByte(src[at+3]) || !tokenByte(src[at+7]) {
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

// tokenByte reports whether c is an ASCII letter, a digit, a dash or an
// underscore.
func tokenByte(c byte) bool { return tokenChars.has(c) }

// tokenIn is the token that contains the run at from. Some prefixes have dots ("SG.",
// "dp.pt."), which end a run, so the token may start before from, but not before at.
func tokenIn(src string, at, from int) (start, n int, kind string) {
	starts := [3]int{from}
	count := 1
	for ; count < len(starts); count++ {
		start = starts[count-1] - 1
		if start <= at || src[start] != '.' {
			break
		}
		for start > at && start > from-shortestRun && tokenByte(src[start-1]) {
			start--
		}
		starts[count] = start
	}
	for i := count - 1; i >= 0; i-- {
		if n, kind = tokenAt(src[starts[i]:]); n > 0 {
			return starts[i], n, kind
		}
	}
	return from, 0, ""
}

// tokenAt is the length and the kind of the token at the start of text, 0 for none.
func tokenAt(text string) (n int, kind string) {
	by := kindsByByte()
	if text == "" || int(text[0]) >= len(by) {
		return 0, ""
	}
	for i := range by[text[0]] {
		k := &by[text[0]][i]
		rest, ok := strings.CutPrefix(text, k.prefix)
		if !ok {
			continue
		}
		if body := bodyAt(rest, k.body); k.fits(body, body) {
			return len(k.prefix) + len(body), k.name
		}
	}
	if n = natsSeed(text); n > 0 {
		return n, "a NATS seed"
	}
	if n = dottedToken3(text); n > 0 {
		return n, "a Discord bot token"
	}
	return webToken(text)
}

// bodyAt is the longest prefix of text that consists of bytes of the set, without dots
// at its end, which end a sentence; "" if it ends in the middle of a word.
func bodyAt(text string, set *byteSet) string {
	end := 0
	for end < len(text) && set.has(text[end]) {
		end++
	}
	if end < len(text) && tokenByte(text[end]) {
		return ""
	}
	return strings.TrimRight(text[:end], ".")
}

// literals reports secrets around bytes that are rare in prose: tokens with a mark, and
// values of names such as "password".
func (s *secrets) literals() {
	for i := range literalKinds {
		mark, kinds := literalKinds[i].mark, literalKinds[i].kinds
		for at := 0; ; at++ {
			next := strings.IndexByte(s.src[at:], mark)
			if next < 0 {
				break
			}
			at += next
			for k := range kinds {
				kind := &kinds[k]
				if left := kind.left; left != "" && (at == 0 || s.src[at-1] != left[len(left)-1]) ||
					len(kind.prefix) > 1 && (at+1 == len(s.src) || s.src[at+1] != kind.prefix[1]) {
					continue // soon: most marks
				}
				s.literal(kind, at)
			}
			switch mark {
			case ':', '=':
				s.named(at)
			case '-':
				at += s.option(at)
			}
		}
	}
}

// literal reports a token of a kind whose mark is at an offset.
func (s *secrets) literal(k *literalKind, mark int) {
	if !strings.HasPrefix(s.src[mark:], k.prefix) || !strings.HasSuffix(s.src[:mark], k.left) {
		return
	}
	at := mark + len(k.prefix)
	body := bodyAt(s.src[at:], k.body)
	if start := k.start(s.src, mark-len(k.left)); start >= 0 && k.fits(body, s.src[start:mark]+body) {
		s.add(start, at+len(body), k.name)
	}
}

// start is the start of the token whose literal is at an offset, -1 if the text before
// the literal cannot belong to such a token.
func (k *literalKind) start(src string, literal int) int {
	start := literal
	if k.before == nil {
		if start > 0 && tokenByte(src[start]) && tokenByte(src[start-1]) {
			return -1
		}
		return start
	}
	for start > 0 && literal-start < 64 && k.before.has(src[start-1]) {
		start--
	}
	if literal-start < k.atLeast {
		return -1
	}
	return start
}

// webToken recognizes a JSON web token: three parts, the first two of which begin with a
// JSON object in base64.
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
	if parts < 3 || end-part < 10 || !random(text[:end]) {
		return 0, ""
	}
	return end, "a JSON web token"
}

// dottedToken3 is the length of a bot token of Discord at the start of text: the base64
// of a decimal id, 6 or 7 bytes, and a signature.
func dottedToken3(text string) int {
	if text[0] < 'M' || text[0] > 'O' {
		return 0
	}
	body := bodyAt(text, &dottedToken)
	first, rest, _ := strings.Cut(body, ".")
	second, third, ok := strings.Cut(rest, ".")
	if !ok || len(first) < 23 || len(first) > 28 || len(second) < 6 || len(second) > 7 || len(third) < 27 || len(third) > 38 ||
		strings.IndexByte(third, '.') >= 0 || !random(first) || !random(third) {
		return 0
	}
	return len(body)
}
