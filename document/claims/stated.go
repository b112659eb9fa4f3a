package claims

import (
	"slices"
	"strings"

	"handoff/internal/text/prose"
)

// states are the finders of what a sentence states by what it names and says of that, wherever its words are: that a check
// found nothing, that work is where users have it, that an issue is over, who has what.
var states = [...]struct {
	finder finders
	kind   Kind
	at     func([]token, int) bool
}{{byClean, Tests, clean}, {byFine, Tests, fine}, {byLanded, Merged, landed}, {byUploaded, Pushed, uploaded}, {byReached, Published, reached}, {byOver, Closed, over},
	{byApplied, Migrated, applied}, {byMeasured, Measured, measured}, {byWorks, Works, works}, {byTried, Checked, tried}, {byHas, Owner, has}}

// stated is the kind of claim that one of some finders sees in a sentence.
func stated(list []token, may finders) (kind Kind, ok bool) {
	for n := range states {
		find := &states[n]
		if may&find.finder == 0 {
			continue
		}
		for i := range list {
			if (!list[i].code || find.finder == byFine) && !list[i].quoted && find.at(list, i) && declared(list, i) && !negated(list, i) && (find.kind == Tests || !nothing(list, i)) {
				return find.kind, true
			}
		}
	}
	if may&byForm != 0 {
		return anywhere(list)
	}
	return 0, false
}

// tokenAt is a token, an empty one before the first and after the last.
func tokenAt(list []token, i int) token {
	if i < 0 || i >= len(list) {
		return token{}
	}
	return list[i]
}

// ends reports whether a clause ends after a word, but for when and where.
func ends(list []token, i int) bool {
	return i+1 == len(list) || strings.IndexByte(".,;:!)", list[i].raw[len(list[i].raw)-1]) >= 0 || list[i+1].is(wordWhenever) || list[i+1].opens || whole(list[i+1].text) || list[i+1].text == "" ||
		list[i+1].text == "at" && !strings.HasSuffix(tokenAt(list, i+2).text, "ing") ||
		strings.HasSuffix(list[i+1].text, "ly") && list[i+1].text != "only" && ends(list, i+1)
}

// negated reports whether one of the words right before denies it.
func negated(list []token, i int) bool {
	for k := max(0, i-3); k < i; k++ {
		if list[k].is(wordDenies) {
			return true
		}
	}
	return false
}

// nothing reports whether the subject of a clause is nothing: "nothing gets pushed".
func nothing(list []token, i int) bool {
	for k := i - 1; k >= max(0, i-far) && !strings.HasSuffix(list[k].raw, ","); k-- {
		if list[k].is(wordNoneOf) {
			return true
		}
	}
	return false
}

