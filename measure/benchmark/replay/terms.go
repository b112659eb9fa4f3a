package replay

import (
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Words of a text that may be paths or names. A path has a slash, or an extension.
var word = regexp.MustCompile(`[A-Za-z0-9_.@~+/-]+`)

// extension is the end of a file's name.
var extension = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*\.[A-Za-z][A-Za-z0-9]{0,4}$`)

// identifier is part of a word that a program may have as a name, or a number.
var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9]+`)

// The shortest names and numbers that count.
const (
	minName   = 8
	minNumber = 4
)

// terms are what a text mentions.
type terms struct {
	files map[string]bool // paths, below the folder of the session without that
	names map[string]bool // identifiers and numbers
	text  string          // with single blanks, for commands
}

// termsOf finds what a text mentions. dir is the folder of the session.
func termsOf(text, dir string) terms {
	t := terms{files: map[string]bool{}, names: map[string]bool{}, text: blanks(text)}
	for _, w := range word.FindAllString(text, -1) {
		w = strings.TrimLeft(strings.TrimRight(w, ".-+"), "-+")
		if p := file(w, dir); p != "" {
			t.files[p] = true
			continue
		}
		for _, name := range identifier.FindAllString(w, -1) {
			if isName(name) {
				t.names[name] = true
			}
		}
	}
	return t
}

func (t terms) add(more terms) {
	for p := range more.files {
		t.files[p] = true
	}
	for n := range more.names {
		t.names[n] = true
	}
}

// hasFile reports whether the text mentions a file, by this path or a longer one.
func (t terms) hasFile(p string) bool {
	if t.files[p] {
		return true
	}
	for other := range t.files {
		if strings.HasSuffix(other, "/"+p) {
			return true
		}
	}
	return false
}

// hasCommand reports whether the text has a command word for word.
func (t terms) hasCommand(command string) bool { return strings.Contains(t.text, command) }

// file returns the path in a word, "" if the word is not a path.
func file(w, dir string) string {
	slash := strings.Contains(w, "/")
	switch {
	case slash && strings.HasPrefix(w, "//"): // of a URL
		return ""
	case slash && !strings.ContainsFunc(w, unicode.IsLetter), !slash && !extension.MatchString(w):
		return ""
	}
	w = path.Clean(w)
	below, ok := strings.CutPrefix(w, dir+"/")
	switch {
	case ok && dir != "":
		return below
	case w == dir, !strings.Contains(w, "/") && !extension.MatchString(w): // a folder
		return ""
	}
	return w
}

// isName reports whether a word is a name that a program or a person chose, and not a
// word of a sentence: it is long, and has an underscore, a digit or an inner capital.
func isName(w string) bool {
	if w[0] >= '0' && w[0] <= '9' {
		return len(w) >= minNumber
	}
	return len(w) >= minName && strings.ContainsFunc(w[1:], func(r rune) bool { return r == '_' || unicode.IsDigit(r) || unicode.IsUpper(r) })
}

// blanks joins the words of a text by single blanks.
func blanks(text string) string { return strings.Join(strings.Fields(text), " ") }
