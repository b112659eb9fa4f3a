// Package nearest finds the word that a misspelled one was meant to be. It
// knows no list of words: callers bring theirs.
package nearest

import "strings"

// Distance counts the bytes that must be added, dropped or exchanged to turn
// a into b.
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

// Word is the known word nearest to the one given, the first of several; ""
// when none is near enough to be worth naming. About a third of the letters may
// be off, or two have changed places. The beginning of one known word, and of
// no other, means that word.
func Word(word string, known []string) string {
	nearest, least := "", min(max(len(word)/3, 1), len(word)-1)+1 // of one letter none
	for _, k := range known {
		if max(len(word)-len(k), len(k)-len(word)) >= least {
			continue // the lengths alone are too far apart
		}
		d := Distance(word, k)
		if d == 2 && swapped(word, k) {
			d = 1
		}
		if d < least {
			nearest, least = k, d
		}
	}
	if nearest == "" && len(word) >= shortestStart {
		return startOf(word, known)
	}
	return nearest
}

// shortestStart is how many letters say which word is meant.
const shortestStart = 3

func startOf(word string, known []string) (found string) {
	for _, k := range known {
		if !strings.HasPrefix(k, word) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k
	}
	return found
}

// swapped reports whether two neighbours have changed places, and nothing else.
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
