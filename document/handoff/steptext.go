package handoff

import (
	"strings"
	"unicode"

	"handoff/document/words"
)

// toDo leaves out what is done of a list: items that are struck through or have a mark, "[x]" or "✅". done reports
// whether nothing is left of it, or of the rows of a table. What is no list is returned as it is.
func toDo(text string) (left string, done bool) {
	var kept []string
	items, doneItems, rows, doneRows, heads := 0, 0, 0, 0, 0
	skip := false
	for line := range strings.SplitSeq(text, "\n") {
		rest, isItem := cutItem(line)
		switch {
		case isItem:
			items++
			if skip = isDone(rest); skip {
				doneItems++
			}
		case strings.HasPrefix(line, "|"):
			skip = false
			if strings.Trim(line, "|-: ") == "" {
				heads++ // the row above it
			} else if rows++; doneRow(line) {
				doneRows++
			}
		case line != "" && line[0] != ' ' && line[0] != '\t': // no part of the item above
			skip = false
		}
		if !skip {
			kept = append(kept, line)
		}
	}
	switch {
	case items == 0 && rows > heads && doneRows == rows-heads, items > 0 && doneItems == items && rows == 0:
		return text, true
	case doneItems == 0:
		return text, false
	}
	return strings.TrimSpace(strings.Join(kept, "\n")), false
}

// cutItem cuts the mark of an item that begins at the left of a line: "- ", "1. ".
func cutItem(line string) (text string, ok bool) {
	rest := strings.TrimLeft(line, "0123456789")
	switch {
	case line == "" || line[0] == ' ' || line[0] == '\t':
		return "", false
	case len(rest) < len(line):
		rest, ok = strings.CutPrefix(rest, ". ")
	default:
		if ok = strings.ContainsRune("-*+", rune(line[0])) && strings.HasPrefix(line[1:], " "); ok {
			rest = line[2:]
		}
	}
	return strings.TrimLeft(rest, " *_"), ok
}

func isDone(item string) bool {
	for _, mark := range [...]string{"[x]", "[X]", "~~", "✅", "✔", "☑"} {
		if strings.HasPrefix(item, mark) {
			return true
		}
	}
	return false
}

// doneRow reports whether a row of a table has a cell that only says so: DONE, ✅.
func doneRow(line string) bool {
	for cell := range strings.SplitSeq(line, "|") {
		switch strings.ToLower(strings.TrimFunc(cell, func(r rune) bool { return !unicode.IsLetter(r) && r != '✅' && r != '✔' })) {
		case "done", "complete", "completed", "finished", "merged", "shipped", "✅", "✅ done", "✔":
			return true
		}
	}
	return false
}

// mayAnnounce is a fast check for the words that announce a next step: every
// English phrase contains one of two. Most headings have neither.
func mayAnnounce(heading string) bool {
	return phraseIn(heading, "next") >= 0 || phraseIn(heading, "recommended") >= 0 || strings.IndexFunc(heading, isWide) >= 0
}

func isWide(r rune) bool { return r >= 0xc0 && unicode.IsLetter(r) }

// opensNext ranks a line of prose that begins with a phrase such as "Next step", or with an announcement or a hint
// and a colon: "Next:", "次は:", "TODO:", "待办：". name is what announces the step.
func opensNext(text string) (name string, rank int) {
	text = strings.TrimLeft(text, " >*_-+")
	const most = 60
	head := text[:min(len(text), most)]
	if i := strings.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	if i := strings.IndexAny(head, ":："); i > 0 {
		if rank := words.Label(head[:i]); rank == words.Announces || rank == words.Hints && words.Opens(head[:i]) {
			return called(head[:i], rank), int(rank) * mentioned
		}
	}
	if len(head) < len("next step") || head[0]|0x20 != 'n' {
		return "", noRank
	}
	for _, w := range words.English.List("next") {
		if strings.HasPrefix(w, "next ") && phraseAt(text, 0, w) {
			return "Next", announced
		}
	}
	return "", noRank
}

// called is the name of a label of prose. Those that begin with "Next" have one name.
func called(label string, rank words.Rank) string {
	if rank == words.Announces && phraseAt(label, 0, "next") {
		return "Next"
	}
	return strings.TrimSpace(strings.TrimRight(label, " *_"))
}

// phraseIn is the offset of a phrase of whole words in text, ignoring case; -1
// if it is not there.
func phraseIn(text, phrase string) int {
	for i := 0; i+len(phrase) <= len(text); i++ {
		if text[i]|0x20 == phrase[0] && phraseAt(text, i, phrase) {
			return i
		}
	}
	return -1
}

func phraseAt(text string, i int, phrase string) bool {
	end := i + len(phrase)
	return end <= len(text) && strings.EqualFold(text[i:end], phrase) &&
		(i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end]))
}

func wordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}
