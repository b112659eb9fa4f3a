package prose

import (
	"iter"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Path is a path in a line of a document.
type Path struct {
	Text string // "specs/870_zorn/plans/x.md", without line numbers and punctuation
	Line int    // of "x.go:12", 0 for none
	From int    // byte offset in the line
	To   int    // after the path and its line number
}

// Paths yields the paths of a line: in code spans, in links and in plain text. Text
// with blanks may not be a path, so it is left out, and so are patterns and
// placeholders.
func Paths(text string) iter.Seq[Path] {
	return func(yield func(Path) bool) {
		for at := 0; at < len(text); {
			from, to := nextToken(text, at)
			if from == to {
				return
			}
			if p, ok := asPath(text[from:to]); ok {
				p.From, p.To = p.From+from, p.To+from
				if strings.IndexByte(p.Text, '%') >= 0 && strings.HasSuffix(strings.TrimSuffix(text[:from], "<"), "](") {
					p.Text = unescaped(p.Text)
				}
				if !yield(p) {
					return
				}
			}
			at = to
		}
	}
}

// unescaped is the path that the address of a link has: %20 is a blank there.
func unescaped(s string) string {
	plain, err := url.PathUnescape(s)
	if err != nil || !utf8.ValidString(plain) || strings.ContainsFunc(plain, unicode.IsControl) {
		return s
	}
	return plain
}

// endsToken is the bytes that end a path in prose.
var endsToken = [256]bool{' ': true, '\t': true, '\n': true, '`': true, '[': true, ']': true, '(': true, ')': true, '|': true}

// nextToken is the next run of bytes that may be a path: the content of a code span, the
// address of a link, or the text between blanks, backticks and the brackets of a link.
func nextToken(text string, at int) (from, to int) {
	for at < len(text) && endsToken[text[at]] {
		if text[at] != '`' {
			at++
			continue
		}
		end := AfterCode(text, at)
		run := 1
		for at+run < end && text[at+run] == '`' {
			run++
		}
		if end-run > at+run { // the span is closed
			if inner := text[at+run : end-run]; strings.IndexByte(strings.TrimSpace(inner), ' ') < 0 {
				return at + run, end - run
			}
		}
		at = end
	}
	if at < len(text) && text[at] == '<' && strings.HasSuffix(text[:at], "](") { // an address that may have blanks
		if end := strings.IndexByte(text[at:], '>'); end > 1 {
			return at + 1, at + end
		}
	}
	from = at
	for at < len(text) && !endsToken[text[at]] {
		at++
	}
	return from, at
}

// asPath parses a token as a path.
func asPath(token string) (p Path, ok bool) {
	if strings.IndexByte(token, '/') < 0 && strings.IndexByte(token, '.') <= 0 {
		return p, false
	}
	trimmed := TrimLeft(token, "\"'*_<,;:")
	p.From = len(token) - len(trimmed)
	trimmed = TrimRight(trimmed, "\"'*_>.,;:!?")
	p.To = p.From + len(trimmed)
	name, after, ok := splitPath(trimmed)
	if !ok || !LikelyPath(name) || strings.Contains(after, "://") {
		return p, false
	}
	p.Text = name
	if after != "" && after[0] == ':' {
		p.Line = LeadingNumber(after[1:])
		return p, DigitAt(after, 1)
	}
	return p, true
}

// splitPath separates a path from the line number or anchor after it. ok is false for
// patterns, variables, code, and paths with an ellipsis.
func splitPath(s string) (name, after string, ok bool) {
	end := len(s)
	for i := 0; i < len(s); i++ {
		if !oddInPath[s[i]] {
			continue
		}
		switch c := s[i]; {
		case c == '#' || c == ':':
			end = min(end, i)
		case c != '.' && c != 0xe2 || strings.HasPrefix(s[i:], "...") || strings.HasPrefix(s[i:], "…"):
			return "", "", false
		}
	}
	return s[:end], s[end:], true
}

// oddInPath is the bytes of a path that need a closer look.
var oddInPath = [256]bool{'*': true, '{': true, '}': true, '<': true, '>': true, '$': true, '=': true, '|': true,
	'\\': true, '"': true, '\'': true, '#': true, ':': true, '.': true, 0xe2: true}

// LeadingNumber is the number at the start of s, of at most 9 digits; 0 for none.
func LeadingNumber(s string) int {
	n := 0
	for n < len(s) && n < 9 && DigitAt(s, n) {
		n++
	}
	number, _ := strconv.Atoi(s[:n])
	return number
}

// LikelyPath reports whether a word is a path: "src/main.go", "go.mod" and
// "specs/259_x/plans" are, "even/odd" and "HTTP/2" are not.
func LikelyPath(s string) bool {
	base := path.Base(s)
	if strings.HasPrefix(s, "specs/") || strings.HasPrefix(s, "/") && strings.Count(s, "/") > 1 {
		return len(base) > 0
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 || dot == 0 && strings.IndexByte(s, '/') < 0 {
		return false
	}
	if strings.IndexByte(s, '/') < 0 {
		return knownExtension(base[dot+1:])
	}
	return plainExtension(base[dot+1:])
}

func plainExtension(s string) bool {
	if s == "" || len(s) > 8 || DigitAt(s, 0) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !WordByte(s[i]) || s[i] == '_' {
			return false
		}
	}
	return true
}

// knownExtension reports whether files that agents work on have this extension. Another
// word with a dot may as well be a method or a module.
func knownExtension(s string) bool {
	switch s {
	case "md", "txt", "go", "mod", "sum", "py", "lean", "js", "ts", "tsx", "jsx", "mjs", "json", "jsonl", "yaml", "yml",
		"toml", "rs", "c", "h", "cc", "cpp", "hpp", "java", "kt", "rb", "sh", "bash", "lua", "vim", "nix", "hs", "ml",
		"sql", "html", "css", "xml", "csv", "ini", "cfg", "conf", "lock", "tex", "swift", "cs", "php", "ex", "exs",
		"erl", "zig", "proto", "tf", "vue", "ipynb", "svg", "png", "pdf", "log":
		return true
	}
	return false
}
