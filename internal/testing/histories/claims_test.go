//go:build unix

package histories

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/natstest"
)

// TestClaims: random histories of claims of handoffs, an issue and paths by commands, over HTTP and over MCP, on three clones
// of one store, which lose it now and then. Programs are killed at any moment, and stopped for
// longer than their lease, and others claim meanwhile. A model that knows only what was
// acknowledged says what must be the result: no stale claim writes, no handoff has two
// holders, no token comes twice, nothing acknowledged is missing or overtaken, and no read is
// older than that without saying so. HANDOFF_CLAIMS is the number of operations,
// HANDOFF_CLAIMS_STORE the store: files, git, nats or cluster.
func TestClaims(t *testing.T) {
	t.Parallel() // beside TestLead, and the stores beside each other: they wait most of the time
	n := must(strconv.Atoi(cmp.Or(os.Getenv("HANDOFF_CLAIMS"), "40")))
	seed := must(strconv.ParseUint(cmp.Or(os.Getenv("HANDOFF_CLAIMS_SEED"), "1"), 10, 64))
	if testing.Short() {
		t.Skip("starts hundreds of processes")
	}
	kinds := []string{"files", "git", "nats"}
	if one := os.Getenv("HANDOFF_CLAIMS_STORE"); one != "" {
		kinds = []string{one}
	}
	for i, kind := range kinds {
		seed := seed + uint64(i*((n+perHistory-1)/perHistory)) // each history has its own
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			total, begin := map[string]int{}, time.Now()
			var servers *natstest.Cluster
			if nodes := map[string]int{"nats": 1, "cluster": 3}[kind]; nodes > 0 {
				servers = natstest.Start(t, natstest.Options{Nodes: nodes})
			}
			for done := 0; done < n && !t.Failed(); seed++ {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
					f := newFleet(t, kind, servers, seed)
					stop := f.load()
					for range min(perHistory, n) {
						f.step()
					}
					stop()
					f.end()
					for what, n := range f.did {
						total[what] += n
					}
					if t.Failed() {
						t.Log("\n" + strings.Join(f.steps, "\n"))
					}
				})
				done += min(perHistory, n)
			}
			t.Log(total, time.Since(begin).Round(time.Second))
		})
	}
}

// perHistory is how many operations a history has.
const perHistory = 150

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fleet is some machines.
type fleet struct {
	t        *testing.T
	rand     *rand.Rand
	kind     string
	bare     string // the remote of a git store
	machines []*machine
	works    map[string]*work
	steps    []string
	did      map[string]int
	names    int
	cluster  *natstest.Cluster
	stream   string
}

func newFleet(t *testing.T, kind string, servers *natstest.Cluster, seed uint64) *fleet {
	f := &fleet{t: t, kind: kind, rand: rand.New(rand.NewPCG(seed, 3)), works: map[string]*work{}, did: map[string]int{}}
	home, shared := t.TempDir(), t.TempDir()
	if kind == "cluster" {
		f.cluster, f.stream = servers, fmt.Sprint("FLEET", seed)
	}
	if kind == "git" {
		f.bare = filepath.Join(t.TempDir(), "bare.git")
		shell{home, environment(home)}.must(t, "git init -q --bare "+f.bare)
	}
	for i := range 3 {
		dir, store := shared, "files"
		if kind != "files" {
			dir = t.TempDir()
		}
		m := &machine{t: t, files: t.TempDir(), shell: shell{dir, append(environment(home), "HANDOFF_TRUST="+dir, fmt.Sprint("USER=m", i))}}
		m.shell.must(t, "test -d .git || git init -q .")
		switch kind {
		case "git":
			m.shell.must(t, "git remote add origin "+f.bare)
			store = "git:origin"
		case "nats":
			m.proxy = natstest.NewProxy(t, servers.Addresses()[0])
			store = fmt.Sprint(m.proxy.Address(), "/FLEET", seed)
		case "cluster":
			store = strings.ReplaceAll(strings.Join(servers.Addresses(), ","), ",nats://", ",") + "/" + f.stream
		}
		m.put(".handoff.yaml", "store: "+store+"\n")
		for task := range 4 {
			m.put(firstOf(task+1), text)
		}
		if i == 0 && strings.HasPrefix(store, "nats") { // which creates the stream
			m.shell.must(t, program+" store copy files "+store)
		}
		f.machines = append(f.machines, m)
		t.Cleanup(func() { m.http.kill(); m.mcp.kill() })
	}
	for task := range 3 {
		f.works[firstOf(task+1)] = newWork(firstOf(task+1), task+1, -1)
	}
	for _, name := range []string{"issue:1", "path:src/**"} { // which have no document
		f.works[name] = newWork(name, 0, -1)
	}
	return f
}

