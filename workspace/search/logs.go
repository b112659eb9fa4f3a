package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/state/names"
	"handoff/internal/text/shellword"
	"handoff/workspace"
)

// LogHit is a thread or a tape that contains all words, with the event or entry that has the most of them.
type LogHit struct {
	ThreadID string     `json:"thread_id,omitempty" doc:"the thread"`
	Tape     string     `json:"tape,omitempty" doc:"the tape"`
	Title    string     `json:"title,omitempty" doc:"title of the thread"`
	Kind     string     `json:"kind" enum:"title,message,answer,summary,side_effects,entry" doc:"what the words are in; side_effects are files that a tool changed"`
	Seq      uint64     `json:"seq" doc:"number of the event; of an entry its ID, of an answer the event of its run's start"`
	RunID    string     `json:"run_id,omitempty" doc:"the run, of an answer and of side effects"`
	At       *time.Time `json:"at,omitempty" doc:"when it was written"`
	Text     string     `json:"text" doc:"the first line with the most of the words, without secrets"`
	Paths    []string   `json:"paths,omitempty" doc:"files with one of the words that were touched there, at most 20"`
	Open     string     `json:"open" doc:"the command that shows it"`

	found
}

// found is how much of a query a log has.
type found struct {
	has  uint64 // the words, one bit each
	most int    // in one event
}

// Limits of a search in logs.
const (
	maxLogBytes = 1 << 30 // that are read, of the newest logs first
	maxParsed   = 200_000 // lines that are parsed
	maxWords    = 64
	maxPaths    = 20
)

// logs is a search in the logs of a workspace: first the answers of runs, which name no thread, then the threads, then the tapes.
type logs struct {
	ctx     context.Context
	root    nofollow.Root
	dir     string
	words   []string
	needles needles
	since   time.Time
	left    int64              // bytes that may be read
	parsed  int                // lines
	answers map[string]*LogHit // by run
	titles  map[string]string  // by thread, those that were changed
	hits    []LogHit
	unread  error
}

// stopped is why not everything was searched, "" if it was.
func (l *logs) stopped() string {
	switch {
	case l.parsed >= maxParsed:
		return fmt.Sprintf("threads and tapes are searched up to %d events with one of the words: add a rarer one", maxParsed)
	case l.left <= 0:
		return fmt.Sprintf("the newest %d MiB of threads and tapes are searched; what is older is not", maxLogBytes>>20)
	}
	return ""
}

// HasLogs reports whether the workspace has threads or tapes.
func HasLogs(ws *workspace.Workspace) bool {
	for _, name := range []string{names.Threads, names.Tapes} {
		if st, err := os.Lstat(filepath.Join(ws.Root, workspace.StateDir, name)); err == nil && st.IsDir() {
			return true
		}
	}
	return false
}

func newLogs(ctx context.Context, ws *workspace.Workspace, words []string, since time.Time) *logs {
	return &logs{ctx: ctx, root: nofollow.Root(ws.Root), dir: filepath.Join(ws.Root, workspace.StateDir), words: words[:min(len(words), maxWords)], since: since,
		left: maxLogBytes, answers: map[string]*LogHit{}, titles: map[string]string{}}
}

// search searches the logs that are here; a store is not asked. Those that cannot be read are in unread.
func (l *logs) search() {
	if len(l.words) == 0 {
		return
	}
	l.needles = needlesOf(l.words)
	l.each("", names.Catalogue, needles{parts: [][]byte{[]byte(`"title":`)}}, l.renamed)
	l.each("", names.Finished, needles{parts: [][]byte{outputDelta}}, l.finished)
	l.folder(names.Sessions, l.session)
	l.folder(names.Threads, l.thread)
	l.folder(names.Tapes, l.tape)
	slices.SortStableFunc(l.hits, func(a, b LogHit) int { return cmp.Compare(b.most, a.most) })
}

