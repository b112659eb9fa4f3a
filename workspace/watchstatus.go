package workspace

import (
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// WatchStatus is what a running watch says of itself.
type WatchStatus struct {
	Holder
	Polling   bool           `json:"polling"` // there are no events to be had
	Tasks     int            `json:"tasks"`
	Documents int            `json:"handoffs"`
	Queue     int            `json:"queue"` // tasks that wait to be brought up to date
	Looks     int            `json:"looks"` // how often a task was looked at
	Links     int            `json:"links"` // made since it started
	Last      *WatchLast     `json:"last_reconcile"`
	Problems  []WatchProblem `json:"problems"`
}

// WatchLast is the last task that was looked at.
type WatchLast struct {
	Task string    `json:"task"` // its folder
	At   time.Time `json:"at"`
}

// WatchProblem is something that only a person can put right.
type WatchProblem struct {
	Task    string `json:"task"` // its folder
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Col     int    `json:"col,omitempty"`
	Message string `json:"message"`
}

// Holder is the process that watches a workspace.
type Holder struct {
	PID    int       `json:"pid"`
	Host   string    `json:"host"`
	Since  time.Time `json:"since"`
	Root   string    `json:"root"`
	Socket string    `json:"socket,omitempty"` // where it answers
}

// status is a WatchStatus that goes on. Any goroutine may use it.
type status struct {
	mu        sync.Mutex
	queue     int
	looks     int
	links     int
	last      *WatchLast
	documents map[string]int            // of each task
	problems  map[string][]WatchProblem // of each task that has some
}

func (s *status) queued(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = n
}

// note takes in what became of a task. It reports whether its problems are
// others than they were.
func (s *status) note(at time.Time, one Synced) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	task := one.Plan.Dir
	s.looks++
	if one.Err == nil {
		s.links += len(one.Plan.Links)
	}
	s.last = &WatchLast{task, at}
	if s.documents == nil {
		s.documents, s.problems = map[string]int{}, map[string][]WatchProblem{}
	}
	s.documents[task] = one.Documents
	old, now := s.problems[task], problemsOf(one)
	if len(now) == 0 {
		delete(s.problems, task)
	} else {
		s.problems[task] = now
	}
	return len(now) > 0 && !slices.Equal(old, now)
}

func problemsOf(one Synced) []WatchProblem {
	var list []WatchProblem
	if one.Err != nil {
		list = append(list, WatchProblem{Task: one.Plan.Dir, Message: one.Err.Error()})
	}
	for _, p := range one.Plan.Problems {
		list = append(list, WatchProblem{one.Plan.Dir, p.Path, p.Line, p.Col, p.Text})
	}
	return list
}

func (s *status) forget(task string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.documents, task)
	delete(s.problems, task)
}

// size is the number of tasks and of their documents.
func (s *status) size() (tasks, documents int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.documents {
		documents += n
	}
	return len(s.documents), documents
}

func (s *status) totals() WatchTotals {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := WatchTotals{Links: s.links}
	for _, list := range s.problems {
		t.Problems += len(list)
	}
	return t
}

// report is the status for those who ask. Tasks that are gone by now are not
// counted: nobody need have told of it.
func (s *status) report(h Holder, polling bool, there func(task string) bool) WatchStatus {
	s.mu.Lock()
	for task := range s.documents {
		if !there(task) {
			delete(s.documents, task)
			delete(s.problems, task)
		}
	}
	s.mu.Unlock()
	tasks, documents := s.size()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := WatchStatus{Holder: h, Polling: polling, Tasks: tasks, Documents: documents,
		Queue: s.queue, Looks: s.looks, Links: s.links, Last: s.last, Problems: []WatchProblem{}}
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
