// Package prose reads what people and agents write in sentences: code spans,
// words and the paths they name. It knows lines of text, no documents, and
// looks nothing up.
package prose

import (
	"strings"
	"unicode/utf8"
)

// AfterCode is the offset behind the code span that opens with the backtick
// at s[i]; behind its backticks alone when nothing closes it. So many backticks
// as no author needs open none: each such run would cost a look at all of s.
func AfterCode(s string, i int) int {
	const most = 16
	run := 0
	for i+run < len(s) && s[i+run] == '`' {
		run++
	}
	if run > most {
		return i + run
	}
	for at := i + run; at < len(s); {
		next := strings.IndexByte(s[at:], '`')
		if next < 0 {
			break
		}
		at += next
		end := at
		for end < len(s) && s[end] == '`' {
			end++
		}
		if end-at == run {
			return end
		}
		at = end
	}
	return i + run
}

func WordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

func DigitAt(s string, i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }
