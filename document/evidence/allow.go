package evidence

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// More is the last word of an allowed command that may have further words.
const More = "..."

// Allowed is a list of commands that may be run.
type Allowed [][]string

// ParseAllowed reads one entry of the list: the words of a command, the last of which may
// be [More].
func ParseAllowed(entry string) ([]string, error) {
	words, err := Words(entry)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(words, More); i == 0 || i > 0 && i < len(words)-1 {
		return nil, fmt.Errorf("%s: %q is only allowed as the last word", entry, More)
	}
	return words, nil
}

// Has reports whether a command may be run: it equals an entry, or begins with an entry
// that ends with [More] and continues with words that are neither flags nor paths out of
// the workspace. A flag could name a program, as go test -exec does.
func (a Allowed) Has(command []string) bool {
	return slices.ContainsFunc(a, func(entry []string) bool {
		first, open := entry, entry[len(entry)-1] == More
		if open {
			first = entry[:len(entry)-1]
		}
		if len(command) < len(first) || !open && len(command) != len(first) || !slices.Equal(first, command[:len(first)]) {
			return false
		}
		return !slices.ContainsFunc(command[len(first):], risky)
	})
}

// Lines are the entries whose words have no blanks, as they are typed: open ones may have
// further words, which are not among them.
func (a Allowed) Lines() (open, exact []string) {
	for _, entry := range a {
		line := strings.Join(entry, " ")
		switch before, ok := strings.CutSuffix(line, " "+More); {
		case len(strings.Fields(line)) != len(entry):
		case ok:
			open = append(open, before)
		default:
			exact = append(exact, line)
		}
	}
	return open, exact
}

// risky reports whether a word could be more than a name in the workspace.
func risky(word string) bool {
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '=' || r == ':' || r == ',' }) {
		if !filepath.IsLocal(filepath.FromSlash(part)) || strings.Contains(part, `\`) {
			return true
		}
	}
	return word == "" || word[0] == '-' || word[0] == '+' || word[0] == '@' || strings.ContainsFunc(word, func(r rune) bool { return r < ' ' })
}
