// Package digest summarizes the messages of a thread by rules, without a model: the same text
// for the same messages, in one pass and bounded memory. It knows no thread and no store.
package digest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/internal/text/prose"
	"handoff/internal/text/say"
)

// Digest is what is known of the messages so far.
type Digest struct {
	messages int
	actors   map[string]int
	words    map[string]int
	notable  []string
	latest   []string
}

// Limits, in characters or numbers of items.
const (
	maxSummary   = 20_000
	maxCarried   = 9_000 // of the previous summary
	maxScanned   = 8_192 // of a message
	maxLine      = 200
	maxWord      = 40
	maxTopics    = 12
	maxActors    = 6
	maxNoted     = 8 // of one message
	maxNotable   = 32
	maxLatest    = 12
	maxDifferent = 1 << 16 // different words and actors
)

// New is a digest of no messages.
func New() *Digest {
	return &Digest{actors: map[string]int{}, words: map[string]int{}}
}

// Message adds a message.
func (d *Digest) Message(actorID, text string) {
	d.messages++
	tally(d.actors, say.Chars(prose.OneLine(actorID), maxWord))
	if i := charOffset(text, maxScanned); i < len(text) {
		text = text[:i]
	}
	d.topics(text)
	first, noted := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if first == "" {
			first = line
		}
		if said := strings.TrimLeft(line, "-*# "); noted < maxNoted && notable(said) {
			noted++
			d.note(say.Chars(prose.OneLine(said), maxLine))
		}
	}
	if first != "" {
		d.latest = keepLast(append(d.latest, say.Chars(prose.OneLine(actorID)+": "+prose.OneLine(first), maxLine)), maxLatest)
	}
}

// tally counts, and drops rare entries if there are too many.
func tally(counts map[string]int, what string) {
	counts[what]++
	for rare := 1; len(counts) > maxDifferent; rare *= 2 {
		for word, n := range counts {
			if n <= rare {
				delete(counts, word)
			}
		}
	}
}

func (d *Digest) topics(text string) {
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-' }) {
		word = strings.ToLower(strings.Trim(word, "-_"))
		n := utf8.RuneCountInString(word)
		if n >= 3 && n <= maxWord && strings.IndexFunc(word, unicode.IsLetter) >= 0 && !slices.Contains(commonWords[:], word) {
			tally(d.words, word)
		}
	}
}

// commonWords are never topics.
var commonWords = [...]string{"about", "after", "all", "also", "and", "any", "are", "been", "but", "can", "cannot", "could", "did", "does", "for",
	"from", "had", "has", "have", "here", "how", "into", "its", "just", "let", "like", "may", "more", "not", "now", "one", "only", "our", "out",
	"should", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "use", "was", "were", "what",
	"when", "where", "which", "who", "why", "will", "with", "would", "you", "your"}

// notable reports whether a line starts with a word that marks it as important.
func notable(line string) bool {
	for _, mark := range [...]string{"todo", "fix", "decision", "decided", "plan", "goal", "acceptance", "risk", "next", "open question", "blocked", "blocker"} {
		if len(line) >= len(mark) && strings.EqualFold(line[:len(mark)], mark) {
			return true
		}
	}
	return false
}

// note records each line once, at its last place.
func (d *Digest) note(line string) {
	d.notable = slices.DeleteFunc(d.notable, func(l string) bool { return l == line })
	d.notable = keepLast(append(d.notable, line), maxNotable)
}

func keepLast(lines []string, n int) []string {
	if len(lines) > n {
		lines = slices.Delete(lines, 0, len(lines)-n)
	}
	return lines
}

// carriedSection is the part of a summary that the next one repeats; RIP reads it
// too.
const carriedSection = "## Cumulative Summary"

// Head is what the summary names of the thread.
type Head struct {
	Thread, Rule string
	Seq          uint64 // of the last message
	MessageID    string
	Ordinal      uint64  // number of the last message
	Base         string  // id of the previous summary
	Note         *string // on it
}

// Markdown is the summary of the messages and of the previous summary, "" for none.
func (d *Digest) Markdown(h Head, before string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Thread up to message %d\n\n", h.Ordinal)
	fmt.Fprintf(&b, "- Thread: %s\n- Last event: %d, message %s\n- Cut rule: %s\n", h.Thread, h.Seq, say.Chars(prose.OneLine(h.MessageID), maxLine), h.Rule)
	if before != "" {
		fmt.Fprintf(&b, "- Summary before: %s\n", h.Base)
	}
	if h.Note != nil {
		fmt.Fprintf(&b, "- Note: %s\n", *h.Note)
	}
	fmt.Fprintf(&b, "- Messages summed up here: %d, by %s\n\n%s\n\n", d.messages, frequent(d.actors, maxActors, true), carriedSection)
	if before = carried(before); before != "" {
		b.WriteString(before + "\n\n")
	}
	if topics := frequent(d.words, maxTopics, false); topics != "" {
		fmt.Fprintf(&b, "Topics up to message %d: %s\n\n", h.Ordinal, topics)
	}
	writeLines(&b, fmt.Sprintf("Notable up to message %d:", h.Ordinal), d.notable)
	writeLines(&b, "## Latest messages\n", d.latest)
	return say.Chars(strings.TrimRight(b.String(), "\n")+"\n", maxSummary)
}

func writeLines(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(title + "\n")
	for _, line := range lines {
		b.WriteString("- " + line + "\n")
	}
	b.WriteString("\n")
}

// carried returns the part of the previous summary to keep. Of a long summary it
// keeps the start, which people may have written, and the end, which is newest.
func carried(markdown string) string {
	text := strings.TrimSpace(markdown)
	if _, section, ok := strings.Cut("\n"+text, "\n"+carriedSection+"\n"); ok {
		section, _, _ = strings.Cut(section, "\n## ")
		text = strings.TrimSpace(section)
	}
	if utf8.RuneCountInString(text) <= maxCarried {
		return text
	}
	head := text[:charOffset(text, maxCarried/3)]
	tail := text[charOffset(text, utf8.RuneCountInString(text)-maxCarried*2/3+10):]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	if _, rest, ok := strings.Cut(tail, "\n"); ok {
		tail = rest
	}
	return head + "\n[…]\n" + tail
}

// frequent lists the most frequent entries, optionally with their counts.
func frequent(counts map[string]int, most int, numbers bool) string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	names = names[:min(most, len(names))]
	for i, name := range names {
		if numbers {
			names[i] = fmt.Sprintf("%s (%d)", name, counts[name])
		}
	}
	return strings.Join(names, ", ")
}

// charOffset is where character n begins, in bytes, or the text's length.
func charOffset(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for i := range s {
		if n--; n < 0 {
			return i
		}
	}
	return len(s)
}
