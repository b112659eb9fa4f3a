package daemon

import (
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"handoff/workspace/reconcile"
	tasksync "handoff/workspace/sync"
)

// Status is the status of a running watch.
type Status struct {
	Holder
	Polling   bool      `json:"polling"`  // because the system reports no events
	Scanning  bool      `json:"scanning"` // the first scan is not done: the counts are of what it has read so far
	Tasks     int       `json:"tasks"`
	Documents int       `json:"handoffs"`
	Queue     int       `json:"queue"`         // tasks, or sets of changes, waiting: 0 only if all changes before the request are done
	Git       string    `json:"git,omitempty"` // what git is doing that they wait for
	Looks     int       `json:"looks"`         // how often a task was read
	Links     int       `json:"links"`         // written since it started
	Last      *Last     `json:"last_reconcile"`
	Problems  []Problem `json:"problems"`
}

// Last is the last task that was read.
type Last struct {
	Task string    `json:"task"` // its folder
	At   time.Time `json:"at"`
}

// Problem is something that only a person can fix.
type Problem struct {
	Task string `json:"task"` // its folder
	reconcile.Problem
}

// Holder is the process that watches a workspace.
type Holder struct {
	PID    int       `json:"pid"`
	Host   string    `json:"host"`
	Since  time.Time `json:"since"`
	Root   string    `json:"root"`
	Socket string    `json:"socket,omitempty"` // where it answers
}

// status counts what a running watch does. Any goroutine may use it.
type status struct {
	mu        sync.Mutex
	scanning  bool // the first scan is not done
	queue     int
	looks     int
	links     int
	last      *Last
	documents map[string]int       // of each task
	problems  map[string][]Problem // of each task that has some
	elsewhere int                  // documents outside of task folders
	git       string               // what git is doing while tasks wait for it
}

func (s *status) waitsFor(git string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.git = git
}

// outside sets the number of documents outside of task folders.
func (s *status) outside(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.elsewhere = n
}

func (s *status) scan(runs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scanning = runs
}

// scans reports whether the first scan is not done.
func (s *status) scans() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scanning
}

func (s *status) queued(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = n
}

// note records what was done to a task, and reports whether its problems changed.
func (s *status) note(at time.Time, one tasksync.Result) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	task := one.Plan.Dir
	s.looks++
	if one.Err == nil {
		s.links += len(one.Plan.Links)
	}
	s.last = &Last{task, at}
	s.count(task, one.Documents)
	old, now := s.problems[task], problemsOf(one)
	if len(now) == 0 {
		delete(s.problems, task)
	} else {
		s.problems[task] = now
	}
	return len(now) > 0 && !slices.Equal(old, now)
}

// found counts the documents of a task that is left for later.
func (s *status) found(task string, documents int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(task, documents)
}

// count is found for a caller that has the lock.
func (s *status) count(task string, documents int) {
	if s.documents == nil {
		s.documents, s.problems = map[string]int{}, map[string][]Problem{}
	}
	s.documents[task] = documents
}

func problemsOf(one tasksync.Result) []Problem {
	var list []Problem
	if one.Err != nil {
		list = append(list, Problem{one.Plan.Dir, reconcile.Problem{Text: one.Err.Error()}})
	}
	for _, p := range one.Plan.Problems {
		list = append(list, Problem{one.Plan.Dir, p})
	}
	return list
}

func (s *status) forget(task string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.documents, task)
	delete(s.problems, task)
}

// size is the number of tasks and of all documents.
func (s *status) size() (tasks, documents int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	documents = s.elsewhere
	for _, n := range s.documents {
		documents += n
	}
	return len(s.documents), documents
}

func (s *status) totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := Totals{Links: s.links}
	for _, list := range s.problems {
		t.Problems += len(list)
	}
	return t
}

// report is the answer to a status request. It does not count deleted tasks,
// because there may have been no event about them.
func (s *status) report(h Holder, polling bool, exists func(task string) bool) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Status{Holder: h, Polling: polling, Scanning: s.scanning, Queue: s.queue, Looks: s.looks, Links: s.links, Last: s.last, Documents: s.elsewhere, Problems: []Problem{}}
	if r.Queue > 0 {
		r.Git = s.git
	}
	if s.scanning {
		r.Queue = max(1, r.Queue) // not 0 before Started
	}
	for task, documents := range s.documents {
		if exists(task) {
			r.Tasks, r.Documents = r.Tasks+1, r.Documents+documents
		} else {
			delete(s.documents, task)
			delete(s.problems, task)
		}
	}
	for _, task := range slices.Sorted(maps.Keys(s.problems)) {
		r.Problems = append(r.Problems, s.problems[task]...)
	}
	return r
}

func thisProcess(root string, since time.Time) Holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return Holder{PID: os.Getpid(), Host: host, Since: since.UTC().Truncate(time.Second), Root: root}
}
