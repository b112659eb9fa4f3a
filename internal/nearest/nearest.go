// Package nearest finds the word that a misspelled one was meant to be. It
// knows no list of words: callers bring theirs.
package nearest

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
// when none is near enough to be worth naming: about a third of the letters
// may be off.
func Word(word string, known []string) string {
	nearest, least := "", len(word)/3+2
	for _, k := range known {
		if d := Distance(word, k); d < least {
			nearest, least = k, d
		}
	}
	return nearest
}
