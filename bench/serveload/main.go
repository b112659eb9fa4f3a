//go:build linux

// Command serveload measures appends by many clients at once, over HTTP: to one
// thread, each of which starts a run, and to one tape.
//
//	serveload [-clients N] [-each N] HANDOFF FOLDER
//
// FOLDER is a new workspace. It prints the appends a second and how long they
// took, and fails if one was lost, or is there twice. Then each client sends one
// request of nearly 2 MiB to a new server, all at once: what memory that takes.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"handoff/bench/internal/bench"
)

func main() {
	clients := flag.Int("clients", 64, "clients at once")
	each := flag.Int("each", 30, "appends by each client")
	flag.Parse()
	if err := run(*clients, *each, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "serveload:", err)
		os.Exit(1)
	}
}

// target is what is appended to.
type target struct {
	name, route, body, file string
	status                  int
}

func targets(thread string) []target {
	return []target{
		{"thread, a run for each message", "/threads/" + thread + "/messages", `{"content":"%s"}`, ".handoff/threads/" + thread + ".jsonl", http.StatusAccepted},
		{"tape", "/tapes/main/entries", `{"entries":[{"kind":"message","payload":{"role":"user","content":"%s"}}]}`, ".handoff/tape/main.jsonl", http.StatusCreated},
	}
}

func run(clients, each int, args []string) error {
	if len(args) != 2 || clients < 1 || each < 1 {
		return errors.New("usage: serveload [-clients N] [-each N] HANDOFF FOLDER")
	}
	fmt.Printf("| %d clients, %d appends each | appends/s | p50, ms | p99, ms (bar 300) | lost | doubled |\n|---|---:|---:|---:|---:|---:|\n", clients, each)
	thread, err := create(args[0], args[1])
	if err != nil {
		return err
	}
	targets := targets(thread)
	server, address, err := serve(args[0], args[1])
	if err != nil {
		return err
	}
	var took [][]time.Duration
	var whole []time.Duration
	for _, t := range targets {
		start := time.Now()
		d, err := t.load(address, clients, each)
		if err != nil {
			return errors.Join(err, server.stop())
		}
		took, whole = append(took, d), append(whole, time.Since(start))
	}
	if err := server.stop(); err != nil {
		return err
	}
	var errs []error
	for i, t := range targets {
		lost, doubled, err := t.check(args[1], clients, each)
		if err == nil && lost+doubled > 0 {
			err = fmt.Errorf("%s: %d lost, %d doubled", t.name, lost, doubled)
		}
		errs = append(errs, err)
		fmt.Printf("| %s | %.0f | %d | %d | %d | %d |\n", t.name, float64(clients*each)/whole[i].Seconds(),
			bench.At(took[i], 0.5).Milliseconds(), bench.At(took[i], 0.99).Milliseconds(), lost, doubled)
	}
	return errors.Join(append(errs, bodies(args[0], args[1], clients))...)
}

// create makes the workspace, with a thread.
func create(handoff, folder string) (thread string, err error) {
	if err := os.MkdirAll(filepath.Join(folder, "specs"), 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command(handoff, "thread", "create", "-C", folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var made struct {
		ID string `json:"thread_id"`
	}
	err = cmp.Or(err, json.Unmarshal(out, &made))
	return made.ID, err
}

// server is one that runs.
type server struct {
	cmd  *exec.Cmd
	said io.Reader
}

func serve(handoff, folder string) (s server, address string, err error) {
	s.cmd = exec.Command(handoff, "serve", "-C", folder, "--listen", "127.0.0.1:0")
	if s.said, err = s.cmd.StderrPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return s, "", err
	}
	line, err := bufio.NewReader(s.said).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if !ok {
		return s, "", errors.Join(fmt.Errorf("the server said %q, %w", line, err), s.stop())
	}
	return s, address, nil
}

func (s server) stop() error {
	s.cmd.Process.Signal(syscall.SIGTERM)
	io.Copy(os.Stderr, s.said)
	return s.cmd.Wait()
}

func name(client, n int) string { return fmt.Sprintf("client-%d-append-%d-end", client, n) }

// load has all clients append, each one after the other.
func (t target) load(address string, clients, each int) (took []time.Duration, err error) {
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	all, errs := make([][]time.Duration, clients), make([]error, clients)
	var done sync.WaitGroup
	for c := range clients {
		done.Go(func() {
			for n := range each {
				start := time.Now()
				if errs[c] = t.append(client, address, name(c, n)); errs[c] != nil {
					return
				}
				all[c] = append(all[c], time.Since(start))
			}
		})
	}
	done.Wait()
	for _, list := range all {
		took = append(took, list...)
	}
	return took, cmp.Or(errs...)
}

func (t target) append(client *http.Client, address, name string) error {
	resp, err := client.Post(address+t.route, "application/json", strings.NewReader(fmt.Sprintf(t.body, name)))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != t.status {
		err = fmt.Errorf("%s: %s: %s", t.route, resp.Status, text)
	}
	return err
}

// check counts what is not in the file, and what is there more than once.
func (t target) check(folder string, clients, each int) (lost, doubled int, err error) {
	text, err := os.ReadFile(filepath.Join(folder, t.file))
	for c := range clients {
		for n := range each {
			switch found := strings.Count(string(text), `"`+name(c, n)+`"`); {
			case found == 0:
				lost++
			case found > 1:
				doubled++
			}
		}
	}
	return lost, doubled, err
}
