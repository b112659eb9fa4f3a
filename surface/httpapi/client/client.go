// Package client accesses the threads, tapes and handoffs of a server over HTTP: of
// `handoff serve`, or of RIP where RIP has the route. Operations on threads are done
// by Perform, as by threadops.Here, and the methods of [Tape] are those of a workspace's
// tape, so that one interface covers both.
//
// Programs outside of this module ask by [Client.Call] for any operation of docs/openapi.json, and follow streams by
// [Handoffs.Events], [Client.EventsFrom], [Client.Session] and [Tape.Follow]. An answer other than success is a
// [*StatusError], which is fs.ErrNotExist or fs.ErrExist where these say what it means.
//
// It follows no redirects and bounds what it reads.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/lint/report"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/surface/problem"
	"handoff/workspace/handoffops"
)

// Client accesses one server. Its methods are safe for concurrent use.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
	ours  atomic.Bool // it is known to be `handoff serve`
}

// New creates a client for a URL, or unix:PATH. Requests have the token, unless
// it is "".
func New(server, token string) (*Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	transport.DisableCompression = true // a compressor would delay events
	if path, ok := strings.CutPrefix(server, "unix:"); ok {
		path = strings.TrimPrefix(path, "//")
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		server = "http://localhost"
	}
	base, err := url.Parse(server)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("invalid server %q: want a URL like http://127.0.0.1:7341, or unix:PATH", server)
	}
	if base.User != nil {
		return nil, errors.New("the server's URL contains a user name or password, which would appear in logs")
	}
	return &Client{base: base, token: token, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close closes idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// needOurs returns an error for a server of RIP, which would silently ignore
// what. Only `handoff serve` has a health check.
func (c *Client) needOurs(ctx context.Context, what string) error {
	if c.ours.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, inTime)
	defer cancel()
	resp, err := c.send(ctx, request{method: "GET", path: []string{"healthz"}})
	if e := (*StatusError)(nil); errors.As(err, &e) && e.Status == http.StatusNotFound {
		return fmt.Errorf("%s: the server is not `handoff serve`, and RIP silently ignores %[1]s: leave it out: %w", what, handoff.ErrInvalid)
	}
	if err != nil {
		return err
	}
	c.ours.Store(true)
	return resp.Body.Close()
}

// StatusError is an answer with a status other than success. It is
// fs.ErrNotExist, fs.ErrExist or handoff.ErrInvalid, depending on the status, and
// receipt.ErrRefused for a step that the state of the handoff forbids.
type StatusError struct {
	Status int
	Detail string // from the server; "" from RIP
	Hint   string // possible cause, if there is no Detail
	// Findings are about a new handoff that was not written.
	Findings []Finding
	// Problem is what the server sent, with the members of its type. Its type is
	// [problem.Blank] if the status says everything, and "" from RIP.
	Problem problem.Problem
}

func (e *StatusError) Error() string {
	status := fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
	if e.Detail == "" && e.Hint == "" {
		return "the server says " + status
	}
	if e.Detail == "" {
		return fmt.Sprintf("the server says %s without details: %s", status, e.Hint)
	}
	return fmt.Sprintf("the server says %s: %s", status, e.Detail)
}

// Answer is what the server sent, for those who do not know its client. The type of the problem is "" if that was none.
func (e *StatusError) Answer() (problem.Problem, []report.Short) {
	var list []report.Short
	for _, f := range e.Findings {
		list = append(list, report.Short{Rule: f.Rule, Severity: f.Severity, Line: f.Line, Pointer: f.Pointer, Message: f.Message})
	}
	return e.Problem, list
}

// Is maps statuses to errors as the server maps errors to statuses.
func (e *StatusError) Is(target error) bool {
	switch target {
	case handoff.ErrKeyUsed:
		return e.Problem.Type == problem.KeyReused.Type
	case error(handoffops.ErrNothingWaits):
		return e.Problem.Type == problem.NothingWaits.Type
	case receipt.ErrRefused:
		return slices.Contains([]problem.Type{problem.Held.Type, problem.Finished.Type, problem.Stale.Type, problem.NotRead.Type}, e.Problem.Type)
	}
	switch e.Status {
	case http.StatusNotFound:
		return target == fs.ErrNotExist
	case http.StatusConflict:
		return target == fs.ErrExist
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return target == handoff.ErrInvalid
	}
	return false
}

const (
	maxAnswer = 64 << 20 // bytes of an answer, except streams and entries
	maxDetail = 1 << 10
	inTime    = 2 * time.Minute // for an answer, except streams and entries
)