// checker reports whether a word is what checks the work, or a command that does.
func checker(t token) bool {
	if !t.code {
		return t.lists&(anyCheck&^wordRunners) != 0
	}
	n := 0
	for word := range strings.FieldsFuncSeq(t.text, func(r rune) bool { return r == ' ' || r == '`' || r == ':' }) {
		of := wordTesting | wordBuilding | wordLinting | wordTests | wordCheckers
		if n++; n == 1 {
			of = wordCheckers | wordTesting | wordLinting | wordRunners
		}
		if classOf(word)&of != 0 {
			return true
		}
		if n == 4 {
			break
		}
	}
	return false
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

// after reports whether one of the words after an index is so.
func after(list []token, i int, is func(token) bool) bool {
	return before(list, len(list), len(list)-i-1, is)
}

// errand reports whether a word is a piece of work that somebody may have.
func errand(t token) bool { return t.is(wordErrands) || prose.OneOf(t.text, "this", "it") }

// far is how many words may be between what checks and what it found.
const far = 9

// clean: what checks found nothing: "no errors", "no test is red", "exits with 0", "the errors are gone".
func clean(list []token, i int) bool {
	t := list[i]
	switch {
	case prose.OneOf(t.text, "no", "zero") && after(list, i, func(t token) bool { return prose.OneOf(t.text, "should", "must", "may", "shall") }):
		return false
	case t.is(wordNoneOf) && regresses(list, i):
		return true
	case t.text == "0" && before(list, i, 2, func(t token) bool { return t.is(wordExiting) }):
		return before(list, i, far, checker)
	case t.is(wordCleared):
		return before(list, i, 5, func(t token) bool { return t.is(wordFaults) }) && before(list, i, 2, func(t token) bool { return t.is(wordHappened) }) && before(list, i, far, checker)
	case t.text == "nothing" && tokenAt(list, i-1).is(wordFinds):
		return before(list, i, 3, checker)
	case t.text == "not" && !prose.OneOf(tokenAt(list, i+1).text, "a", "one") || t.text != "not" && !t.is(wordNoneOf) || i > 0 && list[i-1].is(wordDenies):
		return false
	}
	for k := i + 1; k < min(i+6, len(list)) && !strings.HasSuffix(list[k-1].raw, ","); k++ {
		if !list[k].is(wordFaults) {
			continue
		}
		if between := before(list, k, k-i, checker); k > i+3 || between {
			return between && (k < i+3 || list[k-1].is(wordHappened) || checker(list[k-1]))
		}
		return t.text != "not" && (before(list, i, far, checker) || before(list, len(list), len(list)-k, checker))
	}
	return false
}

// fine: what checks is "clean", "ok", "✅", "34/34"; or we have "a passing suite".
func fine(list []token, i int) bool {
	if list[i].code {
		return shown(list[i])
	}
	// "Ran" says that it ended, and not how; "v2 test builds" are things.
	ran, things := list[i].is(wordRan), list[i].text == "builds" && i > 0 && list[i-1].is(wordTesting)
	made := list[i].is(wordMade) && list[i].text != "compile" && i > 0 && checker(list[i-1]) && !things
	switch well := list[i].is(wordWell) || made; {
	case well && i+1 < len(list) && checker(list[i+1]) && before(list, i, 3, func(t token) bool { return t.in("having") }):
		return true
	case i > 0 && prose.OneOf(list[i].text, "passing", "passed") && count(list[i-1].text) > 1 && ends(list, i):
		return true // "412 passing"
	case i == 0 && list[i].text == "green" && tokenAt(list, 1).text == "across":
		return true // the board
	case i > 0 && sign(list[i]) && labels(list[i-1]) && checker(list[i-1]) && i+1 < len(list) && (list[i+1].is(wordWell) || list[i+1].is(wordRan)):
		return true // "Build: ✅ successful"
	case i == 0 || !well && !ran && !whole(list[i].text) && !sign(list[i]), !ends(list, i):
		return false
	}
	if prose.OneOf(list[i].text, "pass", "passes") && before(list, i, 3, func(t token) bool { return prose.OneOf(t.text, "a", "an", "first", "second", "last", "another") }) {
		return false // "run a second pass"
	}
	if list[i].text == "pass" && !strings.HasSuffix(list[i-1].text, "s") && count(list[i-1].text) == 0 && !list[i-1].in("between") && !before(list, i, 3, func(t token) bool { return t.text == "and" || t.text == "+" }) {
		return false // "a format pass"
	}
	if list[i].opens && prose.OneOf(list[i].text, "clean", "good", "stable", "ok") {
		return false // "Test 3: switching (clean)"
	}
	at := last(list, i, 6, checker)
	if list[i-1].is(wordGeneric) || prose.OneOf(list[i-1].text, "the", "every") {
		return false // "in every pass"
	}
	if list[i].text == "built" && at >= 0 && !list[at].code {
		return false // "the pipeline is built in the main thread"
	}
	return at >= 0 && particular(list, at, i) && (!ran || list[at].code || list[at].is(wordRemoteChecks) && !prose.OneOf(list[at].text, "workflow", "workflows", "actions") || tokenAt(list, i+1).is(wordWell) || tokenAt(list, i+1).text == "with")
}

// results are what the words of a result begin with, which [shown] knows.
var results = [...]string{"pass", "clean", "green", "ok"}

// shown reports whether a code span is the result of a check: `64 passed`, `ruff clean`.
func shown(t token) bool {
	span := spanOf(t)
	if !strings.ContainsAny(span, " \t\n") || !slices.ContainsFunc(results[:], func(word string) bool { return prose.IndexFold(span, word) >= 0 }) {
		return false // soon: most code
	}
	list := tokens(span)
	end := len(list) - 1
	if end < 1 || failing(list) {
		return false
	}
	for i := range list[1:] {
		if prose.OneOf(list[i+1].text, "passed", "passing") && (count(list[i].text) > 0 || whole(list[i].text)) {
			return true
		}
	}
	return end == 1 && checker(list[0]) && prose.OneOf(list[1].text, "clean", "green", "ok", "passed")
}

// sign reports whether a word has a sign that all is well.
func sign(t token) bool {
	return strings.Contains(t.raw, "✅"[:2]) && strings.ContainsAny(t.raw, "✅✔✓") // soon: few words have any sign
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
		if list[k].in("relative") || list[k].opens && !strings.Contains(list[k].raw, ")") && count(list[k].text) == 0 {
			return false
		}
	}
	for k := subject - 1; k >= max(0, subject-3) && !strings.HasSuffix(list[k].raw, ","); k-- {
		if list[k].is(wordGeneric) && list[k].text != "one" {
			return false
		}
	}
	return true
}

// landed: a pull request is in, a change is part of the main branch.
func landed(list []token, i int) bool {
	t, asked := list[i], request(list)
	switch {
	case t.text == "merged" && count(tokenAt(list, i-1).text) > 0 && !ends(list, i):
		return false // "7 merged branches"
	case t.is(wordAccepts) && !tokenAt(list, i-1).is(wordNoneOf) && (isIssue(list, i+1) || i > 0 && before(list, min(i+4, len(list)), 2, asked)):
		return true
	case t.is(wordAccepts):
		return i > 0 && before(list, i, 4, asked)
	case prose.OneOf(t.text, "in", "through") && ends(list, i), t.text == "landed":
		return before(list, i, 5, asked) && before(list, i, 3, func(t token) bool { return t.is(wordHappened) || t.text == "landed" })
	case t.text == "made" && tokenAt(list, i+1).text == "it", t.text == "went" && tokenAt(list, i+1).text == "in":
		return before(list, i, 3, asked)
	case t.is(wordMainline) && tokenAt(list, i+1).text != "branch":
		at := i - 1
		if at > 0 && list[at].text == "the" {
			at--
		}
		return at > 0 && (prose.OneOf(list[at].text, "in", "into", "on", "onto") || list[at].text == "of" && list[at-1].text == "part" || t.text == "upstream" && list[at].is(wordAccepts)) &&
			before(list, at+1, 5, func(t token) bool { return t.is(wordHappened) || t.is(wordAccepts) }) &&
			before(list, at, 8, func(t token) bool { return t.is(wordChange) || asked(t) }) && !before(list, at, at, func(t token) bool { return t.in("apart") })
	}
	return false
}

// request reports whether a word names a pull request.
func request(list []token) func(token) bool {
	return func(t token) bool {
		return t.is(wordMergeObject) && !t.is(wordMainline) && namesOne(list) || issueLink(t.raw) ||
			issueForm(t.name())
	}
}

// namesOne reports whether a sentence names a pull request or an issue.
func namesOne(list []token) bool {
	for i := range list {
		if list[i].is(wordMergeObject) || isIssue(list, i) {
			return true
		}
	}
	return false
}

// isIssue reports whether a word is the number of an issue or a pull request.
func isIssue(list []token, i int) bool {
	t := tokenAt(list, i)
	return issueForm(t.name()) || issueLink(t.raw) || i > 0 && t.text != "" && strings.Trim(t.text, "0123456789") == "" && list[i-1].is(wordNumbered)
}

// reached: users have it, in production or in a store.
func reached(list []token, i int) bool {
	t := list[i]
	be := func(t token) bool { return t.is(wordHappened) }
	released := func(t token) bool { return t.is(wordIssued) || versionForm(t.name()) }
	switch {
	case sign(t):
		return i > 0 && labels(list[i-1]) && list[i-1].is(wordRollout)
	case t.is(wordPlaces):
		if i < 2 && !prose.OneOf(t.text, "store", "stores", "registry", "web", "cluster", "cdn") && (tokenAt(list, i+1).in("serves") || tokenAt(list, i+1).text == "is" && tokenAt(list, i+2).in("serves")) {
			return true
		}
		at := last(list, i, 3, func(t token) bool { return prose.OneOf(t.text, "in", "on", "to", "from") })
		return at > 0 && !anyIs(list, wordFaults, nil) && (before(list, at, 1, be) || list[at-1].is(wordAvailable) && before(list, at, 5, func(t token) bool { return be(t) || released(t) }))
	case t.is(wordAudience) && tokenAt(list, i+2).text == "to":
		return false // they "have to"
	case t.is(wordAudience) && i < 3:
		return tokenAt(list, i+1).in("having") || before(list, min(i+4, len(list)), 3, func(t token) bool { return t.text == "using" || t.text == "have" }) && anyIs(list, wordIssued, versionForm)
	case t.is(wordAudience):
		return before(list, i, 4, func(t token) bool { return t.is(wordAvailable) || t.text == "out" || t.text == "on" }) && before(list, i, 6, be)
	case tokenAt(list, i-1).text == "turned":
		return false // out to be so
	case t.text == "live" && (tokenAt(list, i+1).code || tokenAt(list, i+2).code):
		return false // they live in `x.go`
	case prose.OneOf(t.text, "live", "out") && ends(list, i), t.text == "out" && tokenAt(list, i+1).text == "to":
		return before(list, i, 2, be) && (t.text == "live" && goes(list, i) || anyIs(list, wordIssued, versionForm)) || tokenAt(list, i-1).text == "rolled"
	case prose.OneOf(t.text, "complete", "done", "finished", "completed", "available") && ends(list, i):
		return before(list, i, 2, be) && before(list, i, far, func(t token) bool { return t.is(wordRollout) })
	case t.is(wordReleased) || t.is(wordDeployed):
		return i > 0 && prose.OneOf(list[i-1].text, "we", "i")
	case t.text == "cut":
		return i > 0 && i+1 < len(list) && versionForm(list[i+1].name())
	}
	return false
}

// goes reports whether something is or goes live, and was not found so.
func goes(list []token, i int) bool {
	return i > 0 && (prose.OneOf(list[i-1].text, "is", "are", "now", "went", "gone", "been", "already", "fully", "stays", "was", "were", "it's", "that's") || labels(list[i-1]))
}

// over: an issue is closed.
func over(list []token, i int) bool {
	t := list[i]
	if t.in("closes") && i == 0 {
		return isIssue(list, 1)
	}
	if i == 0 || !(t.is(wordClosed) || t.is(wordEnded) || t.is(wordSettled)) {
		return false
	}
	if list[i-1].text == "as" || list[i-1].is(wordHappened) {
		at := last(list, i, 6, func(t token) bool {
			return t.is(wordIssue) || issueForm(t.name()) || issueLink(t.raw)
		})
		if at < 0 || !particular(list, at, i) {
			return false
		}
		numbered := isIssue(list, at) || isIssue(list, at+1)
		return numbered || t.text == "closed" || t.is(wordSettled)
	}
	return false
}

// has: somebody is on a piece of work, or it is with somebody. Other words for that are in forms.txt.
func has(list []token, i int) bool {
	switch list[i].text {
	case "with":
		return i > 0 && list[i-1].is(wordLies) && afterWho(list, i+1) > 0
	case "is":
		return i > 0 && isName(list[i-1]) && tokenAt(list, i+1).text == "on" && after(list, i, errand)
	}
	return false
}
