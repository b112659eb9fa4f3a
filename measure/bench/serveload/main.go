//go:build linux

// Command serveload measures appends by many clients at once, over HTTP: to
// threads, where each message starts a run, and to tapes, by turns.
//
//	serveload [-clients N,N] [-each N] [-before PROGRAM] HANDOFF FOLDER
//
// FOLDER is for new workspaces. A row is a number of clients and what they
// append to; "before" is another build to compare with. It fails if an append
// was lost or stored twice. Then processes post to a thread while clients use a
// server, and each client sends one request of nearly 2 MiB to a new server, all
// at once, to measure the memory.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"handoff/measure/bench/internal/bench"
)

func main() {
	clients := flag.String("clients", "64,256", "clients at once")
	each := flag.Int("each", 30, "appends by each of 64 clients; of more clients each does less")
	before := flag.String("before", "", "another build of handoff, measured by turns with the first")
	flag.Parse()
	if err := run(*clients, *each, *before, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "serveload:", err)
		os.Exit(1)
	}
}

func run(clients string, each int, before string, args []string) error {
	var counts []int
	for _, text := range strings.Split(clients, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || len(args) != 2 || each < 1 {
			return errors.New("usage: serveload [-clients N,N] [-each N] [-before PROGRAM] HANDOFF FOLDER")
		}
		counts = append(counts, n)
	}
	builds := []build{{"", args[0], filepath.Join(args[1], "now")}}
	if before != "" {
		builds = append(builds, build{", before", before, filepath.Join(args[1], "before")})
	}
	fmt.Print("| clients | target | appends/s | p50, ms | p99, ms | max, ms | CPU of the server, µs an append | lost | doubled |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, n := range counts {
		for _, files := range []int{1, 4, 64} {
			if err := rows(builds, n, files, max(1, each*64/max(64, n))); err != nil {
				return err
			}
		}
	}
	few := min(counts[0], 64) // for processes and large bodies
	if err := beside(builds[0], few); err != nil {
		return err
	}
	return bodies(args[0], filepath.Join(args[1], "bodies"), few)
}

// build is a program to measure, with its own workspace.
type build struct{ name, handoff, folder string }

// rows measures threads and tapes in turn, with one server for each build.
func rows(builds []build, clients, files, each int) error {
	for _, kind := range []string{"thread", "tape"} {
		for _, b := range builds {
			s, err := serve(b.handoff, b.folder)
			if err != nil {
				return err
			}
			t, err := s.target(kind, files)
			if err == nil {
				t.name += b.name
				err = t.row(s, clients, each)
			}
			if err = errors.Join(err, s.stop()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *target) row(s *server, clients, each int) error {
	cpu, start := s.cpu(), time.Now()
	took, err := t.load(clients, each)
	whole := time.Since(start)
	if err != nil {
		return err
	}
	used := s.cpu() - cpu
	lost, doubled, err := t.check(clients, each)
	if err != nil {
		return err
	}
	n := float64(clients * each)
	fmt.Printf("| %d | %s | %.0f | %s | %.0f | %d | %d |\n", clients, t.name, n/whole.Seconds(), spread(took), used.Seconds()*1e6/n, lost, doubled)
	if lost+doubled > 0 {
		err = fmt.Errorf("%s: %d lost, %d doubled", t.name, lost, doubled)
	}
	return err
}

func spread(took []time.Duration) string {
	return fmt.Sprintf("%d | %d | %d", bench.At(took, 0.5).Milliseconds(), bench.At(took, 0.99).Milliseconds(), bench.At(took, 1).Milliseconds())
}
