package parse

import (
	"strings"

	"handoff/document/handoff"
)

const (
	commentOpen  = "<!--"
	commentClose = "-->"
)

// comments lists the HTML comments of all blocks that are not code.
func (a *assembler) comments(blocks []block) {
	a.looked += len(a.src)
	if !strings.Contains(a.src, commentOpen) {
		return
	}
	for i := range blocks {
		switch b := &blocks[i]; b.kind {
		case paragraph, hashed, underlined:
			a.commentsIn(int(b.start), int(b.end), true)
		case html:
			a.commentsIn(int(b.start), int(b.end), false)
		}
	}
}

// commentsIn lists the comments between two offsets. In Markdown text, a
// backslash or a code span prevents a comment.
func (a *assembler) commentsIn(at, end int, markdown bool) {
	for at < end {
		a.looked++
		switch c := a.src[at]; {
		case c == '\\' && markdown:
			at += 2
		case c == '`' && markdown:
			length, looked := codeSpan(a.src[at:end])
			at += length
			a.looked += looked
		case c == '<' && strings.HasPrefix(a.src[at:end], commentOpen):
			// "<!-->" and "<!--->" are whole comments, too.
			closing := strings.Index(a.src[at+2:end], commentClose)
			if closing < 0 {
				a.looked += end - at
				return
			}
			stop := at + 2 + closing
			a.looked += closing
			a.comment(at, stop)
			at = stop + len(commentClose)
		default:
			at++
		}
	}
}

// comment adds the comment from start to its end marker at stop.
func (a *assembler) comment(start, stop int) {
	first, last := a.doc.LineAt(start), a.doc.LineAt(stop)
	text, after := start+len(commentOpen), stop+len(commentClose)
	a.doc.Comments = append(a.doc.Comments, handoff.Comment{
		Text:  trim(a.src[text:max(text, stop)]),
		Lines: handoff.Lines{First: first, Last: last},
		Col:   start - a.doc.Offset(first) + 1,
		Alone: a.alone(a.src[a.doc.Offset(first):start], a.src[after:a.doc.Offset(last+1)]),
	})
}

// alone reports whether a comment has only blanks before and after it. It reads
// from the comment to the next one at most: a line may have many comments and
// begin with many blanks.
func (a *assembler) alone(before, after string) bool {
	left, right := strings.TrimRight(before, blanks), strings.TrimLeft(after, blanks)
	a.looked += len(before) - len(left) + len(after) - len(right)
	return (left == "" || left == bom) && right == ""
}

// codeSpan is the length of the code span at the start of s, or of its
// backticks if they are not closed on the line, and the number of bytes it
// read. It ignores spans over several lines, and spans of very many backticks,
// because each such run would read the whole line again.
func codeSpan(s string) (length, looked int) {
	const most = 16
	run := ticks(s)
	if run > most {
		return run, run
	}
	at := run
	for at < len(s) && s[at] != '\n' {
		if s[at] != '`' {
			at++
			continue
		}
		n := ticks(s[at:])
		at += n
		if n == run {
			return at, at
		}
	}
	return run, at
}

func ticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }
