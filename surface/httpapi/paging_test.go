package httpapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/treetest"
)

var nextLink = regexp.MustCompile(`^<(/[^>]+)>; rel="next"$`)

// pages reads a list to its end, by the links of its parts.
func (s *server) pages(path string) (all []json.RawMessage, parts int) {
	s.t.Helper()
	for path != "" {
		a := s.want(200, "GET", path, "")
		all, parts = append(all, into[[]json.RawMessage](a)...), parts+1
		m := nextLink.FindStringSubmatch(a.Header.Get("Link"))
		if path = ""; m != nil {
			path = m[1]
		}
		if parts > 50 {
			s.t.Fatal("the list never ends")
		}
	}
	return all, parts
}

// TestPages: each list in parts is the whole list, and what comes meanwhile moves nothing.
func TestPages(t *testing.T) {
	s := serve(t, nil)
	for i := range 7 {
		s.post(201, "/threads", fmt.Sprintf(`{"title":"%d"}`, i))
		s.want(201, "PUT", fmt.Sprintf("/tapes/t%d", i), "")
		treetest.WriteDocument(t, s.root, fmt.Sprintf("specs/%d_a/handoffs/phase-1-handoff-20260101T00000%dZ.md", i+1, i))
	}
	for _, op := range s.ops {
		if !slices.Contains(lists, op.ID) {
			continue
		}
		whole := into[[]json.RawMessage](s.want(200, "GET", op.Path, ""))
		if len(whole) < 7 || s.want(200, "GET", op.Path, "").Header.Get("Link") != "" {
			t.Errorf("%s: %d items, with a link to more", op.Path, len(whole))
		}
		for _, limit := range []int{1, 3, 1000} {
			got, parts := s.pages(fmt.Sprintf("%s?limit=%d", op.Path, limit))
			if fmt.Sprintf("%s", got) != fmt.Sprintf("%s", whole) || limit == 1000 && parts != 1 || limit == 3 && parts < 3 {
				t.Errorf("%s: %d parts of at most %d:\n%s\nwant\n%s", op.Path, parts, limit, got, whole)
			}
		}
		s.want(400, "GET", op.Path+"?after=x!", "")
		s.want(400, "GET", op.Path+"?limit=0", "")
	}
	type part struct {
		Tasks []json.RawMessage
		Next  string
		Total int
	}
	all := into[part](s.want(200, "GET", "/overview", ""))
	var rows []json.RawMessage
	for next := "/overview?limit=3"; next != ""; {
		a := s.want(200, "GET", next, "")
		p := into[part](a)
		rows, next = append(rows, p.Tasks...), ""
		if link := nextLink.FindStringSubmatch(a.Header.Get("Link")); link != nil {
			next = link[1]
		}
		if next != "" != (p.Next != "") || len(p.Tasks) > 3 || p.Total != all.Total {
			t.Errorf("link %q, next %q, %d tasks", next, p.Next, len(p.Tasks))
		}
	}
	if fmt.Sprintf("%s", rows) != fmt.Sprintf("%s", all.Tasks) || len(rows) < 7 {
		t.Errorf("the overview in parts:\n%s\nwant\n%s", rows, all.Tasks)
	}
	s.want(400, "GET", "/overview?after=x!", "")
	first := s.want(200, "GET", "/handoffs?limit=2&state=waiting&all=true", "")
	link, err := url.Parse(nextLink.FindStringSubmatch(first.Header.Get("Link"))[1])
	if err != nil || link.Query().Get("state") != "waiting" || link.Query().Get("limit") != "2" {
		t.Fatalf("%v: the filters are not in %s", err, link)
	}
	treetest.WriteDocument(t, s.root, "specs/99_z/handoffs/phase-1-handoff-20260203T000000Z.md")
	second := s.want(200, "GET", link.String(), "")
	for _, row := range into[[]struct{ Path string }](first) {
		if strings.Contains(second.body, row.Path) {
			t.Errorf("%s is in two parts", row.Path)
		}
	}
}
