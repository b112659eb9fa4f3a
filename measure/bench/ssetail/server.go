//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// measure is one round: a server from start to exit.
func measure(handoff, thread, place string) (s sample, err error) {
	last, err := lastSeq(filepath.Join(place, ".handoff/threads", thread+".jsonl"))
	if err != nil {
		return s, err
	}
	cmd := exec.Command(handoff, "serve", "-C", place, "--listen", "127.0.0.1:0", "--no-token")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return s, err
	}
	defer func() {
		cmd.Process.Signal(syscall.SIGTERM)
		io.Copy(io.Discard, said)
		if waitErr := cmd.Wait(); err == nil {
			err = waitErr
		}
		if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			s.rss = float64(used.Maxrss) * 1024 / 1e6
		}
		s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}()
	line, err := bufio.NewReader(said).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if !ok {
		return s, fmt.Errorf("the server said %q, %w", line, err)
	}
	err = s.ask(address+"/threads/"+thread, last)
	return s, err
}

// ask makes the requests of the client.
func (s *sample) ask(thread string, last uint64) error {
	start := time.Now()
	tail, err := stream(thread+"/events", last)
	if err != nil {
		return err
	}
	defer tail.Close()
	s.connect = time.Since(start)
	frames := bufio.NewReader(tail)

	var took []time.Duration
	for range posts {
		d, end, err := post(thread, frames, last)
		if err != nil {
			return err
		}
		took, last = append(took, d), end
	}
	slices.Sort(took)
	s.posted = took[len(took)/2]

	start = time.Now()
	again, err := stream(fmt.Sprintf("%s/events?from_seq=%d", thread, last), 0)
	if err != nil {
		return err
	}
	defer again.Close()
	_, err = next(bufio.NewReader(again), "continuity_run_ended", last)
	s.again = time.Since(start)
	return err
}

// posts is how many messages a round posts: their median depends less on other
// load of the disk.
const posts = 5

// post measures from sending a message, after event last, to its frame; end is
// the last event of the run that it starts.
func post(thread string, frames *bufio.Reader, last uint64) (took time.Duration, end uint64, err error) {
	posted := make(chan error, 1)
	start := time.Now()
	go func() { // the frame comes before the answer, which also names the run
		resp, err := http.Post(thread+"/messages", "application/json", strings.NewReader(`{"content":"hello"}`))
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusAccepted {
				err = fmt.Errorf("posting: %s", resp.Status)
			}
		}
		posted <- err
	}()
	if _, err := next(frames, "continuity_message_appended", last+1); err != nil {
		return 0, 0, err
	}
	took = time.Since(start)
	end, err = next(frames, "continuity_run_ended", 0)
	return took, end, errors.Join(err, <-posted)
}

// stream opens an event stream that starts after an event.
func stream(url string, behind uint64) (io.ReadCloser, error) {
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	if behind > 0 {
		r.Header.Set("Last-Event-ID", fmt.Sprint(behind))
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return resp.Body, nil
}

// next reads frames until one has the type kind, and returns its number. That
// must be seq, unless seq is 0.
func next(frames *bufio.Reader, kind string, seq uint64) (uint64, error) {
	for {
		line, err := frames.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		var f struct {
			Type string
			Seq  uint64
		}
		if err := json.Unmarshal(data, &f); err != nil {
			return 0, err
		}
		if f.Type != kind {
			continue
		}
		if seq > 0 && f.Seq != seq {
			return 0, fmt.Errorf("%s has the number %d, want %d", kind, f.Seq, seq)
		}
		return f.Seq, nil
	}
}

// lastSeq is the number of a thread's last event.
func lastSeq(path string) (uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	const most = 64 << 10
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	b, err := io.ReadAll(io.NewSectionReader(f, max(0, st.Size()-most), most))
	if err != nil {
		return 0, err
	}
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	var e struct{ Seq uint64 }
	err = json.Unmarshal(lines[len(lines)-1], &e)
	return e.Seq, err
}
