package claims

import (
	"strings"

	"handoff/internal/text/prose"
)

// ending is how a word ends that can make a claim: that tests pass, or another one. Its first letter may be a capital.
type ending struct {
	text   string
	passes bool
}

// The endings, by their last two letters.
var (
	endED  = []ending{{"ucceed", true}, {"UCCEED", true}, {"erged", false}, {"ushed", false}, {"eployed", false}, {"eleased", false}, {"ublished", false}, {"hipped", false}, {"losed", false}, {"esolved", false}, {"ixed", false}, {"wned", false}, {"ssigned", false}}
	endEN  = []ending{{"reen", true}, {"GREEN", true}}
	endAN  = []ending{{" clean", true}}
	endON  = []ending{{"roduction", false}, {"ks on", false}, {"king on", false}}
	endSS  = []ending{{"ass", true}, {"PASS", true}}
	endES  = []ending{{"ompiles", false}}
	endNS  = []ending{{" owns", false}}
	isLast = [256]bool{'d': true, 'D': true, 'n': true, 'N': true, 's': true, 'S': true, '#': true}
)

// mayClaim is a fast check, in one pass, for English words that can claim that tests pass, and for those that can claim
// something else that is asserted. The number of an issue is one of these.
func mayClaim(text string) (passes, other bool) {
	for i := 1; i < len(text) && !(passes && other); i++ {
		if !isLast[text[i]] {
			continue
		}
		var endings []ending
		switch uint16(text[i-1]|0x20)<<8 | uint16(text[i]|0x20) {
		case 'e'<<8 | 'd':
			endings = endED
		case 'e'<<8 | 'n':
			endings = endEN
		case 'a'<<8 | 'n':
			endings = endAN
		case 'o'<<8 | 'n':
			endings = endON
		case 's'<<8 | 's':
			endings = endSS
		case 'e'<<8 | 's':
			endings = endES
		case 'n'<<8 | 's':
			endings = endNS
		default:
			other = other || text[i] == '#' && prose.DigitAt(text, i+1)
			continue
		}
		for _, e := range endings {
			if strings.HasSuffix(text[:i+1], e.text) {
				passes, other = passes || e.passes, other || !e.passes
			}
		}
	}
	return passes, other || strings.HasPrefix(text, "#") && prose.DigitAt(text, 1)
}
