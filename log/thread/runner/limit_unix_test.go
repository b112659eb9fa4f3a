//go:build unix

package runner_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/log/thread/runner"
)

// counter counts what is written.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// endOf is what is kept of a run's output for its end.
func (b *bench) endOf(run string) string {
	src, _ := os.ReadFile(filepath.Join(b.folder, "runs", run+".end"))
	return string(src)
}

// TestLimit: of a run that prints more than its limit, what is stored has the beginning, a note, and the end, and no more
// bytes than the limit. A copy of the output has all of it.
func TestLimit(t *testing.T) {
	b := newBench(t)
	const limit = 100_000
	for name, lines := range map[string]int{"below it": 2_000, "twice as much": 8_000, "a lot more": 300_000} {
		var all counter
		o := b.options("count", "seq -f 'line %09.0f of all' "+strconv.Itoa(lines))
		o.Output, o.Stdout = limit, &all
		r := b.run(o)
		_, output, reason := b.session(r.RunID)
		whole := int64(lines) * int64(len("line 000000001 of all\n"))
		if reason != "completed" || int64(all) != whole {
			t.Errorf("%s: ended %q, the copy has %d bytes of %d", name, reason, all, whole)
		}
		if whole <= limit/2 {
			if int64(len(output)) != whole {
				t.Errorf("%s: %d bytes of %d are stored", name, len(output), whole)
			}
			continue
		}
		if len(output) > limit || len(output) < limit/2 || !strings.HasPrefix(output, "line 000000001 of all\n") || !strings.HasSuffix(output, strconv.Itoa(lines)+" of all\n") {
			t.Errorf("%s: %d bytes are stored, from %.30q to %q", name, len(output), output, output[len(output)-30:])
		}
		if strings.Count(output, "[handoff: the limit of a run's output, 100000 bytes, is reached (runs.output)") != 1 || strings.Count(output, "bytes of output are left out here]\nline ") != 1 {
			t.Errorf("%s: want two notes, each once:\n%s", name, output[limit/2-3000:limit/2+500])
		}
	}
	if left := b.held(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestLimitKilled: also if the process is killed, the end of the output is stored, once.
func TestLimitKilled(t *testing.T) {
	b := newBench(t)
	cmd, out, _ := b.process(`echo $$; seq -f 'line %09.0f of all' 300000; echo the last one; while :; do sleep 0.05; done`)
	go io.Copy(io.Discard, out)
	waittest.Until(t, "the end of the output", func() bool {
		live, err := runner.Live(b.store, b.folder)
		return err == nil && len(live) == 1 && strings.HasSuffix(b.endOf(live[0].RunID), "the last one\n")
	})
	live, _ := runner.Live(b.store, b.folder)
	cmd.Process.Kill()
	cmd.Wait()
	for range 2 {
		if _, err := runner.Reap(t.Context(), b.store, b.folder, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	_, output, reason := b.session(live[0].RunID)
	if reason != "killed" || !strings.HasSuffix(output, " of all\nthe last one\n") || strings.Count(output, "[handoff: output is left out here]\nline ") != 1 || strings.Count(output, "the last one") != 1 {
		t.Errorf("ended %q, %d bytes, the last are %q", reason, len(output), output[max(0, len(output)-300):])
	}
	if left := b.held(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
