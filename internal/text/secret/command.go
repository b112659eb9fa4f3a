package secret

import (
	"encoding/base64"
	"strings"
	"unicode"
)

// This file finds credentials by their context: in the header of a request, in an
// option of curl, in a netrc file.

// authorization reports the credential after "Authorization: Bearer", "Basic" or
// "Token". Tokens with a known prefix are found elsewhere.
func (s *secrets) authorization(at int) {
	src := s.src
	for at < len(src) && strings.IndexByte(" :=\"'`", src[at]) >= 0 {
		at++
	}
	scheme, _, ok := strings.Cut(src[at:min(len(src), at+8)], " ")
	if !ok {
		return
	}
	at += len(scheme) + 1
	value := bodyAt(src[at:], &bearerChars)
	switch strings.ToLower(scheme) {
	case "bearer", "token":
		if n, _ := tokenAt(value); n == 0 && len(value) >= 16 && random(value) {
			s.add(at, at+len(value), "an access token")
		}
	case "basic":
		plain, err := base64.StdEncoding.DecodeString(value)
		user, password, ok := strings.Cut(string(plain), ":")
		if err == nil && ok && writtenPassword(user, password) {
			s.add(at, at+len(value), "a user and password")
		}
	}
}

// longestCommand is how far before an option the name of its program may be.
const longestCommand = 400

// curlUser reports the password of "-u user:password", which begins at an offset, if
// the option belongs to curl.
func (s *secrets) curlUser(option, at int) {
	line := s.src[max(0, option-longestCommand):option]
	if line = line[strings.LastIndexByte(line, '\n')+1:]; !strings.Contains(line, "curl ") {
		return
	}
	for at < len(s.src) && strings.IndexByte(" \"'", s.src[at]) >= 0 {
		at++
	}
	end := at
	for end < len(s.src) && s.src[end] > ' ' && strings.IndexByte("\"'`", s.src[end]) < 0 {
		end++
	}
	if user, password, ok := strings.Cut(s.src[at:end], ":"); ok && writtenPassword(user, password) {
		s.add(end-len(password), end, "a password")
	}
}

// netrc reports the passwords in "machine HOST login USER password PASSWORD".
func (s *secrets) netrc() {
	src := s.src
	for at := 0; s.says; {
		i := strings.Index(src[at:], "machine ")
		if i < 0 {
			return
		}
		at += i + len("machine ")
		entry := src[at:min(len(src), at+300)]
		words := strings.Fields(entry)
		if len(words) >= 5 {
			words[4] = strings.TrimSuffix(strings.TrimRight(words[4], `"'`), `\n`) // of an argument of printf
		}
		if len(words) < 5 || words[1] != "login" || words[3] != "password" || !writtenPassword(words[2], words[4]) {
			continue
		}
		from := at + strings.Index(entry, "password")
		from += strings.Index(src[from:], words[4])
		s.add(from, from+len(words[4]), "a password")
	}
}

// writtenPassword reports whether a password is real, not a placeholder or a variable.
func writtenPassword(user, password string) bool {
	return len(password) >= 6 && password != user && entropy(password) >= 2 && !placeholder(password) && !commonWord(password) && !foreignWord(password)
}

// foreignWord reports whether a value is only letters, some of them not of ASCII: the word for a password in the language
// of the document.
func foreignWord(value string) bool {
	foreign := false
	for _, r := range value {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && r != 'ー' {
			return false
		}
		foreign = foreign || r >= 0x80
	}
	return foreign
}
