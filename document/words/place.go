package words

import "strings"

// Is reports whether a label is a word of a key in another language than English: "Datei" for "file".
func Is(key, label string) bool {
	if len(label) > longestHeading {
		return false
	}
	if ascii(label) {
		return latinWords(key).has(Bare(label))
	}
	label = Bare(Fold(label))
	return label != "" && has(key, label)
}

// Begins reports whether a label begins with a word of a key in another language than English: "Stelle im Code" for "place".
func Begins(key, label string) bool {
	if len(label) > 4*longestHeading {
		return false
	}
	label = Bare(Fold(label))
	for l := range Others(label) {
		folded := l.Fold(label)
		for _, w := range l.List(key) {
			if l.at(folded, 0, w) {
				return true
			}
		}
	}
	return false
}

// In reports whether a text has a word of a key in another language than English.
func In(key, text string) bool {
	text = Fold(text)
	for l := range Others(text) {
		folded := l.Fold(text)
		for _, w := range l.List(key) {
			if l.Find(folded, w) >= 0 {
				return true
			}
		}
	}
	return false
}

// Line reports whether a text names a line by its number in another language than English: "Zeile 42", 42行目, 第 42 行.
func Line(text string) bool {
	text = Fold(text)
	for l := range Others(text) {
		folded := l.Fold(text)
		for _, w := range l.List("line") {
			for rest := folded; ; {
				at := l.Find(rest, w)
				if at < 0 {
					break
				}
				before, after := rest[:at], strings.TrimLeft(rest[at+len(w):], " ~:*")
				if after != "" && digit(after[0]) || !l.Spaced && before != "" && digit(before[len(before)-1]) {
					return true
				}
				rest = rest[at+len(w):]
			}
		}
	}
	return false
}

// Near reports whether a name in backticks is in a place of another language than English: what is before it ends with
// a word such as "nach", or what is after it begins with one such as の後.
func Near(before, after string) bool {
	before, after = strings.TrimRight(Fold(before), " *("), strings.TrimLeft(Fold(after), " *)-")
	for l := range Others(before + after) {
		for _, key := range [...]string{"beside", "place"} {
			for _, w := range l.List(key) {
				if l.Spaced && strings.HasSuffix(before, w) && (len(before) == len(w) || !wordByte(before[len(before)-len(w)-1])) ||
					strings.HasPrefix(l.Fold(after), w) && l.Find(l.Fold(after), w) == 0 {
					return true
				}
			}
		}
	}
	return false
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
