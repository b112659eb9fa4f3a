package secret

import (
	"strings"

	"handoff/internal/text/prose"
)

// This file finds passwords where a person passes them on: in a sentence, in a line of their
// own, as the argument of a program.

// stated reports the passwords in "the password is X" and "with password X". A sentence goes on
// with a word, so X must be in backticks, or have a digit and a sign.
func (s *secrets) stated() {
	const name, end = "ass", "word" // the end has rarer letters
	for at := 0; ; {
		i := strings.Index(s.src[at:], end)
		if i < 0 {
			return
		}
		at += i + len(end)
		if !strings.HasSuffix(s.src[:at-len(end)], name) {
			continue
		}
		s.says = true
		rest := strings.TrimLeft(s.src[at:min(len(s.src), at+3)], "*`\"'") // of "**Password** is"
		start := at + min(len(s.src)-at, 3) - len(rest)
		for _, verb := range [...]string{" is ", " was ", " set to ", " "} {
			if strings.HasPrefix(s.src[start:], verb) {
				s.statedAt(start+len(verb), verb != " ")
				break
			}
		}
	}
}

func (s *secrets) statedAt(at int, stated bool) {
	from, to := valueAt(s.src, at)
	value := s.src[from:to]
	quoted := stated && from > 0 && s.src[from-1] == '`'
	if !strings.ContainsAny(value, " \t") && (signed(value) || quoted && word(value)) {
		s.add(from, to, "a password")
	}
}

// signed reports whether a value has a digit and a sign that is rare in words.
func signed(value string) bool {
	return chosen(value, false) && strings.ContainsAny(value, "0123456789") && strings.ContainsAny(value, "!@#%^&*+?")
}

// word reports whether a value that stands alone may be a password, and not the name of
// something that has one.
func word(value string) bool {
	if !chosen(value, true) || strings.IndexByte(value, '.') >= 0 || strings.ContainsAny(value, "0123456789") && wordThenNumber(value) {
		return false
	}
	for _, name := range [...]string{"pass", "secret", "token", "key", "user", "auth", "hash", "crypt", "text", "field"} {
		if prose.IndexFold(value, name) >= 0 {
			return false
		}
	}
	return true
}

// aloneOnLine reports whether a line has only a name, which ends before an offset, and a value
// up to another: "- Password: X".
func aloneOnLine(src string, name, from, to int) bool {
	before := src[max(0, name-40):name]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	for _, c := range before {
		if !strings.ContainsRune(" -*>\t_`\"'", c) && !letter(byte(c)) {
			return false
		}
	}
	after := src[to:min(len(src), to+8)]
	if end := strings.IndexByte(after, '\n'); end >= 0 {
		after = after[:end]
	} else if len(after) == 8 {
		return false
	}
	return len(strings.Fields(before)) <= 2 && strings.Trim(after, " \t\r`\"'*.,;") == "" && from > name
}

// programOption is an option of a program that takes a password. Elsewhere it is another one.
type programOption struct {
	program, option    string
	attached, separate bool // -pX, -p X
}

var programOptions = [...]programOption{
	{"mysql ", "-p", true, false}, {"mysqldump ", "-p", true, false}, {"mysqladmin ", "-p", true, false}, {"mariadb ", "-p", true, false}, {"mariadb-dump ", "-p", true, false},
	{"sshpass ", "-p", true, true}, {"docker login ", "-p", false, true}, {"podman login ", "-p", false, true}, {"redis-cli ", "-a", false, true},
	{"mongosh ", "-p", false, true}, {"mongo ", "-p", false, true}, {"mongodump ", "-p", false, true}, {"mongorestore ", "-p", false, true},
	{"sqlcmd ", "-P", true, true}, {"ldapsearch ", "-w", false, true}, {"ldapmodify ", "-w", false, true}, {"7z ", "-p", true, false}, {"zip ", "-P", false, true},
	{"keytool ", "-storepass", false, true}, {"keytool ", "-keypass", false, true},
}

// passwordOf is where the password after the option at an offset is; at is -1 if the option
// takes none.
func (s *secrets) passwordOf(option int) (at int) {
	if option+2 >= len(s.src) || strings.IndexByte("pPawsk", s.src[option+1]) < 0 {
		return -1 // soon: most are marks of a list
	}
	line := s.src[max(0, option-longestCommand):option]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	for _, o := range programOptions {
		rest, ok := strings.CutPrefix(s.src[option:min(len(s.src), option+longestValue)], o.option)
		switch {
		case !ok || rest == "" || !strings.Contains(line, o.program):
		case rest[0] > ' ' && o.attached:
			return option + len(o.option)
		case rest[0] == ' ' && o.separate && len(rest) > 1 && rest[1] != '-':
			return option + len(o.option) + 1
		}
	}
	return -1
}

// spelled reports whether a value has digits within its letters, as a password that a person
// made of a word: s3cr3t, p4ssw0rd.
func spelled(value string) bool {
	within := 0
	for i := 1; i+1 < len(value); i++ {
		if '0' <= value[i] && value[i] <= '9' && letter(value[i-1]) && letter(value[i+1]) {
			within++
		}
	}
	return within >= 2 && len(value) < 16 && len(bodyAt(value, &alphanumeric)) == len(value) && chosen(value, true)
}
