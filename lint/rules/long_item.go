package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// longItem flags an item of more than one sentence.
func longItem(p *lint.Pass) {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		switch o.meant(i) {
		case handoff.Decisions, handoff.DeadEnds, handoff.Context:
		default:
			continue
		}
		for it := range s.Top {
			if n := sentences(it.Text); n > 1 {
				p.At(it.Head, "%d sentences: keep one, with the reason after a colon", n)
			}
		}
	}
}

// sentences counts the sentences of a text, at least 1. It counts a new one
// only if it is certain: after a dot that ends a word, outside code and
// brackets, before a capital letter or code.
func sentences(text string) int {
	n, depth := 1, 0
	if strings.IndexByte(text, 0xe3) >= 0 || strings.IndexByte(text, 0xef) >= 0 {
		n += wideSentences(text)
	}
	if strings.IndexByte(text, '.') < 0 && strings.IndexByte(text, '!') < 0 && strings.IndexByte(text, '?') < 0 {
		return n
	}
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '`':
			at = prose.AfterCode(text, at) - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '.', '!', '?':
			if depth <= 0 && endsSentence(text, at) {
				n++
			}
		}
	}
	return n
}

// wideSentences counts the sentences after the first that wide full stops end, outside of code and brackets.
func wideSentences(text string) int {
	n, depth := 0, 0
	for at := 0; at < len(text); at++ {
		switch rest := text[at:]; {
		case text[at] == '`':
			at = prose.AfterCode(text, at) - 1
		case text[at] < 0x80:
		case strings.HasPrefix(rest, "（"), strings.HasPrefix(rest, "「"), strings.HasPrefix(rest, "『"), strings.HasPrefix(rest, "“"):
			depth++
		case strings.HasPrefix(rest, "）"), strings.HasPrefix(rest, "」"), strings.HasPrefix(rest, "』"), strings.HasPrefix(rest, "”"):
			depth--
		case strings.HasPrefix(rest, "。"), strings.HasPrefix(rest, "！"), strings.HasPrefix(rest, "？"):
			if depth <= 0 && strings.Trim(rest[len("。"):], " \n*_）」』”") != "" {
				n++
			}
		}
	}
	return n
}

func endsSentence(text string, at int) bool {
	rest := strings.TrimLeft(text[at+1:], "*_\"'”)")
	after := strings.TrimLeft(rest, " \t\n")
	if after == "" || len(after) == len(rest) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, "*_\"“("))
	if !unicode.IsUpper(next) && after[0] != '`' {
		return false
	}
	word := text[strings.LastIndexAny(text[:at], " \t\n(")+1 : at]
	if text[at] != '.' {
		return word != "" // "Fails! Why? Nobody knows"
	}
	return len(word) > 1 && !abbreviation(word) && strings.Trim(word, "0123456789*_") != ""
}
