package tape

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
)

func TestRefs(t *testing.T) {
	for uri, want := range map[string]string{ // the canonical form
		"tape://workspace/telegram:123/entry/45":       "",
		"tape://workspace/main/anchor/phase%2Fx":       "",
		"tape://workspace/main/anchor/phase/x":         "tape://workspace/main/anchor/phase%2Fx",
		"TAPE:///main/anchor//":                        "tape:///main/anchor/%2F",
		"tape:///main":                                 "",
		"tape:///main/entry/-3":                        "",
		"tape://a%2Fb:c/gr%C3%B6%c3%9fe/anchor/%25%20": "tape://a%2Fb%3Ac/gr%C3%B6%C3%9Fe/anchor/%25%20",
		"tape:///a%2Fb/anchor/entry":                   "",
	} {
		r, err := ParseRef(uri)
		if want == "" {
			want = uri
		}
		if err != nil || r.String() != want {
			t.Errorf("%s: %s, %v", uri, r, err)
		}
	}
	for _, uri := range []string{"", "tape:", "tape://", "tape://x", "tape://x/", "http://x/main/entry/1", "tape:///main/", "tape:///main/entry", "tape:///main/entry/",
		"tape:///main/entry/x", "tape:///main/entry/01", "tape:///main/entry/+1", "tape:///main/entry/1/2", "tape:///main/entry/99999999999999999999",
		"tape:///main/anchor", "tape:///main/anchor/", "tape:///main/other/1", "tape:///../entry/1", "tape:///%2e%2e/entry/1", "tape:///a%00/entry/1",
		"tape:///a%zz/entry/1", "tape:///a%ff/entry/1", "tape:///a b/entry/1", "tape:///main/entry/1?x", "tape:///main/anchor/a#b", "tape:///main/anchor/a\nb"} {
		if r, err := ParseRef(uri); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %+v, %v", uri, r, err)
		}
	}
}

func TestResolve(t *testing.T) {
	s := must(Open(filepath.Join(t.TempDir(), ".handoff"), Options{Workspace: "home"}))(t)
	defer s.Close()
	tape := must(s.Tape("telegram:123"))(t)
	add(t, tape, message("a"))
	for range 2 {
		must(tape.Handoff(ctx, "phase/x", nil, nil))(t)
	}
	appendTo(t, tape.Path(), say(3, "again")+"\n")
	must(tape.Fork(ctx, ForkRequest{To: "child", Link: true}))(t)
	for uri, want := range map[string]int64{
		"tape://home/telegram:123/entry/4":            4,
		"tape://workspace/telegram:123/entry/4":       4,
		"tape:///telegram:123/anchor/phase/x":         6,
		"tape:///telegram:123/anchor/session%2Fstart": 1,
		"tape:///child/entry/5":                       5,
	} {
		e, err := s.Resolve(must(ParseRef(uri))(t))
		if err != nil || e.ID != want {
			t.Errorf("%s: %s, %v", uri, e.Raw(), err)
		}
	}
	if e := must(s.Resolve(must(ParseRef("tape:///telegram:123/entry/3"))(t)))(t); content(e) != "again" {
		t.Error(e.Raw())
	}
	e := must(s.Resolve(must(ParseRef("tape:///child/entry/5"))(t)))(t)
	if got := s.RefTo("child", e).String(); got != "tape://home/telegram:123/entry/5" {
		t.Error(got)
	}
	if one := must(s.Named(must(ParseRef("tape://home/telegram:123"))(t)))(t); one.Path() != tape.Path() {
		t.Error(one.Path())
	}
	// Entries that are listed or found have their URI, also those of another tape.
	child := must(s.Tape("child"))(t)
	info, anchors, hits := must(child.Info())(t), must(child.Anchors(1))(t), must(child.Search(Search{Text: "again"}))(t)
	if info.URI != "tape://home/child" || anchors[0].URI != "tape://home/telegram:123/entry/6" || hits[0].URI != "tape://home/telegram:123/entry/3" {
		t.Errorf("%q, %q, %q", info.URI, anchors[0].URI, hits[0].URI)
	}
	for _, uri := range []string{anchors[0].URI, hits[0].URI} {
		must(s.Resolve(must(ParseRef(uri))(t)))(t)
	}
	bare := must(s.File(tape.Path()))(t)
	if a, i := must(bare.Anchors(1))(t), must(bare.Info())(t); a[0].URI != "" || i.URI != "" {
		t.Errorf("a tape outside a store has the URI %q%q", a[0].URI, i.URI)
	}
	for uri, kind := range map[string]error{
		"tape://other/telegram:123/entry/4": fs.ErrNotExist,
		"tape:///none/entry/4":              fs.ErrNotExist,
		"tape:///telegram:123/entry/400":    fs.ErrNotExist,
		"tape:///telegram:123/anchor/phase": fs.ErrNotExist,
		"tape:///telegram:123":              handoff.ErrInvalid,
	} {
		if e, err := s.Resolve(must(ParseRef(uri))(t)); !errors.Is(err, kind) {
			t.Errorf("%s: %s, %v", uri, e.Raw(), err)
		}
	}
}

// FuzzRef checks that a parsed URI survives formatting and parsing, and that the
// names of all tapes and anchors can be formatted.
func FuzzRef(f *testing.F) {
	f.Add("tape://workspace/telegram:123/entry/45", "lab", "main", int64(3))
	f.Add("tape:///a%2Fb/anchor/phase/x%20", "a/b", "entry/1", int64(-1))
	f.Add("tape:///a%252Fb/anchor/%25", "100%25", "%2F?#ä", int64(0))
	f.Fuzz(func(t *testing.T, uri, workspace, name string, id int64) {
		if r, err := ParseRef(uri); err == nil {
			sameRef(t, r)
		} else if !errors.Is(err, handoff.ErrInvalid) {
			t.Error(err)
		}
		if !utf8.ValidString(workspace) || strings.ContainsFunc(workspace, unicode.IsControl) || CheckName(name) != nil {
			return
		}
		sameRef(t, Ref{Workspace: workspace, Tape: name, Entry: &id})
		sameRef(t, Ref{Workspace: workspace, Tape: name, Anchor: &name})
		sameRef(t, Ref{Workspace: workspace, Tape: name})
	})
}

func sameRef(t *testing.T, r Ref) {
	t.Helper()
	back, err := ParseRef(r.String())
	if err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("%s: %+v became %+v, %v", r, r, back, err)
	}
}
