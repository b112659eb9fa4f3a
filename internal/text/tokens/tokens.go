// Package tokens estimates the number of tokens of a text for a language model.
//
// The estimate is offline and fast, and limits that use it are approximate. It uses no
// vocabulary: the text is split as OpenAI's tokenizers split it before they use theirs
// (words with the blank before them, up to three digits, runs of punctuation, runs of
// white space), and every piece has a weight by its class and length. The weights are
// in weights.go; measure/bench/tokens fits them to the counts of o200k_base. The test reports
// the error on the samples. Other vocabularies differ, and Anthropic's is not public:
// leave a margin.
package tokens

import (
	"unicode"
	"unicode/utf8"
)

// Estimate is the estimated number of tokens of the text: 0 for the empty text, at
// least 1 for any other.
func Estimate(text string) int {
	if text == "" {
		return 0
	}
	sum := 0
	for i, n := range Features(text) {
		sum += n * weights[i]
	}
	return max(1, (sum+perToken/2)/perToken)
}

// perToken is the unit of the weights: thousandths of a token, as whole numbers, so that
// all machines compute the same sum.
const perToken = 1000

// The features of a text that have a weight.
const (
	Word       = iota // a run of ASCII letters; a capital after a lowercase letter begins a new one
	LongLetter        // its letters beyond the sixth
	Capital           // its capitals beyond the first
	Digits            // up to three digits
	Punct             // a run of ASCII punctuation
	SamePunct         // its bytes beyond the first that repeat the one before
	OtherPunct        // its bytes beyond the first that do not
	Newline           // a run of line ends and the blanks before them
	Indent            // a run of two or more blanks within a line
	Latin             // a letter of Latin script that is not ASCII
	Cyrillic          // a letter of Cyrillic or Greek script
	Han               // a character of Chinese script
	Kana              // one of Japanese
	Hangul            // one of Korean
	Abjad             // a letter of Arabic or Hebrew script
	Script            // a letter or mark of any other script
	Symbol            // any other character that is not ASCII, or a byte that is not UTF-8
	NumFeatures
)

// Counts is the number of occurrences of each feature.
type Counts [NumFeatures]int

// Features counts the features of the text.
func Features(text string) Counts {
	var c Counts
	for at := 0; at < len(text); {
		switch classOf(text[at]) {
		case letter:
			at = c.word(text, at)
		case digit:
			end := runOf(text, at, digit)
			c[Digits] += (end - at + 2) / 3
			at = end
		case punct:
			at = c.punct(text, at)
		case blank:
			at = c.space(text, at)
		default:
			r, n := utf8.DecodeRuneInString(text[at:])
			c[featureOf(r)]++
			at += n
		}
	}
	return c
}

// word counts one word and returns its end.
func (c *Counts) word(text string, at int) int {
	const short = 6
	start, capitals := at, 0
	for ; at < len(text) && classOf(text[at]) == letter; at++ {
		if isCapital(text[at]) {
			if at > start && !isCapital(text[at-1]) {
				break
			}
			capitals++
		}
	}
	c[Word]++
	c[LongLetter] += max(0, at-start-short)
	c[Capital] += max(0, capitals-1)
	return at
}

// punct counts one run of punctuation and returns its end. Rules and boxes repeat a
// character very often, and vocabularies have tokens for that: from the fifth on,
// eight of the same character count as one.
func (c *Counts) punct(text string, at int) int {
	end := runOf(text, at, punct)
	c[Punct]++
	same := 0
	for i := at + 1; i < end; i++ {
		if text[i] != text[i-1] {
			c[OtherPunct]++
			same = 0
			continue
		}
		if same++; same <= 3 || same%8 == 0 {
			c[SamePunct]++
		}
	}
	return end
}

// space counts white space and returns its end. A single blank belongs to the next word.
func (c *Counts) space(text string, at int) int {
	end, lastNewline := runOf(text, at, blank), -1
	for i := at; i < end; i++ {
		if text[i] == '\n' || text[i] == '\r' {
			lastNewline = i
		}
	}
	rest := end - at
	if lastNewline >= 0 {
		c[Newline]++
		rest = end - lastNewline - 1
	}
	if rest > 1 {
		c[Indent]++
	}
	return end
}

type class byte

const (
	other class = iota // not ASCII
	letter
	digit
	punct
	blank
)

func classOf(b byte) class {
	switch {
	case b >= utf8.RuneSelf:
		return other
	case 'a' <= b|0x20 && b|0x20 <= 'z':
		return letter
	case '0' <= b && b <= '9':
		return digit
	case b <= ' ':
		return blank
	}
	return punct
}

func isCapital(b byte) bool { return 'A' <= b && b <= 'Z' }

// runOf is the end of the run of bytes of a class that begins at an offset.
func runOf(text string, at int, c class) int {
	for at < len(text) && classOf(text[at]) == c {
		at++
	}
	return at
}

func featureOf(r rune) int {
	switch {
	case unicode.Is(unicode.Latin, r):
		return Latin
	case unicode.In(r, unicode.Cyrillic, unicode.Greek):
		return Cyrillic
	case unicode.Is(unicode.Han, r):
		return Han
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return Kana
	case unicode.Is(unicode.Hangul, r):
		return Hangul
	case unicode.In(r, unicode.Arabic, unicode.Hebrew):
		return Abjad
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return Script
	}
	return Symbol
}