// folder searches the logs of a folder, the newest first.
func (l *logs) folder(name string, do func(stem string)) {
	entries, err := os.ReadDir(filepath.Join(l.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.unread = errors.Join(l.unread, err)
	}
	times := map[string]time.Time{}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		info, err := e.Info()
		if err != nil || !names.Owns(name+"/"+e.Name()) || info.ModTime().Before(l.since) {
			return true
		}
		times[e.Name()] = info.ModTime()
		return false
	})
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return times[b.Name()].Compare(times[a.Name()]) })
	for _, e := range entries {
		if l.left <= 0 || l.parsed >= maxParsed || l.ctx.Err() != nil {
			return
		}
		do(strings.TrimSuffix(e.Name(), names.Suffix))
	}
}

// each calls do for the lines of a log with a needle. Of a log that is larger than what may still be read, the end is searched.
func (l *logs) each(folder, name string, n needles, do func(text, low []byte) bool) {
	f, err := l.root.OpenFile(filepath.Join(l.dir, folder, name), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		defer f.Close()
		var st fs.FileInfo
		if st, err = f.Stat(); err == nil && st.Size() > l.left {
			_, err = f.Seek(st.Size()-l.left, io.SeekStart) // the line that is cut is no JSON
		}
	}
	if err == nil {
		counted := &counting{f, &l.left}
		err = scan(l.ctx, counted, n, func(text, low []byte) bool { return do(text, low) && l.parsed < maxParsed })
	}
	if err != nil {
		l.unread = errors.Join(l.unread, err)
	}
}

// counting takes what is read from what may be read.
type counting struct {
	r    io.Reader
	left *int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	*c.left -= int64(n)
	return n, err
}

// look looks for the words in the texts of an event, and reports whether they have more of them than what was found
// before. Line is the line with the most.
func (l *logs) look(h *LogHit, texts ...string) (line string, better bool) {
	var all uint64
	best := 0
	for _, text := range texts {
		for one := range strings.SplitSeq(text, "\n") {
			has := l.in(one)
			if all |= has; bits.OnesCount64(has) > best {
				best, line = bits.OnesCount64(has), one
			}
		}
	}
	h.has |= all
	if n := bits.OnesCount64(all); n > h.most {
		h.most = n
		return quoted(line), true
	}
	return "", false
}

// in are the words in a text.
func (l *logs) in(text string) (has uint64) {
	folded := fold(text)
	for i, word := range l.words {
		if strings.Contains(folded, word) {
			has |= 1 << i
		}
	}
	return has
}

// touched adds the paths with one of the words.
func (l *logs) touched(h *LogHit, paths ...string) {
	for _, path := range paths {
		if len(h.Paths) < maxPaths && l.in(path) != 0 && !slices.Contains(h.Paths, quoted(path)) {
			h.Paths = append(h.Paths, quoted(path))
		}
	}
}

// whole reports whether nothing better can be found.
func (l *logs) whole(f found) bool { return f.most == len(l.words) }

// done keeps a log that has all words.
func (l *logs) done(h LogHit) {
	if bits.OnesCount64(h.has) < len(l.words) {
		return
	}
	if h.Open = shellword.Join("handoff", "thread", "show", h.ThreadID); h.Tape != "" {
		h.Open = shellword.Join("handoff", "tape", "read", "--tape", h.Tape, "--from-id", fmt.Sprint(h.Seq), "--limit", "1")
	}
	l.hits = append(l.hits, h)
}

// String is the hit on one line.
func (h LogHit) String() string {
	place := "tape " + h.Tape + " entry"
	if h.ThreadID != "" {
		place = "thread " + h.ThreadID + " event"
	}
	what := h.Text
	switch {
	case h.Kind == "side_effects":
		what = "touched " + strings.Join(h.Paths, ", ")
	case len(h.Paths) > 0:
		what += " (touched " + strings.Join(h.Paths, ", ") + ")"
	}
	return fmt.Sprintf("%s %d: %s (`%s`)", place, h.Seq, what, h.Open)
}
