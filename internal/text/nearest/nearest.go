// Package nearest finds the word that a misspelled word was meant to be, in a list of
// the caller.
package nearest

import "strings"

// Distance is the number of bytes that must be added, removed or replaced to turn a
// into b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Word is the known word nearest to the given one, of several one that begins with it,
// else the first; "" if none is near enough. About a third of the letters may differ, or
// two neighbours may be swapped. A prefix of exactly one known word means that word, and
// so does a word that sounds like exactly one: "cloud" means claude.
func Word(word string, known []string) string {
	nearest, least := "", min(max(len(word)/3, 1), len(word)-1)+1 // 0 for a single letter
	for _, k := range known {
		if max(len(word)-len(k), len(k)-len(word)) > least {
			continue // the lengths alone differ too much
		}
		d := Distance(word, k)
		if d == 2 && swapped(word, k) {
			d = 1
		}
		if d < least || d == least && nearest != "" && strings.HasPrefix(k, word) && !strings.HasPrefix(nearest, word) {
			nearest, least = k, d
		}
	}
	if nearest == "" && len(word) >= shortestStart {
		nearest = only(known, func(k string) bool { return strings.HasPrefix(k, word) })
	}
	if sound := consonants(word); nearest == "" && len(sound) >= shortestStart {
		nearest = only(known, func(k string) bool { return consonants(k) == sound })
	}
	return nearest
}

// Hint is the end of an error about an unknown word: it suggests the nearest one, or lists all of them.
func Hint(word string, known []string) string {
	if k := Word(word, known); k != "" {
		return ": did you mean " + k + "?"
	}
	if len(known) == 0 {
		return ""
	}
	return " (" + strings.Join(known, ", ") + ")"
}

// shortestStart is the length of the shortest prefix, and of the fewest consonants, that may mean a word.
const shortestStart = 3

// only returns the one known word that fits, "" if none or several do.
func only(known []string, fits func(string) bool) (found string) {
	for _, k := range known {
		if !fits(k) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k
	}
	return found
}

// consonants returns a word without its vowels, which people misspell most.
func consonants(word string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiouy", r) {
			return -1
		}
		return r
	}, word)
}

// swapped reports whether a and b differ only in two swapped neighbours.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 1; i < len(a); i++ {
		if a[i-1] == b[i] && a[i] == b[i-1] && a[i] != b[i] {
			return a[:i-1] == b[:i-1] && a[i+1:] == b[i+1:]
		}
	}
	return false
}
