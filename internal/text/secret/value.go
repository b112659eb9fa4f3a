package secret

import (
	"strings"

	"handoff/internal/text/prose"
)

// This file finds secrets without a known prefix: key blocks, passwords in URLs, and
// values of names such as "password". Each must look random: otherwise every line about
// passwords would be reported.

// privateKeys reports PEM and PGP blocks. Their first line alone is not a secret.
func (s *secrets) privateKeys() {
	src := s.src
	for at := 0; ; {
		i := strings.Index(src[at:], "PRIVATE KEY")
		if i < 0 {
			break
		}
		end := at + i + len("PRIVATE KEY")
		from := strings.LastIndex(src[at:end], "-----BEGIN")
		rest, isPEM := strings.CutPrefix(strings.TrimPrefix(src[end:], " BLOCK"), "-----")
		if from >= 0 && isPEM && keyFollows(rest) {
			end := len(src) - len(rest)
			s.found = append(s.found, Found{at + from, end, afterKey(src, end, "-----END"), "a private key"})
		}
		at = end
	}
}

// afterKey is the end of the key whose first line ends at an offset: at the mark, or at
// the end of the paragraph.
func afterKey(src string, at int, mark string) int {
	if i := strings.Index(src[at:], mark); i >= 0 {
		return at + i
	}
	if i := strings.Index(src[at:], "\n\n"); i >= 0 {
		return at + i
	}
	return len(src)
}

