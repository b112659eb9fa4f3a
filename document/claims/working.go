package claims

import (
	"strings"

	"handoff/internal/text/prose"
)

// regresses: "no regressions", "no performance regressions were observed", "nothing regressed".
func regresses(list []token, i int) bool {
	for k := i + 1; k < min(i+4, len(list)) && !strings.HasSuffix(list[k-1].raw, ","); k++ {
		if prose.OneOf(list[k].text, "regression", "regressions", "regressed") {
			return !before(list, min(k+4, len(list)), 3, func(t token) bool {
				return prose.OneOf(t.text, "acceptable", "allowed", "permitted", "tolerated", "expected")
			})
		}
	}
	return false
}

// uploaded: commits or a branch are on the remote.
func uploaded(list []token, i int) bool {
	if list[i].is(wordInSync) {
		return i > 1 && list[i-1].text == "in" && anyIs(list, wordRemote, nil)
	}
	if !list[i].is(wordRemote) || i < 2 {
		return false
	}
	at := i - 1
	if list[at].text == "the" {
		at--
	}
	return at > 0 && prose.OneOf(list[at].text, "on", "with") && before(list, at, 3, func(t token) bool { return t.is(wordHappened) || t.text == "up" }) &&
		before(list, at, 6, func(t token) bool { return t.is(wordChange) }) && ends(list, i)
}

// applied: a migration ran.
func applied(list []token, i int) bool {
	if i == 0 || !list[i].is(wordApplied) || !(labels(list[i-1]) || list[i-1].is(wordHappened) || list[i-1].is(wordMigrations) || prose.OneOf(list[i].text, "ran", "succeeded", "applied")) || list[i-1].text == "to" ||
		list[i].text == "up" && !(tokenAt(list, i+1).text == "to" && tokenAt(list, i+2).text == "date") {
		return false
	}
	at := last(list, i, 6, func(t token) bool { return t.is(wordMigrations) })
	return at >= 0 && particular(list, at, i)
}

// labels reports whether a word is the end of a label.
func labels(t token) bool { return strings.HasSuffix(strings.TrimRight(t.raw, "*_"), ":") }

// measured: how much the tests cover, how fast it is now.
func measured(list []token, i int) bool {
	if !amount(list, i) || before(list, len(list), len(list), func(t token) bool { return t.in("targets") }) || strings.ContainsAny(list[i].raw, "<>≥≤~") {
		return false
	}
	subject := func(t token) bool { return t.is(wordMeasured) }
	gained := func(t token) bool { return t.is(wordGained|wordFinds) || prose.OneOf(t.text, "went", "ran") }
	coverage := func(t token) bool { return t.text == "coverage" }
	after := before(list, min(i+5, len(list)), 4, coverage)
	switch {
	case before(list, i, far, coverage) || after:
		return strings.HasPrefix(list[i].raw, "100%") || (strings.Contains(list[i].raw+tokenAt(list, i+1).raw, "%") || tokenAt(list, i+1).text == "percent") && (i > 0 && labels(list[i-1]) || before(list, i, 6, func(t token) bool { return t.is(wordGained|wordHappened) || t.in("having") }))
	case prose.OneOf(tokenAt(list, i+1).text, "faster", "slower", "speedup", "smaller") && before(list, i, 5, subject):
		return true
	}
	if word := tokenAt(list, i-1); !gained(word) && !labels(word) && !prose.OneOf(word.text, "", "to", "at", "by", "from", "of", "is", "now", "in", "about") {
		return false // "measured via 10 ms sampling"
	}
	return before(list, i, far, gained) && before(list, i, far+3, subject) || before(list, i, far, gained) && tokenAt(list, i-1).text == "to" && before(list, i, 7, func(t token) bool { return t.text == "from" })
}

// amount reports whether a word is a number with a unit: 12 ms, 3x, 35 %.
func amount(list []token, i int) bool {
	word := strings.TrimRight(list[i].raw, ".,;:!)*_+")
	word = strings.TrimLeft(word, "(*_+-~")
	digits := strings.TrimLeft(word, "0123456789.,")
	if digits == word {
		return false
	}
	if digits == "" {
		digits = tokenAt(list, i+1).text
		if digits == "" {
			digits = tokenAt(list, i+1).raw
		}
	}
	return prose.OneOf(digits, "%", "percent", "x", "×", "ms", "s", "µs", "us", "ns", "seconds", "minutes", "mb", "gb", "MB", "GB", "kB", "KB", "times", "fps")
}

// works: a feature does what it shall, a defect is gone.
func works(list []token, i int) bool {
	t, next := list[i], tokenAt(list, i+1)
	switch {
	case t.text == "gone":
		return i > 1 && before(list, i, 6, func(t token) bool { return t.is(wordDefects) }) && list[i-1].is(wordHappened)
	case i < 5 && list[0].is(wordGeneric) && list[0].text != "one" && list[0].text != "no" && list[0].text != "a" && list[0].text != "an":
		return false // "any format works"
	case !t.is(wordWorks) || before(list, i, far, func(t token) bool { return t.in("relative") || t.in("manner") }):
		return false
	}
	proper := next.is(wordWell) || prose.OneOf(next.text, "again", "now", "properly", "reliably", "end-to-end", "everywhere", "locally", "together") ||
		next.text == "as" && prose.OneOf(tokenAt(list, i+2).text, "expected", "intended", "designed", "before") || next.text == "end" && tokenAt(list, i+2).text == "to" ||
		prose.OneOf(next.text, "on", "in") && before(list, min(i+6, len(list)), min(4, len(list)-i-1), func(t token) bool { return t.is(wordByHand) })
	closed := i+1 == len(list) || strings.ContainsAny(t.raw[len(t.raw)-1:], ".,;!)")
	switch t.text {
	case "correctly", "properly":
		return (closed || proper) && i > 1 && before(list, i, 8, func(t token) bool { return strings.HasSuffix(t.text, "s") && len(t.text) > 4 || t.text == "render" })
	case "works":
		return proper || closed && i > 0 && !prose.OneOf(list[i-1].text, "", "it", "this", "that", "and", "the", "public")
	case "working", "functional", "operational":
		return i > 0 && (proper || closed) && (labels(list[i-1]) || list[i-1].is(wordHappened) || prose.OneOf(list[i-1].text, "fully", "confirmed", "verified"))
	}
	return i > 0 && next.is(wordWell) && (t.text == "functions" || list[i-1].text == "now")
}

// tried: somebody tried it by hand, in a browser, on a device.
func tried(list []token, i int) bool {
	t, next := list[i], tokenAt(list, i+1)
	if !t.is(wordChecked) || prose.OneOf(next.text, "false", "wrong", "impossible", "broken") {
		return false
	}
	if t.text == "signed" {
		return i > 0 && next.text == "off"
	}
	if !done(list, i) && !strings.HasSuffix(tokenAt(list, i-1).text, "ly") && count(tokenAt(list, i-2).text) == 0 || !particular(list, 0, i) {
		return false
	}
	if tokenAt(list, i-1).is(wordByHand) || next.text == "live" || next.is(wordWorks) {
		return true
	}
	for k := i + 1; k < min(i+8, len(list)) && !prose.OneOf(list[k].text, "that", "they"); k++ {
		if list[k].is(wordByHand) {
			return true
		}
		if strings.HasSuffix(list[k].raw, ",") && k > i+3 {
			break
		}
	}
	return false
}
