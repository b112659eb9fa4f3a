package rules

import (
	"fmt"
	"strings"

	"handoff/lint"
)

// elidedPath flags a path with a part left out, which cannot be opened.
func elidedPath(p *lint.Pass) {
	src := p.Doc.Source
	for at := 0; ; {
		i := nextElision(src, at)
		if i < 0 {
			return
		}
		from, to := i, i
		for from > 0 && pathByte(src[from-1]) {
			from--
		}
		for to < len(src) && pathByte(src[to]) {
			to++
		}
		at = to
		for to > i && strings.IndexByte(".,;:", src[to-1]) >= 0 {
			to--
		}
		text := src[from:to]
		if !strings.Contains(text, "://") && !isRoute(src[:from]) && !inFence(p, p.Doc.LineAt(i)) {
			reportBytes(p, from, to, fmt.Sprintf("%s leaves out part of the path: write the whole path", wholePath(text)))
		}
	}
}

// isRoute reports whether what follows a text is the path of an address: a method of HTTP is
// before it, or a command that gets one.
func isRoute(before string) bool {
	before = strings.TrimRight(before, " `")
	for _, method := range [...]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "gh api", "curl"} {
		if rest, ok := strings.CutSuffix(before, method); ok && (rest == "" || !pathByte(rest[len(rest)-1])) {
			return true
		}
	}
	return false
}

// nextElision is the offset of the slash of the next "…/x" or ".../x", or -1.
// Without a path after them, dots are a wildcard ("go test ./...") or prose.
func nextElision(src string, at int) int {
	for {
		i := strings.Index(src[at:], "/")
		if i < 0 {
			return -1
		}
		at += i
		before := src[:at]
		if (strings.HasSuffix(before, "...") || strings.HasSuffix(before, "…")) && at+1 < len(src) && pathByte(src[at+1]) && src[at+1] != '.' {
			return at
		}
		at++
	}
}

// pathByte reports whether a byte can be part of a path in prose.
func pathByte(c byte) bool {
	return c > ' ' && c != 0x7f && strings.IndexByte("`\"'()[]{}<>|*,;", c) < 0
}
