package secret

import "strings"

// Mask is [Hide] for a text that is passed on: to a commit, to the next model. It also masks
// each value after a name for something secret, whatever the value looks like. In prose that
// costs a word now and then.
func Mask(text string) string {
	text = Hide(text)
	var out strings.Builder
	written := 0
	for at := 0; at < len(text); at++ {
		from, to := at, at
		switch text[at] {
		case ':', '=':
			from, to = valueAfter(text, at)
		case '-':
			from, to = optionValue(text, at)
		case ' ':
			from, to = statedValue(text, at)
		case wideColon[0]:
			if strings.HasPrefix(text[at:], wideColon) && passwordName(text[:at]) != "" {
				from, to = valueAt(text, at+len(wideColon))
			}
		}
		if from < written || to <= from {
			continue
		}
		if value := text[from:to]; value != Masked && !variable(value) {
			out.WriteString(text[written:from] + Masked)
			written = to
		}
		at = max(at, to-1)
	}
	return out.String() + text[written:]
}

// MaskLine is [Mask] of a text as one line: see [Line].
func MaskLine(text string, most int) string { return Line(Mask(text), most) }

// variable reports whether a value only refers to the secret, or is none.
func variable(value string) bool {
	value = strings.Trim(value, `"'`)
	return strings.HasPrefix(value, "$") || strings.HasPrefix(value, "%") && strings.HasSuffix(value, "%") || strings.HasPrefix(value, Masked) ||
		strings.Trim(value, "*.…<>-_/") == ""
}

// valueAfter is the value after a colon or an equals sign at an offset, if the name before it
// is one of a secret.
func valueAfter(text string, at int) (from, to int) {
	before := text[:at]
	switch {
	case endsWith(before, "cookie") && text[at] == ':':
		return restOfLine(text, at+1)
	case strings.HasSuffix(before, "uthorization"):
		return restOfLine(text, at+1)
	case secretName(before), passwordName(before) != "":
	default:
		return at, at
	}
	if at+1 < len(text) && text[at] == ':' && (text[at+1] == ':' || text[at+1] == '/') {
		return at, at // C++, or an address
	}
	if at+1 < len(text) && text[at] == '=' && text[at+1] == '=' {
		at++
	}
	if name := passwordName(before); name == "passphrase" {
		if from, to = valueAt(text, at+1); from > 0 && strings.IndexByte("\"'`", text[from-1]) < 0 {
			return restOfLine(text, at+1) // it is several words
		}
		return from, to
	}
	return valueAt(text, at+1)
}

// restOfLine is the text after an offset up to the end of the line, or of what is in quotes.
func restOfLine(text string, at int) (from, to int) {
	text = text[:min(len(text), at+longestHeader)]
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	end := strings.IndexAny(text[at:], "\n`\"'")
	if end < 0 {
		end = len(text) - at
	}
	return at, at + len(strings.TrimRight(text[at:at+end], " \t\r"))
}

// optionValue is the value of an option that begins at an offset: "--password X", and "-pX"
// of MySQL.
func optionValue(text string, at int) (from, to int) {
	if at > 0 && text[at-1] > ' ' && strings.IndexByte("`\"'(", text[at-1]) < 0 {
		return at, at
	}
	end := at
	for end < len(text) && tokenByte(text[end]) {
		end++
	}
	name := strings.TrimLeft(text[at:end], "-")
	s := secrets{src: text}
	switch {
	case end < len(text) && text[end] == ' ' && end-at > len(name)+1 && (secretName(name) || passwordName(name) != ""):
		if from, to = valueAt(text, end+1); strings.HasPrefix(text[from:to], "-") {
			return at, at
		}
		return from, to
	}
	if from := s.passwordOf(at); from >= 0 {
		return valueAt(text, from)
	}
	return at, at
}

// statedValue is the value in "the password is X", at the blank before "is".
func statedValue(text string, at int) (from, to int) {
	for _, verb := range [...]string{" is ", " was "} {
		if strings.HasPrefix(text[at:], verb) && passwordName(text[:at]) != "" {
			return valueAt(text, at+len(verb))
		}
	}
	return at, at
}
