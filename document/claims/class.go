package claims

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"handoff/document/words"
	"handoff/internal/text/eight"
)

// class is a set of the lists that a word is in. A word is looked up once; what it is, is then a mask.
type class uint64

// The lists of the words, which en.txt explains, by the keys below.
const (
	wordTests class = 1 << iota
	wordRemoteChecks
	wordBuilding
	wordLinting
	wordTesting
	wordCheckers
	wordRunners
	wordMade
	wordNoneOf
	wordFaults
	wordExiting
	wordWell
	wordWhenever
	wordDenies
	wordHappened
	wordPlaces
	wordIssued
	wordNumbered
	wordRan
	wordCleared
	wordFinds
	wordAccepts
	wordMainline
	wordChange
	wordAvailable
	wordAudience
	wordRollout
	wordSettled
	wordLies
	wordErrands
	wordMerged
	wordMergeObject
	wordPushed
	wordPushObject
	wordDeployed
	wordReleased
	wordReleaseObject
	wordRunning
	wordClosed
	wordEnded
	wordIssue
	wordDoneBefore
	wordWish
	wordGeneric
	wordWorks
	wordChecked
	wordByHand
	wordMigrations
	wordApplied
	wordMeasured
	wordGained
	wordOrders
	wordDefects
	wordRemote
	wordPassing
	wordLanding
	wordInSync
	wordForm      // of a form that may be anywhere in a sentence
	wordIssueForm // of one that names an issue
)

// classKeys are the keys of the lists, in the order of their masks. A mask may be of several.
var classKeys = [...]string{"tests", "remote_checks", "building", "linting", "testing", "checkers", "runners", "made", "none_of", "faults", "exiting", "well", "whenever", "denies", "happened", "places",
	"issued", "numbered", "ran", "cleared", "finds", "accepts", "mainline", "change", "available", "audience", "rollout", "settled", "lies", "errands", "merged", "merge_object",
	"pushed", "push_object", "deployed", "released", "release_object", "running", "closed", "ended", "issue", "done_before", "wish modal", "generic", "works", "checked", "by_hand",
	"migrations", "applied", "measured", "gained", "orders", "defects", "own_remote", "", "landing", "in_sync", "", ""}

// wordTable has the classes of all words of those lists. Most words of a text are in none, which one look at a slot shows.
type wordTable struct {
	slots [4096]uint32 // an index of words, from 1 on, with sixteen bits of the hash above it
	words []string
	is    []class

	packed  [2048]uint64 // the words of up to eight letters, digits and underscores, each as a number with its first byte lowest
	classes [2048]class
}

// table is that of English. It is made when a text is read first, not at the start of the process.
var table = sync.OnceValue(makeTable)

func makeTable() *wordTable {
	t := &wordTable{words: make([]string, 1, 1024), is: make([]class, 1, 1024)}
	masks := make(map[string]class, len(classKeys))
	for n, keys := range classKeys {
		for key := range strings.SplitSeq(keys, " ") {
			masks[key] = 1 << n
		}
	}
	for key, list := range words.English.Lines {
		is := masks[key]
		if is == 0 {
			continue
		}
		for word := range strings.SplitSeq(list, "; ") {
			t.add(word, is)
		}
	}
	for _, verdict := range words.English.List("verdict") {
		t.add(verdict, wordPassing)
		for _, ending := range words.English.List("ending") {
			t.add(verdict+ending, wordPassing)
		}
	}
	for word, list := range forms().anywhere {
		if slices.ContainsFunc(list, func(f form) bool { return f.kind != Closed }) {
			t.add(word, wordForm)
		} else {
			t.add(word, wordIssueForm)
		}
	}
	return t
}

func (t *wordTable) add(word string, is class) {
	if len(word) <= 8 && wordRun(word, 0) == len(word) {
		var key uint64
		for i := range len(word) {
			key |= uint64(word[i]|0x20) << (8 * i)
		}
		slot := t.ofPacked(key)
		t.packed[slot], t.classes[slot] = key, t.classes[slot]|is
	}
	slot, mark := slotOf(word)
	for ; t.slots[slot] != 0; slot = (slot + 1) % uint32(len(t.slots)) {
		if at := t.slots[slot] & 0xffff; t.words[at] == word {
			t.is[at] |= is
			return
		}
	}
	t.slots[slot] = mark | uint32(len(t.words))
	t.words, t.is = append(t.words, word), append(t.is, is)
}

// slotOf is where a word in any case would be first, and what its slot has besides the index: by three letters and the length.
func slotOf(word string) (slot, mark uint32) {
	n := len(word)
	if n == 0 {
		return 0, 0
	}
	of := uint32(word[0]|0x20) | uint32(word[n/2]|0x20)<<8 | uint32(word[n-1]|0x20)<<16 | uint32(n)<<24
	of *= 2654435769
	return of >> 20, of << 4 & 0xffff0000
}

// ofPacked is where a word of up to eight bytes is, or would be.
func (t *wordTable) ofPacked(key uint64) uint64 {
	slot := key * 0x9e3779b97f4a7c15 >> 53
	for t.packed[slot] != key && t.packed[slot] != 0 {
		slot = (slot + 1) % uint64(len(t.packed))
	}
	return slot
}

// of is the class of a word in any case.
func (t *wordTable) of(word string) class { return t.is[t.find(word)] }

// find is the index of a word in any case, 0 if the table has it not.
func (t *wordTable) find(word string) uint32 {
	slot, mark := slotOf(word)
	for ; t.slots[slot] != 0; slot = (slot + 1) % uint32(len(t.slots)) {
		if at := t.slots[slot] & 0xffff; t.slots[slot]&^0xffff == mark && len(t.words[at]) == len(word) && sameLetters(t.words[at], word) {
			return at
		}
	}
	return 0
}

// wordAt is the end of the word at an offset of a text, and its class.
func (t *wordTable) wordAt(text string, at int) (end int, is class) {
	if at+8 < len(text) {
		w := eight.Bytes(text, at)
		n := bits.TrailingZeros64(eight.NotWord(w)) / 8
		if n < 8 || kindOf[text[at+8]] != inWord {
			return at + n, t.classes[t.ofPacked((w|0x20*eight.Ones)<<(64-8*n)>>(64-8*n))]
		}
	}
	end = wordRun(text, at)
	return end, t.of(text[at:end])
}

// sameLetters reports whether a word is another one in small letters. Both are of the same length.
func sameLetters(small, word string) bool {
	for i := range len(small) {
		c := word[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != small[i] {
			return false
		}
	}
	return true
}

// classOf is the class of a word.
func classOf(word string) class { return table().of(word) }

// small is a word in small letters, and its class.
func (t *wordTable) small(word string) (string, class) {
	if at := t.find(word); at > 0 {
		return t.words[at], t.is[at]
	}
	return strings.ToLower(word), 0
}
