package httpapi

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"handoff/internal/web/openapi"
)

// counters are the values of /metrics. The zero value is ready to use. Labels come
// from tables, never from a request, so that their number is bounded.
type counters struct {
	running     atomic.Int64
	events      atomic.Int64
	connections func() int // nil: unknown

	mu       sync.Mutex
	requests map[requestKey]*requestCount
}

type requestKey struct {
	route, method string
	code          int
}

type requestCount struct {
	count   int
	seconds float64
}

func (c *counters) begin() { c.running.Add(1) }

// ended counts a request. Without a route, its path does not exist; without a
// code, the client disconnected.
func (c *counters) ended(method, route string, code int, took time.Duration) {
	c.running.Add(-1)
	if !slices.Contains(methods, method) {
		method = "other"
	}
	key := requestKey{cmp.Or(route, "none"), method, code}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests == nil {
		c.requests = map[requestKey]*requestCount{}
	}
	n := c.requests[key]
	if n == nil {
		n = new(requestCount)
		c.requests[key] = n
	}
	n.count++
	n.seconds += took.Seconds()
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut}

// showMetrics writes Prometheus' text format.
func (s *Server) showMetrics(w http.ResponseWriter, r *http.Request, _ openapi.Nothing) error {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	out := bufio.NewWriter(w)
	c := &s.counters
	metric := func(name, kind, help string, value any) {
		fmt.Fprintf(out, "# HELP handoff_%s %s\n# TYPE handoff_%s %s\n", name, help, name, kind)
		if value != nil {
			fmt.Fprintf(out, "handoff_%s %v\n", name, value)
		}
	}
	metric("build_info", "gauge", "Version of the server.", nil)
	fmt.Fprintf(out, "handoff_build_info{version=%s} 1\n", strconv.Quote(s.Version))
	metric("http_requests_running", "gauge", "Requests being served, including streams.", c.running.Load())
	metric("streams", "gauge", "Event streams being sent.", s.streams.Load())
	metric("stream_events_total", "counter", "Events sent in all streams.", c.events.Load())
	if c.connections != nil {
		metric("connections", "gauge", "Connections open.", c.connections())
	}
	var memory runtime.MemStats // package runtime/metrics costs each start of the program 0.1 ms
	runtime.ReadMemStats(&memory)
	metric("goroutines", "gauge", "Goroutines.", runtime.NumGoroutine())
	metric("memory_bytes", "gauge", "Memory obtained from the system by the Go runtime.", memory.Sys)
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(c.requests), func(a, b requestKey) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.method, b.method), cmp.Compare(a.code, b.code))
	})
	metric("http_request_seconds", "summary", "Requests served and their duration.", nil)
	for _, k := range keys {
		labels := fmt.Sprintf("{route=%q,method=%q,code=\"%d\"}", k.route, k.method, k.code)
		fmt.Fprintf(out, "handoff_http_request_seconds_sum%s %g\n", labels, c.requests[k].seconds)
		fmt.Fprintf(out, "handoff_http_request_seconds_count%s %d\n", labels, c.requests[k].count)
	}
	return out.Flush()
}
