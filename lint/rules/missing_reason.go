package rules

import (
	"strings"

	"handoff/document/claims"
	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// missingReason flags a decision or a dead end without a reason.
func missingReason(p *lint.Pass) {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		if !handoff.SpecOf(o.meant(i)).Reasons {
			continue
		}
		below := firstHeading(s)
		for it := range s.Top {
			if below > 0 && below < it.Lines.First {
				break // the heading is the decision, the list is about it
			}
			if it.Text != "" && it.Head == it.Lines && !givesReason(it.Text) && !saysNone(it.Text) && !(claims.OtherLanguage(p.Doc) && words.Reason(it.Text)) {
				p.At(it.Lines, "%s: write \"…: why\"", whyMissing(s.Kind))
			}
		}
	}
}

// firstHeading is the last line of the first heading in the section, 0 if there
// is none.
func firstHeading(s *handoff.Section) int {
	for i := range s.Blocks {
		if b := &s.Blocks[i]; b.Kind == handoff.Subheading {
			return b.Lines.Last
		}
	}
	return 0
}

func whyMissing(k handoff.Kind) string {
	if k == handoff.DeadEnds {
		return "item does not say why it failed"
	}
	return "item does not say why it was decided"
}

// givesReason reports whether a text may give a reason for what it names. Any mark or
// word that can begin a reason counts, so that in doubt the rule reports nothing.
func givesReason(text string) bool {
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '`':
			at = prose.AfterCode(text, at) - 1
		case ',', '(', ';':
			return true
		case ':', '.', '!', '?':
			if at+1 < len(text) && strings.IndexByte(" \n*_", text[at+1]) >= 0 {
				return true
			}
		case '-':
			if at > 0 && text[at-1] == ' ' {
				return true // " - ", " -- ", " -> "
			}
		case 0xe2, 0xe3, 0xef: // the first bytes of these signs
			for _, sign := range [...]string{"–", "—", "→", "：", "，", "、", "（", "；", "。", "！", "？", "｜", "～", "－", "／"} {
				if after, ok := strings.CutPrefix(text[at:], sign); ok && strings.TrimSpace(after) != "" {
					return true
				}
			}
		}
	}
	return reasonWords(text)
}

// reasonWords reports whether a text has a word that can begin a reason,
// outside code.
func reasonWords(text string) bool {
	for at := 0; at < len(text); at++ {
		if text[at] == '`' {
			at = prose.AfterCode(text, at) - 1
		} else if reasonWordAt(text, at) {
			return true
		}
	}
	return false
}

// reasonWordAt reports whether a word that begins a reason is at text[at].
func reasonWordAt(text string, at int) bool {
	if at == 0 || prose.WordByte(text[at-1]) || strings.IndexByte("abcdefiklmprstwABCDEFIKLMPRSTW", text[at]) < 0 {
		return false
	}
	end := at
	for end < len(text) && prose.WordByte(text[end]) {
		end++
	}
	return words.English.Has("reason", text[at:end])
}
