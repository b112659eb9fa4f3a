package secret

import (
	"math"
	"strings"

	"handoff/internal/text/prose"
)

// This file distinguishes random text, such as a key, from text that a person wrote: an
// identifier, a path, a placeholder.

// random reports whether at least half of a text, or 16 bytes of it, looks random, and
// it is not a placeholder.
func random(s string) bool {
	n := jumbled(s)
	return (n >= 16 || 2*n >= len(s)) && drawn(s)
}

// drawn reports whether a text repeats as few bytes as a random one, and is not a
// placeholder.
func drawn(s string) bool {
	return entropy(s) >= min(3, 0.6*math.Log2(float64(len(s)))) && !placeholder(s)
}

// jumbled splits a text at bytes that are not letters or digits, and counts the bytes
// of the pieces that are not words, also not words with numbers.
func jumbled(s string) int {
	n, from := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && alphanumeric.has(s[i]) {
			continue
		}
		if piece := s[from:i]; !wordy(piece) {
			n += len(piece)
		}
		from = i + 1
	}
	return n
}

// wordy reports whether a piece may be words and numbers: "v2", "Completeness",
// "parseURLs2026", "20260212T143022Z". Random text changes between lowercase,
// uppercase and digits at about every second byte, and repeats few bytes.
func wordy(piece string) bool {
	changes := 0
	if word := strings.TrimRight(piece, "0123456789"); len(piece)-len(word) <= 4 {
		piece = word
	}
	for i := 1; i < len(piece); i++ {
		switch before, now := class(piece[i-1]), class(piece[i]); {
		case before == now, before == 'A' && now == 'a': // the same word
		case before == 'a' && now == 'A' && i+1 < len(piece) && class(piece[i+1]) == 'a': // the next word
		default:
			changes++
		}
	}
	return changes == 0 || 6*changes < len(piece) && entropy(piece) < 0.86*math.Log2(float64(len(piece)))
}

// class is '0' for a digit, 'A' for an uppercase letter and 'a' for the rest.
func class(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return '0'
	case 'A' <= c && c <= 'Z':
		return 'A'
	}
	return 'a'
}

// placeholder reports whether a text has a sign of a placeholder.
func placeholder(s string) bool {
	for _, mark := range [...]string{"xxxx", "example", "placeholder", "your", "dummy", "redacted", "changeme", "****", "....", "…",
		"fake", "sample", "${", "$(", "<", "{{", "%s", "12345678", "abcdefgh"} {
		if prose.IndexFold(s, mark) >= 0 {
			return true
		}
	}
	return false
}

// commonWord reports whether a text is a usual password of documentation.
func commonWord(s string) bool {
	return strings.HasPrefix(s, "$") || strings.HasPrefix(s, "%") ||
		prose.OneOf(s, "password", "passwd", "secret", "postgres", "hunter2", "letmein", "changeit", "password1", "password123", "secret123", "mysecret", "mypassword")
}

// entropy is the information of a byte of s in bits, by the frequency of each byte.
func entropy(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			share := float64(n) / float64(len(s))
			bits -= share * math.Log2(share)
		}
	}
	return bits
}
