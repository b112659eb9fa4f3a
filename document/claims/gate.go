package claims

import "handoff/internal/text/prose"

// Signs of a text that are no words, for the gate.
const (
	signCount   class = 1 << iota // 34/34, ✅
	signNumber                    // #12, ABC-12, /pull/12
	signVersion                   // 1.4
	signDigit
	signIsOn // "is on", "rests with": somebody may have a piece of work
	signNot
	signAcross
)

// anyCheck is what checks the work.
const anyCheck = wordTests | wordRemoteChecks | wordBuilding | wordLinting | wordTesting | wordCheckers | wordRunners

// finders is a set of the finders of claims.
type finders uint16

// The finders: for the verdict of tests, for the verb of other claims, and those of states.
const (
	byVerdict finders = 1 << iota
	byVerb
	byClean
	byFine
	byLanded
	byUploaded
	byReached
	byOver
	byApplied
	byMeasured
	byWorks
	byTried
	byHas
	byForm
)

// need is what a text has in which some finders may find something: a word of each set, 0 for any, and a sign.
type need struct {
	words   [3]class
	signs   class
	finders finders
}

// needs are those of all finders, which find nothing in a text that meets none of theirs. A test holds that against documents.
var needs = [...]need{
	{words: [3]class{wordForm}, finders: byForm},
	{words: [3]class{wordIssueForm}, signs: signNumber, finders: byForm},
	{words: [3]class{wordIssueForm, wordNumbered}, finders: byForm},
	{words: [3]class{wordMade}, finders: byVerb | byFine},
	{words: [3]class{wordPassing}, signs: signDigit, finders: byVerdict | byFine},
	{words: [3]class{wordPassing, anyCheck}, finders: byVerdict},
	{words: [3]class{wordPassing}, signs: signAcross, finders: byFine},
	{words: [3]class{anyCheck, wordWell | wordRan}, finders: byFine},
	{words: [3]class{anyCheck}, signs: signCount, finders: byFine},
	{words: [3]class{anyCheck, wordFaults, wordNoneOf | wordCleared}, finders: byClean},
	{words: [3]class{anyCheck, wordFaults}, signs: signNot, finders: byClean},
	{words: [3]class{anyCheck, wordFinds, wordNoneOf}, finders: byClean},
	{words: [3]class{anyCheck, wordExiting}, signs: signDigit, finders: byClean},
	{words: [3]class{wordDefects, wordNoneOf | wordCleared}, finders: byClean | byWorks},
	{words: [3]class{wordMerged | wordAccepts, wordMergeObject}, finders: byVerb | byLanded},
	{words: [3]class{wordMerged | wordAccepts | wordHappened}, signs: signNumber, finders: byVerb | byLanded},
	{words: [3]class{wordHappened, wordMergeObject, wordLanding}, finders: byLanded},
	{words: [3]class{wordMainline, wordHappened | wordAccepts, wordChange | wordMergeObject}, finders: byLanded},
	{words: [3]class{wordRemote, wordHappened | wordAvailable, wordChange}, finders: byUploaded},
	{words: [3]class{wordRemote, wordInSync}, finders: byUploaded},
	{words: [3]class{wordPushed, wordPushObject}, finders: byVerb},
	{words: [3]class{wordDeployed}, finders: byVerb | byReached},
	{words: [3]class{wordReleased}, finders: byVerb | byReached},
	{words: [3]class{wordPlaces, wordHappened | wordAvailable}, finders: byReached},
	{words: [3]class{wordAudience}, finders: byReached},
	{words: [3]class{wordRunning, wordReleaseObject}, finders: byVerb | byReached},
	{words: [3]class{wordRunning, wordHappened | wordAvailable}, finders: byReached},
	{words: [3]class{wordRunning}, signs: signVersion, finders: byVerb | byReached},
	{words: [3]class{wordAvailable, wordHappened, wordIssued}, finders: byReached},
	{words: [3]class{wordAvailable}, signs: signVersion, finders: byReached},
	{words: [3]class{wordRollout, wordHappened, wordRan | wordEnded | wordAvailable}, finders: byReached},
	{words: [3]class{wordRollout}, signs: signCount, finders: byReached},
	{words: [3]class{wordClosed | wordSettled | wordEnded, wordIssue | wordNumbered}, finders: byVerb | byOver},
	{words: [3]class{wordClosed | wordSettled | wordEnded}, signs: signNumber, finders: byVerb | byOver},
	{signs: signIsOn, finders: byHas},
	{words: [3]class{wordWorks}, finders: byWorks},
	{words: [3]class{wordChecked, wordByHand | wordWorks | wordRunning}, finders: byTried},
	{words: [3]class{wordMigrations, wordApplied}, finders: byApplied},
	{words: [3]class{wordMeasured | wordGained}, signs: signDigit, finders: byMeasured},
}

