package claims

import (
	"path"
	"strings"

	"handoff/document/words"
	"handoff/internal/text/prose"
)

// lookedUp are the claims of a sentence that can be compared with the workspace.
func lookedUp(text string, list []token) (found []Claim) {
	add := func(c Claim) {
		c.Text = text
		found = append(found, c)
	}
	absent := isAbsent(list)
	for i := range list {
		if p, ok := pathAt(list, i); ok {
			switch {
			case absent >= 0 && i < absent && declared(list[i:], absent-i):
				add(Claim{Kind: Absent, Path: p.Text})
			case p.Line > 0:
				add(Claim{Kind: Line, Path: p.Text, Number: p.Line})
			default:
				if n := linesOf(list, i); n > 0 {
					add(Claim{Kind: Count, Path: p.Text, Number: n})
				} else if n := lineOf(list, i); n > 0 {
					add(Claim{Kind: Line, Path: p.Text, Number: n})
				} else if holds(list, i) {
					add(Claim{Kind: File, Path: p.Text})
				}
			}
		}
		if name, ok := commitAt(list, i); ok && declared(list, i) {
			add(Claim{Kind: Commit, Name: name})
		} else if name, ok := branchAt(list, i); ok && declared(list, i) {
			add(Claim{Kind: Branch, Name: name})
		}
	}
	return found
}

// pathAt is the path that a word is. Those out of the workspace can not be looked up.
func pathAt(list []token, i int) (p prose.Path, ok bool) {
	for p := range prose.Paths(list[i].raw) {
		p.Text = path.Clean(p.Text)
		return p, p.Text[0] != '/' && p.Text[0] != '~' && !strings.HasPrefix(p.Text, "..")
	}
	return p, false
}

// holds reports whether a sentence says that something is in the file that is its word i: "saved as x.py".
func holds(list []token, i int) bool {
	for k := i - 1; k >= max(i-3, 0); k-- {
		if words.English.Has("holds", list[k].text) && !list[k].code {
			between := list[k+1 : i]
			return len(between) > 0 && words.English.Has("at", between[0].text) && declared(list, k)
		}
	}
	return false
}

// linesOf is the number of lines that a sentence says its file has: "x.go has 40 lines", "40 lines in x.go".
func linesOf(list []token, i int) int {
	if i+3 < len(list) && words.English.Has("counts", list[i+1].text) && strings.HasPrefix(list[i+3].text, "line") {
		return whole3(list[i+2].text)
	}
	if i >= 3 && (list[i-1].text == "in" || list[i-1].text == "of") && list[i-2].text == "lines" {
		return whole3(list[i-3].text)
	}
	return 0
}

// lineOf is the line of its file that a sentence names: "line 40 of x.go", "x.go, line 40".
func lineOf(list []token, i int) int {
	switch {
	case i >= 3 && (list[i-1].text == "in" || list[i-1].text == "of") && list[i-3].text == "line":
		return whole3(list[i-2].text)
	case i+2 < len(list) && list[i+1].text == "line":
		return whole3(list[i+2].text)
	}
	return 0
}

// whole3 is a number, perhaps with commas for thousands; 0 if a word is none.
func whole3(word string) int {
	digits := strings.ReplaceAll(word, ",", "")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0
	}
	return prose.LeadingNumber(digits)
}

// isAbsent is the word at which a sentence says that something does not exist yet; -1 if it does not.
func isAbsent(list []token) int {
	for i := range list {
		var b strings.Builder
		for k := i; k < min(i+4, len(list)) && !list[k].code; k++ {
			if k > i {
				b.WriteByte(' ')
			}
			b.WriteString(strings.ReplaceAll(list[k].text, "’", "'"))
			if words.English.Has("absent", b.String()) {
				return i
			}
		}
	}
	return -1
}

// commitAt is the commit that a word names, which a word before it announces: "commit 1a2b3c4", "at 1a2b3c4", "@1a2b3c4".
func commitAt(list []token, i int) (string, bool) {
	word := strings.TrimPrefix(list[i].text, "@")
	if !forms().commit.MatchString(word) || strings.Trim(word, "0123456789") == "" && (i == 0 || list[i-1].text != "commit") {
		return "", false
	}
	if strings.Trim(word, "abcdef") == "" {
		return "", false // "defaced", "effaced"
	}
	return word, strings.HasPrefix(list[i].text, "@") || i > 0 && words.English.Has("commit_before", list[i-1].text)
}

// branchAt is the branch that a word names: in code or with a slash or a hyphen, beside the word "branch".
func branchAt(list []token, i int) (string, bool) {
	t := list[i]
	name := strings.Trim(t.raw, "*_`\"'“”.,;:!?()[]<>")
	if name == "" || strings.ContainsAny(name, " `*#~^:\\@{") || !t.code && !strings.ContainsAny(name, "/-") {
		return "", false
	}
	beside := i > 0 && list[i-1].text == "branch" || i+1 < len(list) && list[i+1].text == "branch" && (i == 0 || list[i-1].text != "a" && list[i-1].text != "new")
	return name, beside
}
