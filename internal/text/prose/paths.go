package prose

import (
	"iter"
	"path"
	"strconv"
	"strings"
)

// Path is a path that a line of a document names.
type Path struct {
	Text string // "specs/870_zorn/plans/x.md", without line numbers and punctuation
	Line int    // of "x.go:12"; 0 when none is given
	From int    // byte offset in the line
	To   int    // behind the path and its line number
}

// Paths yields the paths of a line: in code spans, in links and bare. What
// has blanks within is no path for certain and left out, and so is what
// stands for many paths or for an unnamed one.
func Paths(text string) iter.Seq[Path] {
	return func(yield func(Path) bool) {
		for at := 0; at < len(text); {
			from, to := nextToken(text, at)
			if from == to {
				return
			}
			if p, ok := asPath(text[from:to]); ok {
				p.From, p.To = p.From+from, p.To+from
				if !yield(p) {
					return
				}
			}
			at = to
		}
	}
}

// endsToken holds the bytes that no path has, as far as prose goes.
var endsToken = [256]bool{' ': true, '\t': true, '\n': true, '`': true, '[': true, ']': true, '(': true, ')': true, '|': true}

// nextToken is the next run of bytes that can be a path: a code span's
// content without its backticks, or what stands between blanks, backticks and
// the brackets of a link.
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
		if end-run > at+run { // a span that closes
			if inner := text[at+run : end-run]; strings.IndexByte(strings.TrimSpace(inner), ' ') < 0 {
				return at + run, end - run
			}
		}
		at = end
	}
	from = at
	for at < len(text) && !endsToken[text[at]] {
		at++
	}
	return from, at
}

// asPath reads a token as a path.
func asPath(token string) (p Path, ok bool) {
	if strings.IndexByte(token, '/') < 0 && strings.IndexByte(token, '.') <= 0 {
		return p, false
	}
	trimmed := TrimLeft(token, "\"'*_<,;:")
	p.From = len(token) - len(trimmed)
	trimmed = TrimRight(trimmed, "\"'*_>.,;:!?")
	p.To = p.From + len(trimmed)
	name, behind, ok := splitPath(trimmed)
	if !ok || !LikelyPath(name) || strings.Contains(behind, "://") {
		return p, false
	}
	p.Text = name
	if behind != "" && behind[0] == ':' {
		p.Line = LeadingNumber(behind[1:])
		return p, DigitAt(behind, 1)
	}
	return p, true
}

// splitPath cuts a path from its line number and anchor. ok is false for
// patterns, variables and code, and where a part is left out.
func splitPath(s string) (name, behind string, ok bool) {
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

// oddInPath holds the bytes of a path that need a closer look.
var oddInPath = [256]bool{'*': true, '{': true, '}': true, '<': true, '>': true, '$': true, '=': true, '|': true,
	'\\': true, '"': true, '\'': true, '#': true, ':': true, '.': true, 0xe2: true}

func LeadingNumber(s string) int {
	n := 0
	for n < len(s) && n < 9 && DigitAt(s, n) {
		n++
	}
	number, _ := strconv.Atoi(s[:n])
	return number
}

// LikelyPath reports whether a word is a path and not prose: "even/odd" and
// "HTTP/2" are prose, "src/main.go", "go.mod" and "specs/259_x/plans" are not.
func LikelyPath(s string) bool {
	base := path.Base(s)
	if strings.HasPrefix(s, "specs/") || strings.HasPrefix(s, "/") && strings.Count(s, "/") > 1 {
		return len(base) > 0
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 || dot == 0 && strings.IndexByte(s, '/') < 0 {
		return false
	}
	if extension := base[dot+1:]; strings.IndexByte(s, '/') < 0 {
		return knownExtension(extension)
	} else {
		return plainExtension(extension)
	}
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

// knownExtension knows what files are called that agents work on. A word with
// a dot and another ending is a method or a module as likely as a file.
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
