package secret

import (
	"strings"

	"handoff/internal/text/prose"
)

// This file finds passwords that a person chose, which look like words. Only the place shows
// that they are secret: after a name that is for nothing else, in a variable of a program, in
// an option. The value must not be one of documentation.

// passwordNames are names for nothing but a password. "Token" and "secret" also are names of
// other things.
var passwordNames = [...]string{"password", "passwd", "passphrase", "pgpass", "pwd"}

// passwordName is the name for a password with which text ends, "" for none.
func passwordName(text string) string {
	text = unmarked(text)
	for _, name := range passwordNames {
		if endsWith(text, name) {
			return name
		}
	}
	return foreignName(text)
}

// chosen reports whether a value may be a password that a person chose. With a digit or a
// sign in it, it is not prose; strict places allow a word, too.
func chosen(value string, strict bool) bool {
	if len(value) < 6 || len(value) > 128 || placeholder(value) || commonWord(value) || strings.ContainsAny(value, "(){}[]$\\<>") ||
		prose.LikelyPath(value) && !strings.ContainsAny(value, "!@#%^&+=") || strings.Contains(value, "://") {
		return false
	}
	letters, digits, signs := 0, 0, 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c >= 0x80 || c < ' ':
			return false
		case '0' <= c && c <= '9':
			digits++
		case letter(c):
			letters++
		case c != '-' && c != '_' && c != '.':
			signs++
		}
	}
	if strict {
		return letters+digits >= 4 && !undecided(value)
	}
	return letters >= 2 && (digits >= 2 && (signs > 0 || len(value) >= 8) || digits >= 1 && signs >= 1) && !wordThenNumber(value)
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// undecided are words that stand where a password would: the kind of a value, or a state.
func undecided(value string) bool {
	return prose.OneOf(value, "string", "required", "optional", "default", "prompt", "stdin", "enabled", "disabled", "hashed", "undefined", "invalid",
		"missing", "hidden", "masked", "incorrect", "correct", "unknown", "reset", "changed", "expired", "bcrypt", "argon2", "argon2id", "scrypt", "sha256", "base64",
		"SECRET", "PASSWORD", "notset", "not-set", "not_set", "varchar", "boolean", "integer", "number", "process", "request", "config", "option", "options", "value")
}

// wordThenNumber reports whether a value is an identifier: "session2", "step-12", "v1.2.3".
func wordThenNumber(value string) bool {
	word := strings.TrimRight(value, "0123456789.")
	return len(value)-len(word) <= 2 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-_.") == "" || strings.Trim(value, "0123456789.:-vVTZ") == ""
}

// longestValue and longestHeader are how many bytes of a value or of a header are read. Without
// a limit, a line of names and colons would take quadratic time.
const (
	longestLine   = 200 // in which a password is: one of more than 128 bytes is another value
	longestValue  = 600
	longestHeader = 8 << 10
)

// valueAt is the value after an offset, on the same line: what is in quotes, else up to a
// blank or a mark that ends a sentence.
func valueAt(src string, at int) (from, to int) {
	src = src[:min(len(src), at+longestValue)]
	for at < len(src) && strings.IndexByte(" *\t", src[at]) >= 0 {
		at++
	}
	if at < len(src) && strings.IndexByte("\"'`", src[at]) >= 0 {
		quote := src[at]
		end := strings.IndexByte(src[at+1:], quote)
		if line := strings.IndexByte(src[at+1:], '\n'); end >= 0 && (line < 0 || end < line) {
			return at + 1, at + 1 + end
		}
		at++
	}
	to = at
	for to < len(src) && src[to] > ' ' && strings.IndexByte("`\"',;<>|", src[to]) < 0 {
		to++
	}
	return at, at + len(strings.TrimRight(src[at:to], ".)*:"))
}

// shortName is one of the short names for a password with which text ends, as a word of its
// own: tests pass, and a bypass is something else.
func shortName(text string) string {
	text = unmarked(text)
	for _, name := range [...]string{"pass", "pw"} {
		if before := len(text) - len(name); before >= 0 && strings.EqualFold(text[before:], name) && (before == 0 || !letter(text[before-1])) {
			return name
		}
	}
	return ""
}

