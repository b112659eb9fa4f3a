package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"handoff/workspace/handoffops"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"handoff/internal/testing/treetest"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/documents"
)

const exampleBundle = "47d8099738b46b71d54e5d5b6f55deb4ad58ce228b3623886cdf8d5ac51a7600"

func TestArtifacts(t *testing.T) {
	s := serve(t, nil)
	data := strings.Repeat("0123456789", 1000)
	id := artifact.Sum([]byte(data)).String()
	url := "/artifacts/" + id
	s.want(404, "GET", url, "")
	s.want(404, "HEAD", url, "")
	s.want(422, "PUT", url, data+"x")
	s.want(404, "GET", url, "")
	for i, want := range []int{201, 200} {
		a := s.want(want, "PUT", url, data)
		if got := into[storedArtifact](a); got.ID.String() != id || got.Size != int64(len(data)) || got.Outcome != []string{"created", "kept"}[i] {
			t.Errorf("%s", a.body)
		}
	}
	a := s.want(200, "GET", url, "")
	if a.body != data || a.Header.Get("ETag") != `"`+id+`"` || !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%d bytes, %v", len(a.body), a.Header)
	}
	if a := s.want(200, "HEAD", url, ""); a.ContentLength != int64(len(data)) || a.body != "" {
		t.Errorf("HEAD: %d", a.ContentLength)
	}
	for _, tag := range []string{`"` + id + `"`, "*", `W/"` + id + `"`, `"x", "` + id + `"`} {
		if a := s.want(304, "GET", url, "", "If-None-Match", tag); a.body != "" {
			t.Errorf("%s: a body", tag)
		}
	}
	s.want(200, "GET", url, "", "If-None-Match", `"x"`)
	post := s.want(201, "POST", "/artifacts", "hello", "Content-Type", "text/html")
	if want := "/artifacts/" + artifact.Sum([]byte("hello")).String(); post.Header.Get("Location") != want {
		t.Errorf("Location: %s", post.Header.Get("Location"))
	}
	s.want(201, "POST", "/artifacts", "hello")
	s.want(201, "POST", "/artifacts", "")
}

func TestRanges(t *testing.T) {
	s := serve(t, nil)
	data := strings.Repeat("0123456789", 10_000)
	url := "/artifacts/" + into[storedArtifact](s.want(201, "POST", "/artifacts", data)).ID.String()
	for _, c := range []struct {
		header, want string
		code         int
	}{
		{"bytes=0-0", data[:1], 206},
		{"bytes=7-70006", data[7:70007], 206},
		{"bytes=99990-", data[99990:], 206},
		{"bytes=-3", data[len(data)-3:], 206},
		{"bytes=99999-200000", data[99999:], 206},
		{"bytes=100000-", "", 416},
		{"bytes=5-4", "", 416},
		{"bytes=x", "", 416},
		{"lines=1-2", data, 200}, // an unknown unit
	} {
		a := s.want(c.code, "GET", url, "", "Range", c.header)
		if c.code < 400 && a.body != c.want {
			t.Errorf("%s: %d bytes, want %d", c.header, len(a.body), len(c.want))
		}
		var first, last, all int
		if n, _ := fmt.Sscanf(a.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &all); c.code == 206 && (n != 3 || last-first+1 != len(c.want) || all != len(data)) {
			t.Errorf("%s: Content-Range: %s", c.header, a.Header.Get("Content-Range"))
		}
	}
	if a := s.want(206, "GET", url, "", "Range", "bytes=0-1,5-6"); !strings.Contains(a.body, "\r\n\r\n01\r\n") || !strings.Contains(a.body, "\r\n\r\n56\r\n") {
		t.Errorf("parts: %s", a.body)
	}
	var pages bytes.Buffer // all pages together are the whole
	for at := 0; at < len(data); at += 7777 {
		pages.WriteString(s.want(206, "GET", url, "", "Range", fmt.Sprintf("bytes=%d-%d", at, at+7776)).body)
	}
	if pages.String() != data {
		t.Error("pages put together are not the artifact")
	}
	s.want(206, "GET", url, "", "Range", "bytes=0-0", "If-Range", `"`+strings.TrimPrefix(url, "/artifacts/")+`"`)
	s.want(200, "GET", url, "", "Range", "bytes=0-0", "If-Range", `"x"`)
}