func firstOf(task int) string {
	return fmt.Sprintf("specs/%d_t/handoffs/phase-1-handoff-20260212T14302%dZ.md", task, task)
}

func (m *machine) put(path, text string) {
	full := filepath.Join(m.shell.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// load has others claim and give back another handoff all the time.
func (f *fleet) load() (stop func()) {
	end := make(chan struct{})
	var all sync.WaitGroup
	for i, m := range f.machines[:2] {
		all.Go(func() {
			for n := 0; ; n++ {
				r := m.command(ask{what: "claim", path: firstOf(4), as: fmt.Sprint("load", i, n), ttl: 2})
				if r.OK {
					m.command(ask{what: "release", path: firstOf(4), claim: r.Claim})
				}
				select {
				case <-end:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	return func() { close(end); all.Wait() }
}

func (f *fleet) wrong(format string, args ...any) {
	f.t.Helper()
	f.t.Errorf("after step %d: %s", len(f.steps)-1, fmt.Sprintf(format, args...))
}

// step is one operation on one machine.
func (f *fleet) step() {
	i := f.rand.IntN(len(f.machines))
	w := f.some(i)
	switch n := f.rand.IntN(60); {
	case n < 2 && f.kind != "files":
		f.note(i, "away", w, f.line(f.machines[i], true))
	case n < 6 && f.kind != "files":
		f.note(i, "answers", w, f.line(f.machines[i], false))
	case n == 6 && f.rand.IntN(4) == 0 && !w.bare():
		f.pause(i, w)
	case n < 20:
		f.claim(i, w)
	case n < 24:
		f.next(i)
	case n < 32:
		f.read(i, w)
	case n < 34 && !w.bare():
		f.holds(i, w, "write")
	case strings.HasPrefix(w.path, "path:"): // which are never finished for good
		f.holds(i, w, []string{"renew", "release"}[f.rand.IntN(2)])
	default:
		f.holds(i, w, []string{"renew", "renew", "release", "done"}[f.rand.IntN(4)])
	}
}

// some is a handoff that a machine has.
func (f *fleet) some(i int) *work {
	var paths []string
	for path, w := range f.works {
		if w.on < 0 || w.on == i || f.kind == "files" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return f.works[paths[f.rand.IntN(len(paths))]]
}

func (f *fleet) note(i int, what string, w *work, result string, claim ...string) {
	f.did[strings.TrimSpace(what+" "+result)]++
	f.steps = append(f.steps, fmt.Sprintf("%d. machine %d: %s %s: %s %v", len(f.steps), i, what, w.path, result, claim))
}

// line loses the store, or finds it again.
func (f *fleet) line(m *machine, away bool) string {
	late := f.rand.IntN(2) == 0
	switch {
	case f.kind == "nats" && away:
		m.proxy.Hold(true, true)
	case f.kind == "nats" && !late && m.away:
		m.proxy.Cut()
	case f.kind == "nats":
		m.proxy.Hold(false, false)
	case f.kind == "cluster" && away && late:
		leader := f.cluster.WaitLeader(f.stream)
		f.cluster.Kill(leader)
		f.cluster.Restart(leader)
		return "leader killed"
	case f.kind == "git" && away:
		m.shell.must(f.t, "git remote set-url origin /nowhere")
	case f.kind == "git":
		m.shell.must(f.t, "git remote set-url origin "+f.bare)
	}
	m.away = away && f.kind != "cluster"
	return ""
}

// do makes a request on some surface. Now and then its program is killed.
func (f *fleet) do(i int, a ask) (r answer) {
	m := f.machines[i]
	if a.what != "read" && f.rand.IntN(12) == 0 {
		a.kill = time.Duration(1+f.rand.IntN(15000)) * time.Microsecond
	}
	switch n := f.rand.IntN(3); {
	case n == 0:
		r = m.command(a)
		f.did["by command"]++
	case n == 1 || a.force || a.what == "next" || a.what == "read":
		r = m.overHTTP(a)
		f.did["over HTTP"]++
	default:
		r = m.overMCP(a)
		f.did["over MCP"]++
	}
	if a.kill > 0 {
		f.did["killed"]++
	}
	return r
}