// keyFollows reports whether a long run of base64 follows soon.
func keyFollows(text string) bool {
	run := 0
	for i := 0; i < len(text) && i < 400; i++ {
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

// passwordsInURLs reports "scheme://user:password@host" in runs of visible bytes.
func (s *secrets) passwordsInURLs() {
	src := s.src
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
		s.passwordInURL(from, to)
		at = to
	}
}

func (s *secrets) passwordInURL(from, to int) {
	run := s.src[from:to]
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
	if colon < 0 || at < colon {
		return
	}
	user, password := rest[:colon], rest[colon+1:at]
	if writtenPassword(user, password) {
		start := from + scheme + 3 + colon + 1
		s.add(start, start+len(password), "a password in an address")
	}
}

// named reports the value after a colon or an equals sign at an offset, if the name
// before it is one of a secret: "password: …", "API_KEY=…".
func (s *secrets) named(at int) {
	before := s.src[:at]
	name := unmarked(before)
	may := mayName(name)
	switch {
	case may && secretName(name):
		s.assigned(at + 1)
		s.spoken(at)
	case may && (passwordName(name) != "" || shortName(name) != ""):
		s.spoken(at)
	case s.src[at] == ':' && (endsWith(before, "cookie")):
		s.cookies(at)
	case strings.HasSuffix(before, "uthorization"):
		s.authorization(at + 1)
	case strings.HasSuffix(before, "Private-Lines") && keyFollows(s.src[at:]): // a PuTTY key file
		s.found = append(s.found, Found{at - len("Private-Lines"), at, afterKey(s.src, at, "Private-MAC"), "a private key"})
	}
}

// option reports the value of a command option that begins at an offset: "--token …",
// and curl's "-u user:password". It returns the length of the option's name.
func (s *secrets) option(at int) int {
	end := at
	for end < len(s.src) && tokenByte(s.src[end]) {
		end++
	}
	name := strings.TrimLeft(s.src[at:end], "-")
	if at > 0 && s.src[at-1] <= ' ' {
		s.spokenOption(at, end, name)
	}
	switch {
	case at == 0 || s.src[at-1] > ' ' || end == len(s.src) || s.src[end] != ' ' && s.src[end] != '=':
	case name == "u" || name == "user":
		s.curlUser(at, end+1)
	case s.src[end] == ' ' && end-at > len(name)+1 && secretName(name):
		s.assigned(end)
	}
	return max(0, end-at-1)
}

// assigned reports the value after an offset if it looks secret and is not a token with
// a known prefix, which is reported anyway.
func (s *secrets) assigned(from int) {
	src := s.src[:min(len(s.src), from+longestValue)]
	limit := from + 6
	for from < len(src) && from < limit && strings.IndexByte(" *`\"'=", src[from]) >= 0 {
		from++
	}
	to := from
	for to < len(src) && src[to] > ' ' && strings.IndexByte("`\"',;<>|", src[to]) < 0 {
		to++
	}
	value := strings.TrimRight(src[from:to], ".)*")
	if value == "" {
		return
	}
	if n, _ := tokenAt(value); n == 0 && (secretValue(value) || from > 0 && src[from-1] == '=' && spelled(value)) {
		s.add(from, from+len(value), "a password or key")
	}
}

// unmarked is a text without the blanks and marks at its end, which are between a name and its colon.
func unmarked(text string) string {
	for text != "" {
		switch text[len(text)-1] {
		case ' ', '*', '`', '"', '\'':
			text = text[:len(text)-1]
		default:
			return text
		}
	}
	return ""
}

// nameEnds are the letters before the last one of all names, by the last one.
var nameEnds = [0x80]string{'a': "hn", 'd': "rw", 'e': "s", 'l': "a", 'n': "e", 'o': "s", 'p': "d", 's': "s", 't': "er", 'w': "p", 'y': "e"}

// mayName is a fast check before [secretName], [passwordName] and [shortName]: false for most names of other things.
func mayName(text string) bool {
	end := len(text) - 1
	at := end - 1
	for at > 0 && (text[at] == '_' || text[at] == '-' || text[at] == ' ') {
		at--
	}
	if at < 0 || text[end] >= 0x80 || text[at] >= 0x80 {
		return at >= 0
	}
	return strings.IndexByte(nameEnds[text[end]|0x20], text[at]|0x20) >= 0
}

// secretNames are names for something secret.
var secretNames = [...]string{"password", "passwd", "pwd", "passphrase", "secret", "token", "credential",
	"apikey", "accesskey", "secretkey", "privatekey", "signingkey", "encryptionkey", "accountkey", "authkey", "masterkey"}

// secretName reports whether text ends with a name for something secret.
func secretName(text string) bool {
	text = unmarked(text)
	if text == "" {
		return false
	}
	switch text[len(text)-1] | 0x20 {
	case 'd', 't', 'n', 'y', 'e', 'l':
	default:
		return false
	}
	for _, name := range secretNames {
		if endsWith(text, name) {
			return true
		}
	}
	return false
}

// endsWith reports whether text ends with a lowercase name, ignoring case and separators:
// "apikey" is the end of "X_API_KEY", "api-key" and "ApiKey".
func endsWith(text, name string) bool {
	t := len(text)
	for n := len(name) - 1; n >= 0; {
		if t--; t < 0 {
			return false
		}
		switch c := text[t]; {
		case c|0x20 == name[n]:
			n--
		case n == len(name)-1 || c != '_' && c != '-' && c != ' ':
			return false
		}
	}
	return true
}

// secretValue reports whether a value can only be a password: not code, a path or words,
// but mixed letters and digits.
func secretValue(s string) bool {
	if len(s) < 8 || len(s) > 512 || strings.ContainsAny(s, "(){}[]$\\") || commonWord(s) {
		return false
	}
	if len(s) >= 32 && random(s) && len(bodyAt(s, &base64Chars)) == len(s) {
		return true // slashes and all
	}
	if prose.LikelyPath(s) || strings.HasPrefix(s, "~/") {
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
		return len(s) >= 16 && random(s)
	}
	if len(s) < 16 && (upper == 0 || lower == 0) && other == 0 {
		return false // "session2", "step-12b": an identifier
	}
	if strings.ContainsAny(s, "_.-") && digits*5 < len(s) && !random(s) {
		return false // words with a number: an identifier
	}
	return entropy(s) >= 2.8 && !placeholder(s)
}