// TestForeignArtifacts: artifacts whose ids are not hashes may still grow.
func TestForeignArtifacts(t *testing.T) {
	s := serve(t, nil)
	const id = "e1e1e1e1e1e14e1e8e1e1e1e1e1e1e1ee2e2e2e2e2e24e2e8e2e2e2e2e2e2e2e"
	path := s.path(artifact.Blobs + "/" + id)
	var tags []string
	for _, text := range []string{"a", "ab"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		a := s.want(200, "GET", "/artifacts/"+id, "")
		if a.body != text || strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%q, %v", a.body, a.Header)
		}
		tags = append(tags, a.Header.Get("ETag"))
	}
	if tags[0] == tags[1] {
		t.Errorf("it grew and is still %s", tags[0])
	}
	s.want(206, "GET", "/artifacts/"+id, "", "Range", "bytes=1-")
}

func TestDamagedArtifact(t *testing.T) {
	s := serve(t, nil)
	path := s.path(artifact.Blobs + "/" + exampleBundle)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(src, 'x'), 0o644); err != nil {
		t.Fatal(err)
	}
	s.want(500, "GET", "/artifacts/"+exampleBundle, "")
	if a := s.want(200, "PUT", "/artifacts/"+exampleBundle, string(src)); into[storedArtifact](a).Outcome != "healed" {
		t.Error(a.body)
	}
	s.want(200, "GET", "/artifacts/"+exampleBundle, "")
}

func TestHandoffs(t *testing.T) {
	s := serve(t, nil)
	list := into[[]documents.Row](s.want(200, "GET", "/handoffs", ""))
	if len(list) != 1 || list[0].Path != exampleDocument || list[0].Ref != "259/3" {
		t.Fatalf("%+v", list)
	}
	for query, want := range map[string]string{
		"task=259": "1", "task=1": "0", "phase=3": "1", "phase=4": "0", "since=2026-02-12": "1", "since=2026-02-12T14:30:23Z": "0",
		"limit=1": "1", "offset=1": "0", "offset=99": "0", "all=true": "1",
	} {
		a := s.want(200, "GET", "/handoffs?"+query, "")
		if n := fmt.Sprint(len(into[[]documents.Row](a))); n != want || a.body == "null" {
			t.Errorf("%s: %s, want %s", query, a.body, want)
		}
	}
	src, err := os.ReadFile(s.path(exampleDocument))
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"259%2F3", "259", "latest", strings.ReplaceAll(exampleDocument, "/", "%2F")} {
		if d := into[handoffops.HandoffDetail](s.want(200, "GET", "/handoffs/"+ref, "")); d.Path != exampleDocument || d.Bundle == nil || d.Bundle.String() != exampleBundle {
			t.Errorf("%s: %+v", ref, d)
		}
		if a := s.want(200, "GET", "/handoffs/"+ref+"/document", ""); a.body != string(src) {
			t.Errorf("%s: another document", ref)
		}
		one, two := s.want(200, "GET", "/handoffs/"+ref+"/brief", ""), s.want(200, "GET", "/handoffs/"+ref+"/brief?level=2", "")
		if !strings.Contains(one.body, "## Immediate Next Action") || len(two.body) <= len(one.body) {
			t.Errorf("%s: briefs of %d and %d bytes", ref, len(one.body), len(two.body))
		}
		if a := s.want(200, "GET", "/handoffs/"+ref+"/metadata", ""); !strings.Contains(a.body, `"phases_total": 4`) {
			t.Errorf("%s: %s", ref, a.body)
		}
	}
	if err := os.WriteFile(s.path(exampleDocument), append(src, ">>>>>>> c1\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"GET /handoffs/latest/brief", "POST /handoffs/latest/claim"} {
		method, path, _ := strings.Cut(target, " ")
		if a := s.want(409, method, path, `{"as":"ann"}`, "Content-Type", "application/json"); !strings.Contains(a.body, "merge conflict") || strings.Contains(a.body, "rcases") {
			t.Errorf("%s: a document with a merge conflict: %s", target, a.body)
		}
	}
	s.want(200, "HEAD", "/handoffs", "")
}

