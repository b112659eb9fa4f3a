package claims

import (
	"path"
	"slices"
	"strings"

	"handoff/document/words"
	"handoff/internal/text/prose"
)

// lookedUp are the claims of a sentence that can be compared with the workspace. Most are found by what they are about, not
// by a verb: whatever is said of a file that is not there, a successor looks for it. A name without a folder may as well
// be that of a program ("highlight.js"), so it needs the verb.
func lookedUp(text string, list []token) (found []Claim) {
	add := func(c Claim) {
		c.Text = text
		found = append(found, c)
	}
	absent, states := isAbsent(list), !anyWish(list)
	for i := range list {
		if p, ok := pathAt(list, i); ok {
			switch n := linesOf(list); {
			case absent >= 0 && (declared(list, absent) || i < absent):
				add(Claim{Kind: Absent, Path: p.Text})
			case p.Line > 0:
				add(Claim{Kind: Line, Path: p.Text, Number: p.Line, Doubtful: true})
			case n > 0:
				add(Claim{Kind: Count, Path: p.Text, Number: n, Doubtful: true})
			case lineOf(list, i) > 0:
				add(Claim{Kind: Line, Path: p.Text, Number: lineOf(list, i), Doubtful: true})
			case states && within(list, i):
				add(Claim{Kind: Placed, Path: p.Text, Said: spanOf(list[i-2]), Doubtful: true})
			case absent < 0 && holds(list, i) && !nothing(list, i) && !negated(list, i):
				add(Claim{Kind: File, Path: p.Text})
			case absent < 0 && strings.Contains(p.Text, "/") && declared(list, i) && !anyIn(list, "denied") && !anyIn(list, "excused") && !toBe(list, i):
				add(Claim{Kind: File, Path: p.Text, Said: besidePath(list, i), Doubtful: true})
			}
		}
		name, commit := commitAt(list, i)
		if !commit {
			var branch bool
			if name, branch = branchAt(list, i); !branch {
				continue
			}
		}
		kind := Branch
		if commit {
			kind = Commit
		}
		switch {
		case states && anyIn(list, "contains") && namesMain(list):
			add(Claim{Kind: Merged, Name: name, Doubtful: true})
		case states && anyIn(list, "remote") && anyIn(list, "there"):
			add(Claim{Kind: Pushed, Name: name, Doubtful: true})
		case declared(list, i) && (commit || !anyIn(list, "merged")): // a branch that was merged may be gone
			add(Claim{Kind: kind, Name: name})
		}
	}
	return found
}

// within reports whether a sentence names a thing in code right before its path, and says nothing of a change: "`parse` in src/x.go".
func within(list []token, i int) bool {
	if i < 2 || list[i-1].code || !prose.OneOf(list[i-1].text, "in", "inside", "within", "from") {
		return false
	}
	return names("NAME", list, i-2, &Claim{}) && !anyIn(list, "denied") && !anyIn(list, "excused") && !anyIn(list, "moves")
}

// toBe reports whether a sentence says after a word what is to be done with it.
func toBe(list []token, i int) bool {
	for k := i + 1; k+1 < len(list); k++ {
		if list[k].text == "to" && list[k+1].text == "be" {
			return true
		}
	}
	return false
}

// besidePath is the path one or two words away from another one, "" if there is none: "b.go replaces a.go" says where it went.
func besidePath(list []token, i int) string {
	for _, k := range [...]int{i - 3, i - 2, i + 2, i + 3} {
		if k >= 0 && k < len(list) {
			between := list[min(i, k):max(i, k)]
			if p, ok := pathAt(list, k); ok && !slices.ContainsFunc(between, enumerates) {
				return p.Text
			}
		}
	}
	return ""
}

// enumerates reports whether a word, or the sign after it, is between things of a list.
func enumerates(t token) bool {
	return prose.OneOf(t.text, "", "and", "or", "plus", "-", "–", "—", "+", "&", "|") || strings.ContainsAny(t.raw[len(t.raw)-1:], ",:;")
}

// anyWish reports whether a sentence has a word that makes it a wish, a condition or its contrary.
func anyWish(list []token) bool {
	for _, t := range list {
		if !t.code && wishes(t.text) {
			return true
		}
	}
	return false
}

// namesMain reports whether a sentence names a main branch.
func namesMain(list []token) bool {
	return slices.ContainsFunc(list, func(t token) bool { return prose.OneOf(t.text, "main", "master", "trunk", "develop") })
}

// pathAt is the path that a word is. Those out of the workspace can not be looked up.
func pathAt(list []token, i int) (p prose.Path, ok bool) {
	t := &list[i]
	if !t.pathed {
		t.pathed = true
		for p := range prose.Paths(t.raw) {
			if p.Text = path.Clean(p.Text); p.Text[0] != '/' && p.Text[0] != '~' && !strings.HasPrefix(p.Text, "..") {
				t.path = &p
			}
			break
		}
	}
	if t.path == nil {
		return p, false
	}
	return *t.path, true
}

// holds reports whether a sentence says that something is in the file that is its word i: "saved as x.py".
func holds(list []token, i int) bool {
	for k := i - 1; k >= max(i-4, 0); k-- {
		if words.English.Has("holds", list[k].text) && !list[k].code {
			return k+1 < i && declared(list, k) && anyIn(list[k+1:i], "at")
		}
	}
	return false
}

// linesOf is the number of lines that a sentence says its only file has: "x.go has 40 lines", "40 lines in x.go".
func linesOf(list []token) int {
	n, files := 0, 0
	for i := range list {
		if _, ok := pathAt(list, i); ok {
			files++
		} else if i > 0 && list[i].text == "lines" && n == 0 {
			n = count(list[i-1].text)
		}
	}
	if files != 1 || anyIn(list, "other_lines") || anyIn(list, "denied") {
		return 0
	}
	return n
}

// lineOf is the line of its file that a sentence names: "line 40 of x.go", "x.go, line 40", "in x.go on line 40".
func lineOf(list []token, i int) int {
	for k := max(i-4, 0); k < min(i+6, len(list)-1); k++ {
		if list[k].text == "line" {
			return count(list[k+1].text)
		}
	}
	return 0
}

// count is a number, perhaps with commas for thousands; 0 if a word is none.
func count(word string) int {
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
	if !commitForm(word) || strings.Trim(word, "0123456789") == "" && (i == 0 || list[i-1].text != "commit") {
		return "", false
	}
	if strings.Trim(word, "abcdef") == "" {
		return "", false // "defaced", "effaced"
	}
	return word, strings.HasPrefix(list[i].text, "@") || (list[i].code || i == 0) && (len(word) <= 10 || len(word) == 40) || words.English.Has("commit_before", list[i-1].text)
}

// branchAt is the branch that a word names: in code or with a slash or a hyphen, beside the word "branch". ".claude/" is a folder:
// git has no branch that begins or ends so.
func branchAt(list []token, i int) (string, bool) {
	t := list[i]
	name := t.name()
	if name == "" || strings.HasPrefix(strings.TrimLeft(t.raw, "`*_(\""), ".") || strings.HasSuffix(name, "/") || strings.ContainsAny(name, " `*#~^:\\@{") || !t.code && !strings.ContainsAny(name, "/-") {
		return "", false
	}
	start, _, slash := strings.Cut(name, "/")
	beside := slash && words.English.Has("branch_start", start) && !strings.Contains(name, ".") || i > 0 && list[i-1].text == "branch" || i+1 < len(list) && list[i+1].text == "branch" && (i == 0 || list[i-1].text != "a" && list[i-1].text != "new")
	return name, beside
}