// request is one request. The parts of the path are unescaped. Fields that are
// nil are not sent.
type request struct {
	method string
	path   []string
	query  url.Values
	header http.Header
	body   any
	key    string
	rip    bool // RIP has the route, too
}

// Call asks the server for an operation as docs/openapi.json describes it: the parts of the path are escaped, body
// is sent as JSON unless it is nil, and the answer is put into result: as JSON, as it is into a *string, or nowhere if
// result is nil.
func (c *Client) Call(ctx context.Context, method string, path []string, query url.Values, body, result any) error {
	if result == nil {
		result = new(string)
	}
	_, err := c.exchange(ctx, request{method: method, path: path, query: query, body: body}, result)
	return err
}

// call is ask for a request without a query or an idempotency key.
func call[T any](ctx context.Context, c *Client, method string, path []string, body any) (T, error) {
	result, _, err := ask[T](ctx, c, request{method: method, path: path, body: body})
	return result, err
}

// ask sends a request, and decodes the answer. code is the status of the answer,
// 0 with an error.
func ask[T any](ctx context.Context, c *Client, r request) (result T, code int, err error) {
	code, err = c.exchange(ctx, r, &result)
	return result, code, err
}

// exchange is ask for a result of any type.
func (c *Client) exchange(ctx context.Context, r request, result any) (code int, err error) {
	if r.key != "" {
		if err := c.needOurs(ctx, "an idempotency key"); err != nil {
			return 0, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, inTime)
	defer cancel()
	resp, err := c.send(ctx, r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	src, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("the server's answer: %w", err)
	case len(src) > maxAnswer:
		return 0, fmt.Errorf("the server's answer is longer than %d bytes", maxAnswer)
	}
	if text, ok := result.(interface{ SetText([]byte) }); ok {
		text.SetText(src)
	} else if text, ok := result.(*string); ok {
		*text = string(src)
	} else if err := json.Unmarshal(src, result); err != nil {
		return 0, fmt.Errorf("unexpected answer from the server: %w", err)
	}
	return resp.StatusCode, nil
}

// send sends a request. An answer without success is a [*StatusError].
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	var in io.Reader
	if r.body != nil {
		text, err := jsontext.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(text)
	}
	path, err := r.escaped()
	if err != nil {
		return nil, err
	}
	u := *c.base.JoinPath(path...)
	u.RawQuery = r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), in)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, r.header)
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, refusal(r, resp)
	}
	return resp, nil
}

// escaped is the path of the request. An invalid ID or name is an error: a part
// like ".." would change the path.
func (r request) escaped() (path []string, err error) {
	if len(r.path) > 1 {
		check := thread.CheckID
		switch r.path[0] {
		case "tapes":
			check = tape.CheckName
		case "handoffs", "specs", archives:
			check = checkRef
		}
		if err := check(r.path[1]); err != nil {
			return nil, err
		}
	}
	for _, part := range r.path {
		path = append(path, url.PathEscape(part))
	}
	return path, nil
}

// unreachable removes the method from an error; the address stays.
func unreachable(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		if e.Timeout() {
			return fmt.Errorf("%s: no answer in time", e.URL)
		}
		return fmt.Errorf("%s: %w", e.URL, e.Err)
	}
	return err
}

// refusal reads problem details (RFC 9457), if the answer has them.
func refusal(r request, resp *http.Response) error {
	e := &StatusError{Status: resp.StatusCode}
	src, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil || len(src) == 0 {
		e.Hint = hint(r, e.Status)
		return e
	}
	var sent struct {
		problem.Problem
		Findings []Finding
	}
	if json.Unmarshal(src, &sent) != nil {
		sent.Detail = string(src) // RIP sends plain text for malformed requests
	}
	e.Problem, e.Findings = sent.Problem, sent.Findings
	if e.Detail = sent.Detail; e.Detail == "" {
		e.Detail = sent.Title
	}
	if e.Detail = strings.TrimSpace(e.Detail); len(e.Detail) > maxDetail {
		e.Detail = strings.ToValidUTF8(e.Detail[:maxDetail], "") + "…"
	}
	return e
}

// hint explains a 404 or 405 without a body, as RIP sends it; "" for other
// answers.
func hint(r request, status int) string {
	switch {
	case status != http.StatusNotFound && status != http.StatusMethodNotAllowed:
		return ""
	case r.rip && r.path[0] == "threads":
		return "it seems to be RIP, which has no such thread, message or run"
	case r.rip:
		return "it seems to be RIP, which has no such run, or was restarted since"
	}
	return "it seems to be RIP, which does not support this: use `handoff serve`, or leave out --server"
}