// mayState returns the finders that may find a claim in a text, in one pass and without an allocation: those for which it
// has a word for what a claim is about and one for how that is.
func mayState(text string) (may finders) {
	is, signs := scan(text)
	if is == 0 {
		return 0
	}
	for i := range needs {
		if n := &needs[i]; n.met(is, signs) {
			may |= n.finders
		}
	}
	return may
}

func (n *need) met(is, signs class) bool {
	of := &n.words
	return (is&of[0] != 0 || of[0] == 0) && (is&of[1] != 0 || of[1] == 0) && (is&of[2] != 0 || of[2] == 0) && (signs&n.signs != 0 || n.signs == 0)
}

// Bytes of a text: those of words, and those that are part of a word between others.
const (
	inWord byte = iota + 1
	between
)

var kindOf = func() (kinds [256]byte) {
	for c := range kinds {
		if prose.WordByte(byte(c)) && c < 0x80 {
			kinds[c] = inWord
		}
	}
	for _, c := range []byte("-'./") {
		kinds[c] = between
	}
	return kinds
}()

// scan returns the classes and signs of all words of a text. A word is one of the tokens of the grammar, or a part of one.
func scan(text string) (is, signs class) {
	words, last := table(), class(0)
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case kindOf[c] == inWord:
		case (c == '#' || c == '!') && prose.DigitAt(text, i+1):
			signs |= signNumber
			fallthrough
		default:
			if c == "✅"[0] && i+1 < len(text) && text[i+1] == "✅"[1] {
				signs |= signCount
			}
			i++
			continue
		}
		start := i
		first, lists := words.wordAt(text, i)
		end := first
		for i = end; i < len(text) && kindOf[text[i]] != 0; {
			switch c := text[i]; {
			case kindOf[c] == between:
				if c == '\'' && end == i { // suite's
					is |= words.of(text[start:end])
				}
				i++
				continue
			case '0' <= c && c <= '9':
				signs |= inside(text[start], text[i-1])
			}
			end = wordRun(text, i)
			i = end
		}
		word := text[start:end]
		if end > first { // the word has several parts
			lists = words.of(word)
		}
		is |= lists
		if '0' <= word[0] && word[0] <= '9' {
			signs |= signDigit
		}
		switch {
		case last&wordLies != 0 && (word == "with" || word == "on"):
			signs |= signIsOn
		case len(word) == 3 && sameLetters("not", word):
			signs |= signNot
		case word == "across":
			signs |= signAcross
		}
		last = lists
	}
	return is, signs
}

// wordRun is the end of the letters, digits and underscores from an offset on.
func wordRun(text string, at int) int {
	for at < len(text) && kindOf[text[at]] == inWord {
		at++
	}
	return at
}

// inside are the signs of a digit after a mark in a word that begins so: 34/34, 1.4, v1.4, ABC-12, pull/12.
func inside(first, mark byte) class {
	switch {
	case mark == '.':
		return signVersion
	case mark == '/' && '0' <= first && first <= '9':
		return signCount
	case mark == '/', mark == '-':
		return signNumber
	}
	return 0
}