func TestTasks(t *testing.T) {
	s := serve(t, nil)
	if list := into[[]handoffops.TaskRow](s.want(200, "GET", "/specs", "")); len(list) != 2 || list[0] != (handoffops.TaskRow{TaskFolder: handoffops.TaskFolder{Task: 259, Slug: "prove_completeness", Path: "specs/259_prove_completeness"}, Handoffs: 1}) {
		t.Errorf("%+v", list)
	}
	d := into[handoffops.TaskDetail](s.want(200, "GET", "/specs/259", ""))
	meta, _ := d.Metadata.(map[string]any)
	if len(d.Handoffs) != 1 || meta["status"] != "partial" {
		t.Errorf("%+v", d)
	}
	meta259 := s.path("specs/259_prove_completeness/.return-meta.json")
	if err := os.WriteFile(meta259, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if d := into[handoffops.TaskDetail](s.want(200, "GET", "/specs/259", "")); d.Metadata != nil {
		t.Errorf("%+v", d.Metadata)
	}
	s.want(500, "GET", "/handoffs/259/metadata", "")
	if err := os.Remove(meta259); err != nil {
		t.Fatal(err)
	}
	s.want(404, "GET", "/handoffs/259/metadata", "")
	if err := os.MkdirAll(s.path("specs/0870_a"), 0o755); err != nil { // first in the order
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.path("specs/archive/300_old"), 0o755); err != nil {
		t.Fatal(err)
	}
	if d := into[handoffops.TaskDetail](s.want(200, "GET", "/specs/300", "")); !d.Archived || d.Handoffs == nil {
		t.Errorf("%+v", d)
	}
}

// TestTaskZero: 0 is a task number like others, and not the word for all of them.
func TestTaskZero(t *testing.T) {
	s := serve(t, nil)
	const path = "specs/0_zero/handoffs/phase-1-handoff-20260101T000000Z.md"
	treetest.WriteDocument(t, s.root, path)
	for _, query := range []string{"/handoffs?task=0", "/handoffs/next?task=0", "/search?task=0"} {
		if a := s.want(200, "GET", query, ""); !strings.Contains(a.body, path) || strings.Contains(a.body, "259_prove") {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	if d := into[handoffops.TaskDetail](s.want(200, "GET", "/specs/0", "")); d.Path != "specs/0_zero" || len(d.Handoffs) != 1 {
		t.Errorf("%+v", d)
	}
	if r := into[report.FindingReport](s.want(200, "GET", "/findings?task=0", "")); r.Summary.Files != 1 {
		t.Errorf("%+v", r.Summary)
	}
	for _, ref := range []string{"0", "0%2F1"} {
		if d := into[handoffops.HandoffDetail](s.want(200, "GET", "/handoffs/"+ref, "")); d.Path != path {
			t.Errorf("%s: %+v", ref, d)
		}
	}
	s.want(400, "POST", "/specs/0/handoffs", `{"phase": 1, "slug": "zero"}`, "Content-Type", "application/json") // written numbers begin with 1
	keep := func(line string) bool {
		ok, err := feedInput{Task: new(0)}.keeps([]byte(line))
		return ok && err == nil
	}
	if !keep(`{"path": "`+path+`"}`) || keep(`{"path": "HANDOFF.md"}`) || keep(`{"path": "specs/7_a/handoffs/phase-1-handoff.md", "task": 7}`) {
		t.Error("the feed of task 0 has events of others, or not its own")
	}
	s.want(201, "POST", "/handoffs/next/claim", `{"as": "ann", "task": 0}`, "Content-Type", "application/json")
	s.want(404, "POST", "/handoffs/next/claim", `{"as": "ann", "task": 0}`, "Content-Type", "application/json")
	s.want(404, "GET", "/specs/1", "")
}

// TestNothing: in an empty workspace, lists are empty, not null.
func TestNothing(t *testing.T) {
	s := serve(t, nil)
	if err := os.RemoveAll(filepath.Join(s.root, "specs")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/specs", "/handoffs"} {
		if a := s.want(200, "GET", path, ""); a.body != "[]" {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	s.want(404, "GET", "/handoffs/latest", "")
	if r := into[report.FindingReport](s.want(200, "GET", "/findings", "")); r.Summary.Files != 0 {
		t.Errorf("%+v", r)
	}
}

// TestSlashInName: a slash that should be %2F is explained; a path that is none has no such hint.
func TestSlashInName(t *testing.T) {
	s := serve(t, nil)
	for path, hint := range map[string]bool{"/handoffs/259/3": true, "/handoffs/259/3/brief": true, "/handoffs/specs/a/b.md": true, "/nowhere": false, "/nowhere/259/3": false} {
		if a := s.want(404, "GET", path, ""); strings.Contains(a.body, "259%2F3") != hint {
			t.Errorf("%s: %s", path, a.body)
		}
	}
}

func TestFindings(t *testing.T) {
	s := serve(t, nil)
	if err := os.WriteFile(s.path("specs/870_zorn/handoffs/notes.md"), []byte("# Notes\n"), 0o644); err != nil {
		if err := os.MkdirAll(s.path("specs/870_zorn/handoffs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path("specs/870_zorn/handoffs/notes.md"), []byte("# Notes\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all := into[report.FindingReport](s.want(200, "GET", "/findings", ""))
	if all.Summary.Files != 2 || len(all.Findings) == 0 || all.Findings[0].Path != "specs/870_zorn/handoffs/notes.md" {
		t.Errorf("%+v", all)
	}
	if one := into[report.FindingReport](s.want(200, "GET", "/findings?task=259", "")); one.Summary.Files != 1 || len(one.Findings) != 0 {
		t.Errorf("%+v", one)
	}
}

// TestUnreadable: lists include a document that cannot be read. It does not
// count as one without findings, and has no next action.
func TestUnreadable(t *testing.T) {
	s := serve(t, nil)
	const path = "specs/259_prove_completeness/handoffs/phase-4-handoff-20260213T000000Z.md"
	if err := os.WriteFile(s.path(path), make([]byte, workspace.MaxSize+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := into[report.FindingReport](s.want(200, "GET", "/findings", "")); len(r.Problems) != 1 || r.Problems[0].Path != path || r.Problems[0].Message == "" {
		t.Errorf("%+v", r)
	}
	rows := into[[]documents.Row](s.want(200, "GET", "/handoffs", ""))
	if len(rows) != 2 || rows[0].Path != path || rows[0].Problem == "" || rows[0].NextAction != "" || rows[1].Problem != "" {
		t.Errorf("%+v", rows)
	}
}

func TestMetrics(t *testing.T) {
	s := serve(t, nil)
	s.want(200, "GET", "/handoffs/latest", "")
	s.want(404, "GET", "/handoffs/999", "")
	s.want(404, "GET", "/nowhere", "")
	s.want(405, "BREW", "/specs", "")
	text := s.want(200, "GET", "/metrics", "").body
	for _, want := range []string{
		`handoff_build_info{version="1.2.3"} 1`,
		`handoff_http_request_seconds_count{route="/handoffs/{ref}",method="GET",code="200"} 1`,
		`handoff_http_request_seconds_count{route="/handoffs/{ref}",method="GET",code="404"} 1`,
		`handoff_http_request_seconds_count{route="none",method="GET",code="404"} 1`,
		`handoff_http_request_seconds_count{route="/specs",method="other",code="405"} 1`,
		"handoff_http_requests_running 1", "handoff_connections 1",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "nowhere") || strings.Contains(text, "BREW") {
		t.Errorf("a label comes from a request:\n%s", text)
	}
}

// TestFindingsOfOneThatLeft: a client disconnects while the first rule of its
// check runs. No other rule may run, and the next client gets its turn.
func TestFindingsOfOneThatLeft(t *testing.T) {
	begun := make(chan struct{})
	var first sync.Once
	var after atomic.Int32
	slow := lint.Rule{Name: "slow", Severity: lint.Error, Check: func(p *lint.Pass) {
		first.Do(func() {
			close(begun)
			<-p.Done
		})
	}}
	next := lint.Rule{Name: "next", Severity: lint.Error, Check: func(*lint.Pass) { after.Add(1) }}
	o := workspace.Options{Rules: []*lint.Rule{&slow, &next}}
	s := serve(t, func(c *Config) {
		at, err := c.Open()
		if err != nil {
			t.Error(err)
			return
		}
		c.Open = func() (*workspace.Workspace, error) { return workspace.Open(at.Root, o) }
	})
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r, err := http.NewRequestWithContext(ctx, "GET", s.url+"/findings", nil)
		if err != nil {
			t.Error(err)
			return
		}
		if a, err := s.client.Do(r); err == nil {
			a.Body.Close()
			t.Error("a request that was given up was answered")
		}
	}()
	<-begun
	leave()
	<-done
	files := into[report.FindingReport](s.want(200, "GET", "/findings", "")).Summary.Files
	if n := int(after.Load()); n != files || n == 0 {
		t.Errorf("the second rule ran %d times for %d documents", n, files)
	}
}
