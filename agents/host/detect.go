package host

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Signs are how the input and the environment of a hook show which host called it. A
// variable alone proves little, because an agent that another one starts in a shell inherits
// its environment.
type Signs struct {
	// Order is the place in which the host is tried, from 1, because inputs of different
	// hosts have fields in common; 0 for a host whose signs are not asked for.
	Order  int
	Input  [][]string // the input has all fields of one of these lists
	Native string     // the input has this name of an event
	// Transcript is a part of the paths of its transcripts, with / between folders and # for
	// a digit.
	Transcript string

	// One of these variables is set. That counts only if the input also has the fields With
	// and, for Pascal, a name of an event that begins with an upper-case letter.
	Env    []string
	With   []string
	Pascal bool
}

// Detect returns the name of the host that called a hook, "" if that is not known. The input
// decides first.
func Detect(in Input, getenv func(string) string) string {
	if name := Proven(in); name != "" {
		return name
	}
	return first(func(s Signs) bool {
		return slices.ContainsFunc(s.Env, func(key string) bool { return getenv(key) != "" }) && in.fields.hasAll(s.With) && (!s.Pascal || isPascal(in.Native))
	})
}

// Proven returns the host whose form the input has, "" if several have it. GitHub
// Copilot and Cursor also run the hooks of Claude Code's settings, so that a
// hook which was installed for one host may be called by another one.
func Proven(in Input) string {
	path := strings.ReplaceAll(in.Transcript, `\`, "/")
	return cmp.Or(
		first(func(s Signs) bool {
			return slices.ContainsFunc(s.Input, in.fields.hasAll) || s.Native != "" && in.Native == s.Native
		}),
		first(func(s Signs) bool { return !strings.Contains(s.Transcript, digit) && contains(path, s.Transcript) }),
		first(func(s Signs) bool { return contains(path, s.Transcript) }), // the weaker signs
	)
}

// first returns the name of the first host, in the order of signs, whose signs fit.
func first(fit func(Signs) bool) (name string) {
	order := 0
	for _, h := range All() {
		if s := h.Signs; s.Order > 0 && (order == 0 || s.Order < order) && fit(s) {
			name, order = h.Name, s.Order
		}
	}
	return name
}

// digit matches any digit in [Signs.Transcript].
const digit = "#"

// contains reports whether a path has a part, in which # is any digit. No path has the part "".
func contains(path, part string) bool {
	if !strings.Contains(part, digit) {
		return part != "" && strings.Contains(path, part)
	}
	for at := range max(0, len(path)-len(part)+1) {
		if fits(path[at:at+len(part)], part) {
			return true
		}
	}
	return false
}

func fits(text, part string) bool {
	for i := range len(part) {
		if isDigit := '0' <= text[i] && text[i] <= '9'; text[i] != part[i] && !(part[i] == digit[0] && isDigit) {
			return false
		}
	}
	return true
}

// isPascal reports whether a name begins with an upper-case letter.
func isPascal(name string) bool {
	return name != "" && unicode.IsUpper([]rune(name)[0])
}
