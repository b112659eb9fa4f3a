package claims

import (
	"regexp"
	"strings"
	"sync"

	"handoff/document/words"
)

// stated is the kind of claim that a sentence makes by what it names and says of that, wherever its words are: that a check
// found nothing, that work is where users have it, that an issue is over, who has what.
func stated(list []token) (kind Kind, ok bool) {
	for _, find := range [...]struct {
		kind Kind
		at   func([]token, int) bool
	}{{Tests, faultless}, {Tests, fine}, {Merged, landed}, {Published, reached}, {Closed, over}, {Owner, has}} {
		for i := range list {
			if !list[i].code && find.at(list, i) && declared(list, i) && !negated(list, i) {
				return find.kind, true
			}
		}
	}
	return 0, false
}

// is reports whether a word is in a list of the words.
func (t token) is(key string) bool { return !t.code && words.English.Has(key, t.text) }

// tokenAt is a token, an empty one before the first and after the last.
func tokenAt(list []token, i int) token {
	if i < 0 || i >= len(list) {
		return token{}
	}
	return list[i]
}

// ends reports whether a clause ends after a word, but for when and where.
func ends(list []token, i int) bool {
	return i+1 == len(list) || strings.ContainsAny(list[i].raw[len(list[i].raw)-1:], ".,;:!)") || list[i+1].is("whenever") || list[i+1].text == ""
}

// negated reports whether one of the words right before denies it.
func negated(list []token, i int) bool {
	for k := max(0, i-3); k < i; k++ {
		if list[k].is("denies") {
			return true
		}
	}
	return false
}

// checker reports whether a word is what checks the work, or a command that does.
func checker(t token) bool {
	if !t.code {
		return words.English.Has("tests", strings.TrimSuffix(t.text, "'s")) || t.is("building") || t.is("linting") || t.is("testing") || t.is("checkers")
	}
	first, rest, _ := strings.Cut(strings.Trim(t.text, around), " ")
	return words.English.Has("checkers", first) || words.English.Has("testing", first) || strings.HasPrefix(rest, "test") || strings.HasPrefix(rest, "build") || strings.HasPrefix(rest, "run ")
}

// before reports whether one of the words before an index, in its clause and at most n away, is so.
func before(list []token, i, n int, is func(token) bool) bool {
	for k := i - 1; k >= max(0, i-n); k-- {
		if is(list[k]) {
			return true
		}
	}
	return false
}

// far is how many words may be between what checks and what it found.
const far = 9

// faultless: "no errors", "exits with 0".
func faultless(list []token, i int) bool {
	t := list[i]
	if t.text == "0" && i > 0 && (before(list, i, 2, func(t token) bool { return t.is("exiting") })) {
		return before(list, i, far, checker)
	}
	if !t.is("none_of") || i > 0 && list[i-1].is("denies") {
		return false
	}
	for k := i + 1; k < min(i+4, len(list)); k++ {
		if list[k].is("faults") {
			return before(list, i, far, checker) || before(list, k, k-i, checker) || before(list, len(list), len(list)-k, checker)
		}
	}
	return false
}

// fine: what checks is "clean", "ok", "✅".
func fine(list []token, i int) bool {
	if !(list[i].is("well") || strings.ContainsAny(list[i].raw, "✅✔✓")) || !ends(list, i) {
		return false
	}
	return before(list, i, 6, checker)
}

// landed: a pull request is in.
func landed(list []token, i int) bool {
	switch t := list[i]; {
	case t.text == "merged" && isIssue(list, i+1):
		return true
	case t.text == "merged":
		return i > 0 && before(list, i, 4, request(list))
	case t.text == "in" && ends(list, i), t.text == "landed":
		return before(list, i, 4, request(list))
	case t.text == "made" && tokenAt(list, i+1).text == "it", t.text == "went" && tokenAt(list, i+1).text == "in":
		return before(list, i, 3, request(list))
	}
	return false
}

// request reports whether a word names a pull request.
func request(list []token) func(token) bool {
	named := false
	for i := range list {
		named = named || list[i].is("merge_object") || isIssue(list, i)
	}
	return func(t token) bool {
		return named && (t.is("merge_object") && t.text != "main" && t.text != "upstream" || links().MatchString(t.raw) || forms().issue.MatchString(t.name()))
	}
}

// links are addresses of issues and pull requests.
var links = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/(pull|issues|merge_requests)/\d+`) })

// isIssue reports whether a word is the number of an issue or a pull request.
func isIssue(list []token, i int) bool {
	t := tokenAt(list, i)
	return forms().issue.MatchString(t.name()) || links().MatchString(t.raw) || i > 0 && t.text != "" && strings.Trim(t.text, "0123456789") == "" && list[i-1].is("numbered")
}

// reached: users have it, in production or in a store.
func reached(list []token, i int) bool {
	t := list[i]
	be := func(t token) bool { return t.is("happened") }
	switch {
	case t.text == "live" && ends(list, i):
		return before(list, i, 2, be)
	case t.is("places"):
		return (i < 2 && tokenAt(list, i+1).is("serves")) || i > 1 && (list[i-1].text == "in" || list[i-1].text == "on" || list[i-1].text == "to") && before(list, i-1, 3, be)
	case t.text == "out" && ends(list, i), t.text == "out" && tokenAt(list, i+1).text == "to":
		return before(list, i, 2, be) && anyIs(list, "issued", forms().version) || tokenAt(list, i-1).text == "rolled"
	case t.text == "cut":
		return i > 0 && i+1 < len(list) && forms().version.MatchString(list[i+1].name())
	}
	return false
}

// over: an issue is closed.
func over(list []token, i int) bool {
	t := list[i]
	issue := func(from, n int) bool {
		for k := from; k > from-n && k >= 0; k-- {
			if isIssue(list, k) {
				return true
			}
		}
		return false
	}
	switch {
	case (t.is("closed") || t.is("ended") || t.text == "gone") && i > 0:
		return list[i-1].text == "as" && issue(i-2, 4) || list[i-1].is("happened") && issue(i-2, 3)
	case t.is("closes"):
		return i == 0 && isIssue(list, 1)
	}
	return false
}

// has: somebody has a piece of work.
func has(list []token, i int) bool {
	t, after := list[i], tokenAt(list, i+1)
	person := func(k int) bool { return k >= 0 && k < len(list) && isName(list[k]) }
	switch {
	case t.is("owner") && (i == 0 || list[i-1].text == ""):
		for k := i; k < min(i+6, len(list)-1); k++ {
			if strings.HasSuffix(list[k].raw, ":") || strings.HasSuffix(list[k].raw, ":**") {
				return person(k + 1)
			}
		}
	case t.text == "with" && i > 0 && list[i-1].is("lies"):
		return person(i+1) || before(list, len(list), len(list)-i, func(t token) bool { return t.text == "team" })
	case t.text == "picked" && after.text == "up", (t.text == "took" || t.text == "taken") && after.text == "over":
		return person(i-1) || person(i-2)
	case t.text == "took", t.text == "is" && (after.text == "on" || after.text == "doing" || after.text == "handling"):
		return person(i-1) && before(list, len(list), len(list)-i-1, func(t token) bool { return t.is("errands") })
	case t.text == "has" && after.text == "it":
		return i > 0 && strings.HasPrefix(strings.TrimLeft(list[i-1].raw, "*_`"), "@")
	}
	return false
}
