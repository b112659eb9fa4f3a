// Command gentape writes a long tape: entries as an agent of Bub writes them,
// one per line, with an anchor and its event at the beginning of every phase of
// 40 entries.
//
//	gentape [-n ENTRIES] FILE
//
// The same flags give the same bytes on every machine, and a shorter tape is
// the beginning of a longer one. It shares no code with the product.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// phase is the number of entries from one anchor to the next.
const phase = 40

func main() {
	n := flag.Int("n", 1000, "entries")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: gentape [-n ENTRIES] FILE")
		os.Exit(2)
	}
	if err := create(flag.Arg(0), *n); err != nil {
		fmt.Fprintln(os.Stderr, "gentape:", err)
		os.Exit(1)
	}
}

func create(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	write(w, n)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

var begin = time.Date(2026, 2, 21, 0, 0, 0, 0, time.UTC)

func write(w io.Writer, n int) {
	for i := range n {
		kind, payload, meta := entry(i)
		date := begin.Add(time.Duration(i) * 1700 * time.Microsecond).Format("2006-01-02T15:04:05.000000+00:00")
		fmt.Fprintf(w, `{"id": %d, "kind": "%s", "payload": %s, "meta": %s, "date": "%s"}`+"\n", i+1, kind, payload, meta, date)
	}
}

// entry is the content of a tape at a position, from 0.
func entry(i int) (kind, payload, meta string) {
	anchor := fmt.Sprintf(`{"name": "phase-%d", "state": {"summary": "Mended %d files of the größte module; the tests pass", "next_steps": "go on with the next"}}`, i/phase, i%7)
	step := i / 5
	meta = fmt.Sprintf(`{"run_id": "run-%08x"}`, step)
	switch at := i % phase; {
	case at == 0:
		return "anchor", anchor, "{}"
	case at == 1:
		_, data, _ := entry(i - 1)
		return "event", `{"name": "handoff", "data": ` + data + `}`, "{}"
	case at%5 == 2:
		return "message", fmt.Sprintf(`{"role": "user", "content": "Continue the task: look at file %d, mend what is wrong with it, and run the tests of its package"}`, step), meta
	case at%5 == 3:
		return "tool_call", fmt.Sprintf(`{"calls": [{"id": "call_%d", "type": "function", "function": {"name": "fs_read", "arguments": "{\"path\": \"internal/module%d/file_%d.go\"}"}}]}`, step, i%13, step), meta
	case at%5 == 4:
		return "tool_result", fmt.Sprintf(`{"results": ["package module%d\n\n// Größe says how large it is.\nfunc Größe() int { return %d }\n\nfunc main() {\n\tprintln(\"step %d\")\n}\n"]}`, i%13, i, step), meta
	case at%5 == 0:
		return "message", fmt.Sprintf(`{"role": "assistant", "content": "The file was in order but for one name; I have changed it, and the tests pass. (%d)"}`, i), meta
	default:
		return "event", fmt.Sprintf(`{"name": "run", "data": {"status": "ok", "usage": {"prompt_tokens": %d, "completion_tokens": 61, "total_tokens": %d}}}`, 900+i%500, 961+i%500), meta
	}
}
