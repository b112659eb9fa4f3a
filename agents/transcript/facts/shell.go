package facts

import (
	"path"
	"slices"
	"strings"
)

// part is a simple command of a line of a shell.
type part struct {
	full  []string // its words, without redirections
	words []string // without variables before it, and programs that start another one
	ends  string   // the operator after it: "&&", "||", "|", ";" (a new line, too), "&", or "" at the end
	into  []string // files that its output is written to
	inner bool     // it is in a loop or a condition, so it may run many times, or never
}

// parts splits a line of a shell into simple commands, as far as that matters for what ran: quotes, here-documents,
// comments and substitutions are text, not commands. A whole parser (mvdan.cc/sh) would be compiled into each `handoff`, for hooks
// import this package; what it would know better are forms after which nothing is said anyway.
func parts(line string) (list []part) {
	s := splitter{rest: line}
	for s.rest != "" {
		s.step()
	}
	s.end("")
	return s.list
}

// LastPipeline are the words of the programs that the last part of a command runs, whose status the shell returns: of
// "cd x && go test | tail", those of go and tail.
func LastPipeline(command string) (list [][]string) {
	all := parts(command)
	for i, one := range slices.Backward(all) {
		if i < len(all)-1 && one.ends != "|" {
			break
		}
		if len(one.words) > 0 {
			list = append([][]string{one.words}, list...)
		}
	}
	return list
}

// splitter is a shell line while it is split.
type splitter struct {
	rest  string
	list  []part
	words []string
	into  []string
	word  strings.Builder
	open  bool     // a word has begun, maybe an empty one
	until []string // the ends of here-documents that begin on the next line
	file  bool     // the next word is a file to write to
	inner int      // loops and conditions that are open
}

// step takes the next character, quotation or operator.
func (s *splitter) step() {
	c := s.rest[0]
	switch {
	case c == '\\' && len(s.rest) > 1:
		if s.rest[1] != '\n' {
			s.add(s.rest[1:2])
		}
		s.rest = s.rest[2:]
	case c == '\'' || c == '"' || c == '`':
		s.quoted(c)
	case strings.HasPrefix(s.rest, "$("):
		n := closed(s.rest)
		s.add(s.rest[:n])
		s.rest = s.rest[n:]
	case c == '#' && !s.open:
		if s.rest = s.rest[strings.IndexByte(s.rest+"\n", '\n'):]; s.rest == "" {
			return
		}
	case c == ' ' || c == '\t' || c == '\r':
		s.endWord()
		s.rest = s.rest[1:]
	case strings.HasPrefix(s.rest, "<<") && !strings.HasPrefix(s.rest, "<<<"):
		s.here()
	case c == '>' || strings.HasPrefix(s.rest, "&>"):
		s.redirected()
	case strings.IndexByte("|&;()\n", c) >= 0:
		s.operator()
	default:
		s.add(s.rest[:1])
		s.rest = s.rest[1:]
	}
}

func (s *splitter) add(text string) {
	s.word.WriteString(text)
	s.open = true
}

// quoted takes a quotation, or a substitution in backquotes.
func (s *splitter) quoted(mark byte) {
	for at := 1; at < len(s.rest); at++ {
		switch {
		case s.rest[at] == '\\' && mark != '\'':
			at++
		case s.rest[at] == mark:
			s.add(s.rest[1:at])
			s.rest = s.rest[at+1:]
			return
		}
	}
	s.add(s.rest[1:])
	s.rest = ""
}

// closed is the length of a substitution.
func closed(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// here takes the beginning of a here-document.
func (s *splitter) here() {
	s.endWord()
	s.rest = strings.TrimLeft(s.rest[len("<<"):], "- \t")
	end := strings.IndexAny(s.rest, " \t\n;&|)<>")
	if end < 0 {
		end = len(s.rest)
	}
	s.until = append(s.until, strings.Trim(s.rest[:end], `'"\`))
	s.rest = s.rest[end:]
}

// redirected takes a redirection of output; 2>&1 writes to no file.
func (s *splitter) redirected() {
	if strings.Trim(s.word.String(), "0123456789") == "" {
		s.word.Reset() // the number of a stream
		s.open = false
	}
	s.endWord()
	s.rest = strings.TrimLeft(s.rest, "&>|")
	if strings.HasPrefix(s.rest, "1") || strings.HasPrefix(s.rest, "2") { // what is left of >&1
		s.rest = s.rest[1:]
		return
	}
	s.file = true
}

// operator takes what ends a command.
func (s *splitter) operator() {
	op, n := s.rest[:1], 1
	switch {
	case strings.HasPrefix(s.rest, "&&"), strings.HasPrefix(s.rest, "||"):
		op, n = s.rest[:2], 2
	case strings.HasPrefix(s.rest, "|&"):
		n = 2
	}
	s.rest = s.rest[n:]
	switch op {
	case "\n":
		s.end(";")
		s.documents()
	case "(":
		s.end("")
	case ")":
		s.endWord() // the operator after it counts
	default:
		s.end(op)
	}
}

// documents skips the here-documents that begin here.
func (s *splitter) documents() {
	for _, until := range s.until {
		for s.rest != "" {
			line, rest, _ := strings.Cut(s.rest, "\n")
			if s.rest = rest; strings.TrimSpace(line) == until {
				break
			}
		}
	}
	s.until = nil
}

func (s *splitter) endWord() {
	if !s.open {
		return
	}
	if word := s.word.String(); s.file {
		s.into, s.file = append(s.into, word), false
	} else {
		s.words = append(s.words, word)
	}
	s.word.Reset()
	s.open = false
}

// Words of a shell that come before commands: those that begin and end a loop or a condition, and those in it.
var (
	opens   = []string{"if", "for", "while", "until", "case"}
	closes  = []string{"fi", "done", "esac"}
	between = []string{"then", "else", "elif", "do", "{", "}"}
)

// end ends a command.
func (s *splitter) end(op string) {
	s.endWord()
	p := part{full: s.keywords(s.words), ends: op, into: s.into}
	p.inner = s.inner > 0 || len(s.words) > 0 && s.words[0] == "!"
	s.words, s.into = nil, nil
	if p.words = program(p.full); len(p.words) > 0 || len(p.into) > 0 {
		s.list = append(s.list, p)
	} else if n := len(s.list); n > 0 && s.list[n-1].ends == "" {
		s.list[n-1].ends = op
	}
}

// keywords are the words of a command without those of the shell before it.
func (s *splitter) keywords(words []string) []string {
	for ; len(words) > 0; words = words[1:] {
		switch word := words[0]; {
		case slices.Contains(opens, word):
			s.inner++
		case slices.Contains(closes, word):
			s.inner = max(0, s.inner-1)
		case word != "!" && !slices.Contains(between, word):
			return words
		}
	}
	return nil
}

// runners start the command that follows them, after their flags and numbers.
var runners = []string{"command", "env", "exec", "nice", "time", "timeout", "npx", "bunx", "uvx", "xvfb-run", "sudo", "nohup"}

// program is a command without the variables and programs before it.
func program(words []string) []string {
	for len(words) > 0 {
		switch {
		case assigns(words[0]):
			words = words[1:]
		case slices.Contains(runners, path.Base(words[0])):
			for words = words[1:]; len(words) > 0 && words[0] != "" && strings.IndexByte("-0123456789", words[0][0]) >= 0; {
				words = words[1:]
			}
		default:
			return words
		}
	}
	return nil
}

// assigns reports whether a word sets a variable.
func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
