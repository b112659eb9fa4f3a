package claims

import (
	"strings"
	"unicode"

	"handoff/document/words"
)

// inOtherLanguage are the claims of a text in another language than English that are not about tests.
func inOtherLanguage(text string) (found []Claim) {
	at := 0
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("。！；;!\n", r) }) {
		at += strings.Index(text[at:], sentence)
		for part := range strings.SplitSeq(sentence, ". ") {
			name, _, labelled := cutLabel(part)
			if strings.ContainsAny(part, "?？\"„“「『«") || labelled && words.Criteria(name) {
				continue
			}
			c := Claim{Text: strings.TrimSpace(part), at: at}
			switch otherState(part) {
			case otherMerged:
				c.Kind, c.Name = Merged, named(tokens(part))
			case otherPushed:
				c.Kind, c.Name = Pushed, named(tokens(part))
			case otherDeployed:
				c.Kind = Published
			case otherHolds:
				list, ok := tokens(part), false
				for i := range list {
					if p, is := pathAt(list, i); is && !ok {
						c.Kind, c.Path, ok = File, p.Text, true
					}
				}
				if !ok {
					continue
				}
			default:
				continue
			}
			found = append(found, c)
		}
	}
	return found
}

// What a sentence in another language than English states of the work, besides that tests pass.
const (
	otherMerged   = "merged"
	otherPushed   = "pushed"
	otherDeployed = "deployed"
	otherHolds    = "holds" // a file that it names exists, or holds something
)

// otherState returns what a sentence in another language than English states, "" for nothing. A wish or a condition states
// nothing. What was merged or pushed must be named: a branch, a number, a commit.
func otherState(sentence string) string {
	folded := words.Fold(sentence)
	for l := range words.Others(folded) {
		text := l.Fold(folded)
		if wishesIn(l, text) {
			continue
		}
		for _, key := range [...]string{otherMerged, otherPushed, otherDeployed, otherHolds} {
			if finds(l, key, text) && (key == otherDeployed || key == otherHolds || isNamed(text) || finds(l, "worked_on", text)) {
				return key
			}
		}
	}
	return ""
}

// otherChecks returns whether a sentence in another language than English speaks of a build, or of checks that run elsewhere.
func otherChecks(sentence string) (build, remote bool) {
	folded := words.Fold(sentence)
	for l := range words.Others(folded) {
		text := l.Fold(folded)
		build, remote = build || finds(l, "building", text), remote || finds(l, "remote_checks", text)
	}
	return build, remote
}

// finds reports whether a text has a word or phrase of a key.
func finds(l *words.Language, key, text string) bool {
	for _, w := range l.List(key) {
		if l.Find(text, w) >= 0 {
			return true
		}
	}
	return false
}

// wishesIn reports whether a text has a word that makes it a wish, a condition or its contrary.
func wishesIn(l *words.Language, text string) bool {
	if !l.Spaced {
		return finds(l, "wish", text)
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		if l.Has("wish", word) {
			return true
		}
	}
	return false
}

// isNamed reports whether a text names a branch, an issue or a remote in the words of git.
func isNamed(text string) bool {
	return strings.ContainsAny(text, "`#") || strings.Contains(text, "main") || strings.Contains(text, "origin") || strings.Contains(text, "master")
}
