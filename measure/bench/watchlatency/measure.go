//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// spawn runs a watcher in a tree until it reports that it watches.
func spawn(dir string, command []string) (cmd *exec.Cmd, stdout *bufio.Reader, err error) {
	cmd = exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	talk := bufio.NewReader(said)
	for {
		line, err := talk.ReadString('\n')
		if strings.Contains(strings.ToLower(line), "watch") && !strings.HasPrefix(line, "Setting up") {
			go io.Copy(io.Discard, talk)
			return cmd, bufio.NewReader(out), nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%v said nothing of watching: %w", command, err)
		}
	}
}

func end(cmd *exec.Cmd) {
	cmd.Process.Signal(syscall.SIGINT)
	time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
}

// metadata measures from the close of a handoff to the metadata that names it.
func metadata(label, dir string, command []string) error {
	cmd, _, err := spawn(dir, command)
	if err != nil {
		return err
	}
	defer end(cmd)
	w, err := newWatcher()
	if err != nil {
		return err
	}
	for i := 0; i < *handoffs; i += *perTask {
		_, in := handoff(dir, i)
		if err := w.add(in, syscall.IN_CREATE|syscall.IN_MOVED_TO); err != nil {
			return err
		}
	}
	var took []time.Duration
	for i := range *handoffs {
		path, in := handoff(dir, i)
		if err := os.WriteFile(path, []byte(document(i)), 0o644); err != nil {
			return err
		}
		closed := time.Now()
		for {
			changed, err := w.next()
			if err != nil {
				return err
			}
			at := time.Now()
			if changed != filepath.Join(in, ".return-meta.json") {
				continue
			}
			if src, err := os.ReadFile(changed); err == nil && bytes.Contains(src, []byte(filepath.Base(path))) {
				took = append(took, at.Sub(closed))
				break
			}
		}
		time.Sleep(*pace)
	}
	report(label, took)
	return nil
}

// steady changes one document every 5 ms, so that its task is never quiet. It
// measures from each first change that is not yet in the metadata.
func steady(label, dir string, command []string) error {
	cmd, _, err := spawn(dir, command)
	if err != nil {
		return err
	}
	defer end(cmd)
	w, err := newWatcher()
	if err != nil {
		return err
	}
	if err := w.add(task(dir, 0), syscall.IN_CREATE|syscall.IN_MOVED_TO); err != nil {
		return err
	}
	shown := make(chan time.Time, 1000)
	go func() {
		for {
			if path, err := w.next(); err == nil && filepath.Base(path) == ".return-meta.json" {
				shown <- time.Now()
			}
		}
	}()
	path, _ := handoff(dir, 0)
	var took []time.Duration
	var first time.Time
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for i := 0; i < 1000; {
		select {
		case <-tick.C:
			i++
			if err := os.WriteFile(path+".new", []byte(document(i)), 0o644); err != nil {
				return err
			}
			if err := os.Rename(path+".new", path); err != nil {
				return err
			}
			if first.IsZero() {
				first = time.Now()
			}
		case at := <-shown:
			if !first.IsZero() {
				took = append(took, at.Sub(first))
			}
			first = time.Time{}
		}
	}
	if len(took) == 0 {
		return fmt.Errorf("%s: the metadata never changed", label)
	}
	report(label, took)
	return nil
}

// start measures the start on a tree without pending work, and the idle time
// after it.
func start(dir string, command []string) error {
	began := time.Now()
	cmd, _, err := spawn(dir, command)
	if err != nil {
		return err
	}
	defer end(cmd)
	took := time.Since(began)
	used := cpu(cmd.Process.Pid)
	time.Sleep(2 * time.Second)
	before := cpu(cmd.Process.Pid)
	time.Sleep(10 * time.Second)
	idle := cpu(cmd.Process.Pid) - before
	fmt.Printf("start: %d ms, CPU %d ms; peak RSS %.1f MB; CPU of 10 s idle: %d ms\n", took.Milliseconds(), used.Milliseconds(),
		float64(status(cmd.Process.Pid, "VmHWM:"))*1024/1e6, idle.Milliseconds())
	return nil
}

func status(pid int, key string) int {
	src, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(src)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == key {
			n, _ := strconv.Atoi(f[1])
			return n
		}
	}
	return 0
}

// cpu is the CPU time of a process so far, in steps of 10 ms.
func cpu(pid int) time.Duration {
	src, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	f := strings.Fields(string(src[bytes.LastIndexByte(src, ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
