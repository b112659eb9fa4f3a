package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// errorKept is the most bytes of a result that are kept: the place of a failure is in
// its first lines.
const errorKept = 1 << 10

// outputKept is the most bytes of the end of an output that are kept: programs print their totals there.
const outputKept = 2 << 10

// printed adds the end of an output to a result, in whole lines.
func (r *Result) printed(output string) {
	if r.Output = output; len(output) > outputKept {
		_, r.Output, _ = strings.Cut(output[len(output)-outputKept:], "\n")
		r.Shortened = true
	}
}

// head is the beginning of a text, in whole characters. Unlike a part of a long text it
// does not keep the rest in memory.
func head(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.Clone(text)
}

// literalHead returns the beginning of a JSON string as a JSON string, whose text has
// more than most bytes unless it is complete. Decoding a whole long result to keep its
// head takes longer than finding where to cut. A character that is cut in the middle
// ends after most bytes, so [head] removes it.
func literalHead(src []byte, most int) []byte {
	at := 1
	for range most + 1 { // each step is at least one byte of the text
		switch {
		case at >= len(src):
			return src
		case src[at] != '\\':
			at++
		case at+1 < len(src) && src[at+1] == 'u':
			at += len(`\u0000`)
		default:
			at += len(`\n`)
		}
	}
	if at >= len(src)-1 {
		return src
	}
	return append(src[:at:at], '"')
}

// literalTail returns the last lines of a JSON string as a JSON string, of at least most bytes of text if there are as many
// and a line ends before them; "" if none does.
func literalTail(src []byte, most int) []byte {
	const escape = len(`\u0000`) // the most bytes that one of the text takes
	at := max(1, len(src)-1-escape*most)
	for {
		end := bytes.Index(src[at:], []byte(`\n`))
		if end < 0 {
			return []byte(`""`)
		}
		if at += end + len(`\n`); src[at-3] != '\\' { // else that may be a backslash before an n
			return append([]byte{'"'}, src[at:]...)
		}
	}
}

// exited is the result of a command whose exit status is known.
func exited(id string, exit int, output string) Result {
	r := Result{ID: id, Exit: exit, Exited: true, Failed: exit != 0}
	if r.Failed {
		r.Error = head(output, errorKept)
	}
	r.printed(output)
	return r
}

// result is the result of a call, failed or not.
func result(id string, failed bool, output string) Result {
	r := Result{ID: id, Failed: failed}
	if failed {
		r.Error = head(output, errorKept)
	}
	r.printed(output)
	return r
}

// statusAfter is the number that follows words, if a line of text begins with them. Hosts
// write the status of a command in this form next to its output, which may have such
// words in the middle of a line.
func statusAfter(text, words string) (exit int, rest string, ok bool) {
	for {
		at := strings.Index(text, words)
		if at < 0 {
			return 0, "", false
		}
		begins := at == 0 || text[at-1] == '\n'
		text = text[at+len(words):]
		if n := digits(text); begins && n > 0 {
			exit, err := strconv.Atoi(text[:n])
			return exit, text[n:], err == nil
		}
	}
}

// digits is how many bytes of a number text begins with.
func digits(text string) (n int) {
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || n == 0 && text[n] == '-') {
		n++
	}
	return n
}

// lastStatus is the number after words in the last lines of text.
func lastStatus(text, words string) (exit int, ok bool) {
	const lines = 400 // bytes
	text = text[max(0, len(text)-lines):]
	at := strings.LastIndex(text, words)
	if at < 0 {
		return 0, false
	}
	rest := text[at+len(words):]
	exit, err := strconv.Atoi(rest[:digits(rest)])
	return exit, err == nil
}

// hunks returns the lines that a unified diff changes, as they are afterwards,
// without the context around them.
func hunks(file, diff string) (spans []Span) {
	at, first, last := 0, 0, 0
	end := func() {
		if first > 0 {
			spans = append(spans, Span{file, first, max(first, last)})
		}
		first, last = 0, 0
	}
	for line := range strings.Lines(diff) {
		if n, ok := hunkStart(line); ok {
			end()
			at = n
			continue
		}
		switch {
		case at == 0: // before the first hunk
		case line[0] == '+' || line[0] == '-':
			if first == 0 {
				first = at
			}
			if line[0] == '+' {
				last = at
				at++
			}
		case line[0] != '\\': // "\ No newline at end of file"
			at++
		}
	}
	end()
	return spans
}

// hunkStart is the first line of a hunk after the change: 7 of "@@ -5,2 +7,3 @@".
func hunkStart(line string) (at int, ok bool) {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return 0, false
	}
	_, rest, ok = strings.Cut(rest, " +")
	if !ok {
		return 0, false
	}
	at, err := strconv.Atoi(rest[:digits(rest)])
	return max(1, at), err == nil
}

// anyObject reads an object into a value. It leaves out a value of another form,
// because hosts write a text instead of the object when a tool fails.
func anyObject(src []byte, into any) {
	if src = bytes.TrimSpace(src); len(src) > 0 && src[0] == '{' {
		_ = json.Unmarshal(src, into) // members of another form stay empty
	}
}
