//go:build linux

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// target is what clients append to: one thread or tape, or several in turn.
type target struct {
	name   string
	unique string   // unique for each row, because several rows use the same tapes
	routes []string // URLs
	files  []string
	body   string
	status int
}

// target creates that many threads, or names that many tapes.
func (s *server) target(kind string, files int) (*target, error) {
	t := &target{unique: strconv.FormatInt(time.Now().UnixNano(), 36), name: fmt.Sprintf("%d %ss", files, kind), status: http.StatusAccepted, body: `{"content":"%s"}`}
	if files == 1 {
		t.name = "1 " + kind
	}
	if kind == "tape" {
		t.status, t.body = http.StatusCreated, `{"entries":[{"kind":"message","payload":{"role":"user","content":"%s"}}]}`
	}
	for i := range files {
		if kind == "tape" {
			name := fmt.Sprintf("of%d-%d", files, i)
			t.add(s, "/tapes/"+name+"/entries", "tape/"+name)
			continue
		}
		id, err := s.thread()
		if err != nil {
			return nil, err
		}
		t.add(s, "/threads/"+id+"/messages", "threads/"+id)
	}
	return t, nil
}

func (t *target) add(s *server, route, file string) {
	t.routes = append(t.routes, s.address+route)
	t.files = append(t.files, filepath.Join(s.folder, ".handoff", file+".jsonl"))
}

// thread creates a thread.
func (s *server) thread() (id string, err error) {
	resp, err := http.Post(s.address+"/threads", "application/json", strings.NewReader("{}"))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var made struct {
		ID string `json:"thread_id"`
	}
	err = json.NewDecoder(resp.Body).Decode(&made)
	return made.ID, err
}

func (t *target) text(client, n int) string {
	return fmt.Sprintf("%s-client-%d-append-%d-end", t.unique, client, n)
}

// load lets all clients append concurrently; each sends one request at a time.
func (t *target) load(clients, each int) (took []time.Duration, err error) {
	client, closeAll := newClient(clients)
	defer closeAll()
	all, errs := make([][]time.Duration, clients), make([]error, clients)
	var done sync.WaitGroup
	for c := range clients {
		done.Go(func() {
			for n := 0; n < each && errs[c] == nil; n++ {
				start := time.Now()
				errs[c] = t.append(client, c, n)
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

func newClient(connections int) (client *http.Client, closeAll func()) {
	transport := &http.Transport{MaxIdleConnsPerHost: connections}
	return &http.Client{Transport: transport}, transport.CloseIdleConnections
}

func (t *target) append(client *http.Client, c, n int) error {
	route := t.routes[c%len(t.routes)]
	resp, err := client.Post(route, "application/json", strings.NewReader(fmt.Sprintf(t.body, t.text(c, n))))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != t.status {
		err = fmt.Errorf("%s: %s: %s", route, resp.Status, text)
	}
	return err
}

// check counts the appends that are missing from the files, and those that
// occur more than once.
func (t *target) check(clients, each int) (lost, doubled int, err error) {
	text, err := t.content()
	for c := range clients {
		for n := range each {
			switch found := strings.Count(text[c%len(t.files)], `"`+t.text(c, n)+`"`); {
			case found == 0:
				lost++
			case found > 1:
				doubled++
			}
		}
	}
	return lost, doubled, err
}

func (t *target) content() (all []string, err error) {
	for _, path := range t.files {
		text, readErr := os.ReadFile(path)
		all, err = append(all, string(text)), cmp.Or(err, readErr)
	}
	return all, err
}