// spoken reports the value after a name for a password, which ends at an offset: after a
// colon or an equals sign. A variable of the environment, NAME=value, holds nothing else, nor
// does a line with nothing else in it.
func (s *secrets) spoken(at int) { s.spokenValue(at, at+1) }

// wideColon is the colon of Chinese, Japanese and Korean texts.
const wideColon = "："

// wideColons reports what [secrets.spoken] does after such colons.
func (s *secrets) wideColons() {
	for at := 0; ; at += len(wideColon) {
		next := strings.Index(s.src[at:], wideColon)
		if next < 0 {
			return
		}
		at += next
		s.spokenValue(at, at+len(wideColon))
	}
}

// spokenValue is spoken with the end of the colon.
func (s *secrets) spokenValue(at, after int) {
	name, short := passwordName(s.src[:at]), shortName(s.src[:at])
	if name == "" && (short == "" || s.src[at] == ':' && s.src[at-1] < 'a') { // PASS: TestX
		return
	}
	from, to := valueAt(s.src[:min(len(s.src), at+longestLine)], after)
	value := s.src[from:to]
	quote := byte(' ')
	if to < len(s.src) && from > 0 && s.src[to] == s.src[from-1] {
		quote = s.src[to]
	}
	strict := s.src[at] == '=' && at > 0 && s.src[at-1] >= 'A' && s.src[at-1] <= 'Z' && (from == after || from == after+1 && quote != ' ')
	switch blanks := strings.ContainsAny(value, " \t"); {
	case name == "passphrase" && blanks && quote == '`' && !placeholder(value):
		s.add(from, to, "a passphrase")
	case blanks:
	case name != "" && (chosen(value, strict) || word(value) && (quote == '`' || (s.src[at] != '=' || from == after) && aloneOnLine(s.src, at-len(name), from, to))),
		name == "" && (strict && chosen(value, true) || signed(value)):
		s.add(from, to, "a password")
	}
}

// spokenOption reports the value of an option that is for a password: "--password X", and
// what some programs have for it, such as "-pX" of MySQL.
func (s *secrets) spokenOption(option, end int, name string) {
	if end < len(s.src) && (s.src[end] == ' ' || s.src[end] == '=') && end-option > len(name)+1 && passwordName(name) != "" {
		from, to := valueAt(s.src, end+1)
		if value := s.src[from:to]; !strings.HasPrefix(value, "-") && !strings.ContainsAny(value, " \t") && chosen(value, true) {
			s.add(from, to, "a password")
		}
		return
	}
	if at := s.passwordOf(option); at >= 0 {
		from, to := valueAt(s.src, at)
		if value := s.src[from:to]; chosen(value, true) {
			s.add(from, to, "a password")
		}
	}
}

// cookies reports the values of a header that look drawn: sessions, not settings.
func (s *secrets) cookies(at int) {
	if at < s.header {
		return // in a header that was read
	}
	line := s.src[at+1 : min(len(s.src), at+longestHeader)]
	if end := strings.IndexAny(line, "\n`\""); end >= 0 {
		line = line[:end]
	}
	s.header = at + 1 + len(line)
	for start := 0; start < len(line); {
		end := strings.IndexByte(line[start:], ';')
		if end < 0 {
			end = len(line) - start
		}
		end += start
		if name, value, ok := strings.Cut(line[start:end], "="); ok {
			value = strings.Trim(strings.TrimRight(value, " '"), `"`)
			from := at + 1 + start + len(name) + 1
			if n, _ := tokenAt(value); n == 0 && len(value) >= 12 && drawnValue(value) {
				s.add(from, from+len(value), "a session cookie")
			}
		}
		start = end + 1
	}
}

// drawnValue reports whether the value of a cookie identifies a session.
func drawnValue(value string) bool {
	body := strings.TrimPrefix(strings.ReplaceAll(value, "%3A", ":"), "s:")
	return random(body) && strings.IndexByte(body, ' ') < 0
}
