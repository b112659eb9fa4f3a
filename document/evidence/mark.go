// Package evidence reads the marks that record how an item of a document was checked:
//
//   - The scanner passes [verified: go test ./parse @1a2b3c4]
//   - The cache is cold on CI [unverified: no access]
//
// It decides which commands may be run, and runs none.
package evidence

import (
	"errors"
	"fmt"
	"strings"
)

// Mark records how an item was checked.
type Mark struct {
	Verified bool     // by Command; else the author states that nobody checked it
	Command  []string // its words
	At       string   // commit at which the command succeeded: 7 to 40 hex digits; "" if it is not given
	Reason   string   // why it was not checked; may be empty
}

// Split separates an item and the mark at its end. m is nil if it has none. The error is
// for a mark that cannot be read; text is then the item without it.
func Split(item string) (text string, m *Mark, err error) {
	item = strings.TrimRight(item, " \t\n.")
	if !strings.HasSuffix(item, "]") {
		return item, nil, nil
	}
	at := max(strings.LastIndex(item, "[verified"), strings.LastIndex(item, "[unverified"))
	if at < 0 {
		return item, nil, nil
	}
	text, inside := strings.TrimRight(item[:at], " \t\n"), item[at+1:len(item)-1]
	word, rest, given := strings.Cut(inside, ":")
	rest = strings.TrimSpace(strings.ReplaceAll(rest, "\n", " "))
	switch {
	case word == "unverified":
		return text, &Mark{Reason: rest}, nil
	case word != "verified": // [verifiedly …]: text
		return item, nil, nil
	case !given || rest == "":
		return text, nil, errors.New("it names no command: write [verified: COMMAND @COMMIT]")
	}
	m, err = verified(rest)
	return text, m, err
}

func verified(rest string) (*Mark, error) {
	m := &Mark{Verified: true}
	if i := strings.LastIndex(rest, " @"); i >= 0 && isCommit(rest[i+2:]) {
		rest, m.At = strings.TrimSpace(rest[:i]), rest[i+2:]
	}
	if inner := strings.Trim(rest, "`"); len(inner) == len(rest)-2 && strings.HasPrefix(rest, "`") && strings.HasSuffix(rest, "`") {
		rest = inner // a code span
	}
	var err error
	m.Command, err = Words(rest)
	return m, err
}

// isCommit reports whether a text is a commit id, perhaps shortened.
func isCommit(s string) bool {
	return len(s) >= 7 && len(s) <= 40 && strings.Trim(s, "0123456789abcdef") == ""
}

// special are the characters that mean something to a shell. Marks have no shell, so a
// command that needs one is refused instead of being run as something else.
const special = "$`|&;<>(){}[]*?!#~\\\"'\n"

// Words are the words of a command. Single and double quotes keep blanks together; what a
// shell would replace or interpret is an error.
func Words(command string) (words []string, err error) {
	for rest := strings.TrimLeft(command, " \t"); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		var word strings.Builder
		for rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			c := rest[0]
			if c == '\'' || c == '"' {
				part, after, ok := strings.Cut(rest[1:], string(c))
				if !ok {
					return nil, fmt.Errorf("%s: a quote is not closed", command)
				}
				if c == '"' && strings.ContainsAny(part, "$`\\!") {
					return nil, fmt.Errorf("%s: use single quotes: no shell runs it", command)
				}
				word.WriteString(part)
				rest = after
				continue
			}
			if strings.IndexByte(special, c) >= 0 || c < ' ' {
				return nil, fmt.Errorf("%s: no shell runs it, so %q must be in single quotes: put what needs a shell into a script", command, c)
			}
			word.WriteByte(c)
			rest = rest[1:]
		}
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("it names no command")
	}
	return words, nil
}
