package phases

import (
	"strconv"
	"strings"
)

// phaseLabel is the number of one phase: "3", "3A" or "2.1".
type phaseLabel struct {
	number int
	sub    string // "", "A", ".1"
}

func (l phaseLabel) String() string { return strconv.Itoa(l.number) + l.sub }

// mostPhases bounds the phases of a plan: a larger number may be a year.
const mostPhases = 200

// readLabels reads "3", "3A", "2.1", "0-5", "1 & 2" and "1, 2 and 4", and
// returns the text after it.
func readLabels(text string) (labels []phaseLabel, rest string, err error) {
	for {
		var label phaseLabel
		if label, text, err = readLabel(text); err != nil {
			return nil, "", err
		}
		if next, ok := cutRange(text); ok {
			var last phaseLabel
			if last, text, err = readLabel(next); err != nil {
				return nil, "", err
			}
			run, err := runOf(label, last)
			if err != nil {
				return nil, "", err
			}
			labels = append(labels, run...)
		} else {
			labels = append(labels, label)
		}
		next, ok := cutAnd(text)
		if !ok {
			return labels, text, nil
		}
		text = next
	}
}

func readLabel(text string) (l phaseLabel, rest string, err error) {
	end := digitsOf(text)
	l.number, err = strconv.Atoi(text[:end])
	if err != nil || l.number > mostPhases || end > 1 && text[0] == '0' {
		return l, "", unclear("number %q", text[:end])
	}
	rest = text[end:]
	switch {
	case len(rest) > 1 && rest[0] == '.' && isDigit(rest[1]):
		n := digitsOf(rest[1:])
		l.sub, rest = rest[:1+n], rest[1+n:]
	case rest != "" && isLetter(rest[0]) && (len(rest) == 1 || !isLetter(rest[1])):
		l.sub, rest = strings.ToUpper(rest[:1]), rest[1:]
	}
	if rest != "" && (isLetter(rest[0]) || isDigit(rest[0])) || len(rest) > 1 && rest[0] == '.' && isDigit(rest[1]) {
		return l, "", unclear("number %q", text)
	}
	return l, rest, nil
}

// cutRange cuts what joins the ends of a range, if a number follows.
func cutRange(text string) (rest string, ok bool) {
	return cutBefore(text, "-", "–", "—", "‑", "to ", "through ")
}

// cutAnd cuts what joins the items of a list, if a number follows.
func cutAnd(text string) (rest string, ok bool) {
	for _, joined := range []string{", and ", ", & ", ",", "&", "and ", "+", "/"} {
		if rest, ok = cutBefore(text, joined); ok {
			rest = strings.TrimPrefix(rest, "Phase ")
			return rest, true
		}
	}
	return text, false
}

func cutBefore(text string, words ...string) (rest string, ok bool) {
	for _, word := range words {
		rest, ok = strings.CutPrefix(strings.TrimLeft(text, " "), word)
		rest = strings.TrimLeft(rest, " ")
		if digit := strings.TrimPrefix(rest, "Phase "); ok && digit != "" && isDigit(digit[0]) {
			return digit, true
		}
	}
	return text, false
}

// runOf is the phases of a range: of numbers, or of letters after one number.
func runOf(first, last phaseLabel) (run []phaseLabel, err error) {
	switch {
	case first.sub == "" && last.sub == "" && first.number < last.number:
		for n := first.number; n <= last.number; n++ {
			run = append(run, phaseLabel{number: n})
		}
	case first.number == last.number && len(first.sub) == 1 && len(last.sub) == 1 && first.sub < last.sub:
		for c := first.sub[0]; c <= last.sub[0]; c++ {
			run = append(run, phaseLabel{first.number, string(c)})
		}
	default:
		return nil, unclear("range %s-%s", first, last)
	}
	return run, nil
}

func digitsOf(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
