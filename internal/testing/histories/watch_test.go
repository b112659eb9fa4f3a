//go:build unix

package histories

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// daemon is a `handoff watch` that a test starts, kills and asks.
type daemon struct {
	t   testing.TB
	at  shell
	log string // file for what it prints, of all its starts
	cmd *exec.Cmd
}

func newDaemon(t testing.TB, at shell, log string) *daemon {
	d := &daemon{t: t, at: at, log: log}
	t.Cleanup(d.kill)
	return d
}

func (d *daemon) runs() bool { return d.cmd != nil }

// start starts the watch and returns before its first scan is done.
func (d *daemon) start() {
	out, err := os.OpenFile(d.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		d.t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(program, "watch")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = d.at.dir, d.at.env, out, out
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.cmd = cmd
}

// kill ends the watch at once, as a crash of the machine would.
func (d *daemon) kill() {
	if d.cmd != nil {
		d.cmd.Process.Kill()
		d.cmd.Wait()
		d.cmd = nil
	}
}

func (d *daemon) signal(s syscall.Signal) {
	if d.cmd != nil {
		d.cmd.Process.Signal(s)
	}
}

// idle reports whether the watch has nothing to do, as far as it knows.
func (d *daemon) idle() bool {
	s, ok := d.status()
	return ok && s.rests()
}

// answers reports whether this watch answers, and not one that was killed before.
func (d *daemon) answers() bool {
	_, ok := d.status()
	return ok
}

type status struct {
	PID, Queue int
	Scanning   bool
}

// status is what the watch sends to each caller on its socket. `handoff watch --status` would be a process for each
// look, and eight histories look 20 times a second: more CPU than all that they do otherwise.
func (d *daemon) status() (s status, ok bool) {
	var at struct{ Socket string }
	src, err := os.ReadFile(filepath.Join(d.at.dir, ".handoff/watch.json"))
	if err != nil || json.Unmarshal(src, &at) != nil {
		return s, false
	}
	c, err := net.Dial("unix", at.Socket)
	if err != nil {
		return s, false
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(quietLimit))
	return s, json.NewDecoder(c).Decode(&s) == nil && d.is(s)
}

// shown is the status that the command shows.
func (d *daemon) shown() (s status, ok bool) {
	cmd := exec.Command(program, "watch", "--status", "--json")
	cmd.Dir, cmd.Env = d.at.dir, d.at.env
	out, err := cmd.Output()
	return s, err == nil && json.Unmarshal(out, &s) == nil && d.is(s)
}

// is reports whether a status is that of this watch, and not of one that was killed before.
func (d *daemon) is(s status) bool { return s.PID == d.cmd.Process.Pid }

// rests reports whether there is nothing to do.
func (s status) rests() bool { return s.Queue == 0 && !s.Scanning }

// quietLimit is reached only by a watch that never gets done, or waits for git in a
// repository at rest.
const quietLimit = 90 * time.Second

// quiet waits until the watch has been idle for a moment, and the command shows so, too.
func (d *daemon) quiet() {
	d.t.Helper()
	for in, limit := 0, time.Now().Add(quietLimit); in < 3; time.Sleep(40 * time.Millisecond) {
		in++
		if !d.idle() {
			in = 0
		}
		if in == 3 {
			if s, ok := d.shown(); !ok || !s.rests() {
				in = 0
			}
		}
		if time.Now().After(limit) {
			d.t.Fatalf("the watch was not idle within %v; its log:\n%s", quietLimit, d.printed())
		}
	}
}

// lines are what the watch has printed.
func (d *daemon) lines() []string {
	b, err := os.ReadFile(d.log)
	if err != nil {
		return []string{err.Error()}
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// printed is the end of what the watch has printed.
func (d *daemon) printed() string {
	lines := d.lines()
	return strings.Join(lines[max(0, len(lines)-60):], "\n")
}

// sandbox is a folder with a repository and its neighbours.
func sandbox(t testing.TB) (dir string) {
	if os.Getenv("HANDOFF_HISTORY_KEEP") == "" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, t.Name(), "is in", dir)
	return dir
}

// write writes a file and the folders above it.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read is a file's content; ok is false if there is none.
func read(path string) (text string, ok bool) {
	b, err := os.ReadFile(path)
	return string(b), err == nil
}
