package tree

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestSVG(t *testing.T) {
	child := &Node{ID: "7/2", Title: new("Prove it"), Edge: "claimed by ada", Dashed: true, Kind: "held", Focus: true, Href: "/tasks/7"}
	root := &Node{ID: "7/1", Kind: "done", Notes: []string{"superseded"}, Children: []*Node{child, {ID: "7/3", Kind: "waiting"}}}
	got := SVG(Picture{Title: "Task 7"}, root)
	for _, want := range []string{
		`aria-label="Task 7"`, `<title>Task 7</title>`, `<g class="node done">`, `<g class="node held focus">`, `stroke-dasharray`,
		`<a href="/tasks/7">Prove it</a>`, `7/2 · claimed by ada`, `<title>7/1 superseded</title>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "<style>") || !strings.Contains(SVG(Picture{Style: true}, root), "<style>") {
		t.Error("a picture has its colours if it is to, and only then")
	}
	if y := strings.Index(got, "7/2"); y > strings.Index(got, "7/3") {
		t.Error("the children are not in their order")
	}
}

// Names with markup stay text.
func FuzzSVG(f *testing.F) {
	f.Add("a", "b", "held", "javascript:alert(1)")
	f.Add("a", "b", "broken", "")
	f.Add(`"><script>`, "\x00\x1b[2J]]>", "a b", "\xff")
	f.Fuzz(func(t *testing.T, id, title, kind, href string) {
		got := SVG(Picture{Title: title, Style: true}, &Node{ID: id, Title: &title, Kind: kind, Href: href, Edge: id, Children: []*Node{{ID: title, Notes: []string{id}}}})
		texts := 0
		for d := xml.NewDecoder(strings.NewReader(got)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("not XML: %v\n%s", err, got)
			}
			if e, ok := token.(xml.StartElement); ok {
				for i, attr := range e.Attr {
					if slices.ContainsFunc(e.Attr[:i], func(a xml.Attr) bool { return a.Name == attr.Name }) {
						t.Fatalf("an element with two attributes %s in\n%s", attr.Name.Local, got)
					}
				}
				switch e.Name.Local {
				case "svg", "title", "style", "g", "path", "circle", "rect", "tspan", "a":
				case "text":
					texts++
				default:
					t.Fatalf("an element %s in\n%s", e.Name.Local, got)
				}
			}
		}
		if texts != 2 {
			t.Errorf("%d texts, want 2", texts)
		}
	})
}

// A deep tree and a wide one are drawn without recursion and in linear time.
func BenchmarkSVG(b *testing.B) {
	for _, n := range []int{200, 5000} {
		root := &Node{ID: "0"}
		at := root
		for i := range n {
			child := &Node{ID: fmt.Sprint(i), Kind: "held"}
			at.Children = append(at.Children, child)
			if i%2 == 0 {
				at = child
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				SVG(Picture{}, root)
			}
		})
	}
}
