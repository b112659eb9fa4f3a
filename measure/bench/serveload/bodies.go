//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

// bodies sends large requests concurrently, each with the maximum number of
// entries.
func bodies(handoff, folder string, clients int) error {
	server, err := serve(handoff, folder)
	if err != nil {
		return err
	}
	const entry = `{"kind":"message","payload":{"role":"user","content":"%s"}},`
	list := strings.Repeat(fmt.Sprintf(entry, strings.Repeat("x", 200-len(entry))), 10_000)
	body := `{"entries":[` + strings.TrimSuffix(list, ",") + `]}`
	client, closeAll := newClient(clients)
	codes, errs := make([]int, clients), make([]error, clients)
	start := time.Now()
	var done sync.WaitGroup
	for c := range clients {
		done.Go(func() {
			resp, err := client.Post(server.address+"/tapes/large/entries", "application/json", strings.NewReader(body))
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				codes[c] = resp.StatusCode
			}
			errs[c] = err
		})
	}
	done.Wait()
	took := time.Since(start)
	closeAll()
	if err := errors.Join(append(errs, server.stop())...); err != nil {
		return err
	}
	counts := map[int]int{}
	for _, code := range codes {
		counts[code]++
	}
	used, ok := server.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("the system does not tell what the server has used")
	}
	fmt.Printf("\n%d requests of %.1f MiB at once: %d appended, %d told to come back, in %.1f s; peak memory %d MB (bar 1,000)\n", clients,
		float64(len(body))/(1<<20), counts[http.StatusCreated], counts[http.StatusServiceUnavailable], took.Seconds(), used.Maxrss>>10)
	return nil
}
