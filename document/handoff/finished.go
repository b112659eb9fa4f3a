package handoff

import (
	"strings"
	"unicode"
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
