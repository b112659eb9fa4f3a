package claims

import (
	"regexp"
	"strings"
	"sync"

	"handoff/document/words"
	"handoff/internal/text/prose"
)

// stated is the kind of claim that a sentence makes by what it names and says of that, wherever its words are: that a check
// found nothing, that work is where users have it, that an issue is over, who has what.
func stated(list []token) (kind Kind, ok bool) {
	for _, find := range [...]struct {
		kind Kind
		at   func([]token, int) bool
	}{{Tests, clean}, {Tests, fine}, {Merged, landed}, {Published, reached}, {Closed, over}, {Owner, has}} {
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
	return i+1 == len(list) || strings.ContainsAny(list[i].raw[len(list[i].raw)-1:], ".,;:!)") || list[i+1].is("whenever") || list[i+1].text == "" ||
		list[i+1].text == "at" && !strings.HasSuffix(tokenAt(list, i+2).text, "ing") ||
		strings.HasSuffix(list[i+1].text, "ly") && list[i+1].text != "only" && ends(list, i+1)
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
		return words.English.Has("tests", strings.TrimSuffix(t.text, "'s")) || t.is("remote_checks") || t.is("building") || t.is("linting") || t.is("testing") || t.is("checkers")
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

// clean: what checks found nothing: "no errors", "no test is red", "exits with 0", "the errors are gone".
func clean(list []token, i int) bool {
	t := list[i]
	switch {
	case t.text == "0" && before(list, i, 2, func(t token) bool { return t.is("exiting") }):
		return before(list, i, far, checker)
	case t.is("cleared"):
		return before(list, i, 5, func(t token) bool { return t.is("faults") }) && before(list, i, 2, func(t token) bool { return t.is("happened") }) && before(list, i, far, checker)
	case t.text == "nothing" && tokenAt(list, i-1).is("finds"):
		return before(list, i, 3, checker)
	case t.text == "not" && !prose.OneOf(tokenAt(list, i+1).text, "a", "one") || t.text != "not" && !t.is("none_of") || i > 0 && list[i-1].is("denies"):
		return false
	}
	for k := i + 1; k < min(i+6, len(list)); k++ {
		if !list[k].is("faults") {
			continue
		}
		if between := before(list, k, k-i, checker); k > i+3 || between {
			return between && (k < i+3 || list[k-1].is("happened") || checker(list[k-1]))
		}
		return t.text != "not" && (before(list, i, far, checker) || before(list, len(list), len(list)-k, checker))
	}
	return false
}

// fine: what checks is "clean", "ok", "✅", "34/34"; or we have "a passing suite".
func fine(list []token, i int) bool {
	ran := list[i].is("ran") // which says that it ended, and not how
	made := prose.OneOf(list[i].text, "builds", "compiles") && i > 0 && checker(list[i-1])
	switch well := list[i].is("well") || made; {
	case well && i+1 < len(list) && checker(list[i+1]) && before(list, i, 3, func(t token) bool { return t.is("having") }):
		return true
	case i == 0 || !well && !ran && !whole(list[i].text) && !strings.ContainsAny(list[i].raw, "✅✔✓"), !ends(list, i):
		return false
	}
	at := last(list, i, 6, checker)
	if list[i-1].is("generic") || prose.OneOf(list[i-1].text, "the", "every") {
		return false // "in every pass"
	}
	return at >= 0 && particular(list, at, i) && (!ran || list[at].is("remote_checks") && !prose.OneOf(list[at].text, "workflow", "workflows", "actions") || tokenAt(list, i+1).is("well") || tokenAt(list, i+1).text == "with")
}

// last is the last word before an index, at most n away, that is so; -1 for none.
func last(list []token, i, n int, is func(token) bool) int {
	for k := i - 1; k >= max(0, i-n); k-- {
		if is(list[k]) {
			return k
		}
	}
	return -1
}

// particular reports whether what a subject does up to a verb is said of this one, and not of any: "a build that succeeds".
func particular(list []token, subject, verb int) bool {
	for k := subject + 1; k < verb; k++ {
		if list[k].is("relative") {
			return false
		}
	}
	for k := subject - 1; k >= max(0, subject-3) && !strings.HasSuffix(list[k].raw, ","); k-- {
		if list[k].is("generic") && list[k].text != "one" {
			return false
		}
	}
	return true
}

// landed: a pull request is in, a change is part of the main branch.
func landed(list []token, i int) bool {
	t, asked := list[i], request(list)
	switch {
	case t.is("accepts") && !tokenAt(list, i-1).is("none_of") && (isIssue(list, i+1) || i > 0 && before(list, min(i+4, len(list)), 2, asked)):
		return true
	case t.is("accepts"):
		return i > 0 && before(list, i, 4, asked)
	case prose.OneOf(t.text, "in", "through") && ends(list, i), t.text == "landed":
		return before(list, i, 5, asked) && before(list, i, 3, func(t token) bool { return t.is("happened") || t.text == "landed" })
	case t.text == "made" && tokenAt(list, i+1).text == "it", t.text == "went" && tokenAt(list, i+1).text == "in":
		return before(list, i, 3, asked)
	case t.is("mainline") && tokenAt(list, i+1).text != "branch":
		at := i - 1
		if at > 0 && list[at].text == "the" {
			at--
		}
		return at > 0 && (prose.OneOf(list[at].text, "in", "into", "on", "onto") || list[at].text == "of" && list[at-1].text == "part" || t.text == "upstream" && list[at].is("accepts")) &&
			before(list, at+1, 5, func(t token) bool { return t.is("happened") || t.is("accepts") }) &&
			before(list, at, 8, func(t token) bool { return t.is("change") || asked(t) }) && !before(list, at, at, func(t token) bool { return t.is("apart") })
	}
	return false
}

// request reports whether a word names a pull request.
func request(list []token) func(token) bool {
	return func(t token) bool {
		return t.is("merge_object") && !t.is("mainline") && namesOne(list) || links().MatchString(t.raw) ||
			forms().issue.MatchString(t.name())
	}
}

// namesOne reports whether a sentence names a pull request or an issue.
func namesOne(list []token) bool {
	for i := range list {
		if list[i].is("merge_object") || isIssue(list, i) {
			return true
		}
	}
	return false
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
	released := func(t token) bool { return t.is("issued") || forms().version.MatchString(t.name()) }
	switch {
	case t.is("places"):
		if i < 2 && (tokenAt(list, i+1).is("serves") || tokenAt(list, i+1).text == "is" && tokenAt(list, i+2).is("serves")) {
			return true
		}
		at := last(list, i, 3, func(t token) bool { return prose.OneOf(t.text, "in", "on", "to", "from") })
		return at > 0 && !anyIs(list, "faults", nil) && (before(list, at, 1, be) || list[at-1].is("available") && before(list, at, 5, func(t token) bool { return be(t) || released(t) }))
	case t.is("audience") && i < 3:
		return tokenAt(list, i+1).is("having") || before(list, min(i+4, len(list)), 3, func(t token) bool { return t.text == "using" || t.text == "have" }) && anyIs(list, "issued", forms().version)
	case t.is("audience"):
		return before(list, i, 4, func(t token) bool { return t.is("available") || t.text == "out" || t.text == "on" }) && before(list, i, 6, be)
	case tokenAt(list, i-1).text == "turned":
		return false // out to be so
	case prose.OneOf(t.text, "live", "out") && ends(list, i), t.text == "out" && tokenAt(list, i+1).text == "to":
		return before(list, i, 2, be) && (t.text == "live" || anyIs(list, "issued", forms().version)) || tokenAt(list, i-1).text == "rolled"
	case prose.OneOf(t.text, "complete", "done", "finished", "completed", "available") && ends(list, i):
		return before(list, i, 2, be) && before(list, i, 4, func(t token) bool { return t.is("rollout") })
	case t.is("released") || t.is("deployed"):
		return i > 0 && prose.OneOf(list[i-1].text, "we", "i")
	case t.text == "cut":
		return i > 0 && i+1 < len(list) && forms().version.MatchString(list[i+1].name())
	}
	return false
}

// over: an issue is closed.
func over(list []token, i int) bool {
	t := list[i]
	if t.is("closes") && i == 0 {
		return isIssue(list, 1)
	}
	care := t.text == "taken" && tokenAt(list, i+1).text == "care"
	if i == 0 || !(t.is("closed") || t.is("ended") || t.is("settled") || care) {
		return false
	}
	if list[i-1].text == "as" || list[i-1].is("happened") {
		at := last(list, i, 6, func(t token) bool {
			return t.is("issue") || forms().issue.MatchString(t.name()) || links().MatchString(t.raw)
		})
		if at < 0 || !particular(list, at, i) {
			return false
		}
		numbered := isIssue(list, at) || isIssue(list, at+1)
		return numbered || t.text == "closed" || t.is("settled")
	}
	return false
}

// has: somebody has a piece of work.
func has(list []token, i int) bool {
	t, after := list[i], tokenAt(list, i+1)
	person := func(k int) bool { return k >= 0 && k < len(list) && isName(list[k]) }
	errand := func() bool {
		return before(list, len(list), len(list)-i-1, func(t token) bool { return t.is("errands") })
	}
	mentioned := func(k int) bool { return k >= 0 && strings.HasPrefix(strings.TrimLeft(list[k].raw, "*_`"), "@") }
	switch {
	case t.is("owner") && (i == 0 || list[i-1].text == ""):
		for k := i; k < min(i+6, len(list)-1); k++ {
			if strings.HasSuffix(list[k].raw, ":") || strings.HasSuffix(list[k].raw, ":**") {
				return person(k + 1)
			}
		}
	case t.text == "with" && i > 0 && list[i-1].is("lies"):
		return person(i+1) || before(list, len(list), len(list)-i, func(t token) bool { return t.text == "team" })
	case t.is("given") && prose.OneOf(after.text, "to", "by"):
		return i > 0 && person(i+2) && (list[i-1].is("happened") || prose.OneOf(t.text, "belongs", "belong")) && (after.text == "to" || before(list, i, 6, func(t token) bool { return t.is("errands") }))
	case t.text == "picked" && after.text == "up", (t.text == "took" || t.text == "taken") && after.text == "over":
		return person(i-1) || person(i-2)
	case t.is("takes"):
		k := i - 1
		for k > 0 && (list[k].is("happened") || list[k].text == "in") {
			k--
		}
		return (k < i-1 || prose.OneOf(t.text, "took", "leads")) && person(k) && (errand() || mentioned(k))
	case t.text == "is" && (after.text == "on" || after.text == "doing" || after.text == "handling"):
		return person(i-1) && errand()
	case t.text == "has" && after.text == "it":
		return mentioned(i - 1)
	}
	return false
}
