package planted

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed wordings.txt
var wordings string

// kind is a kind of statement, and the ways to say it.
type kind struct {
	name          string
	checked       bool // git or the files show whether it is true
	known, unseen []string
}

// kinds reads wordings.txt.
func kinds() (list []kind) {
	unseen := false
	for line := range strings.Lines(wordings) {
		line = strings.TrimSpace(line)
		name, heading := strings.CutPrefix(line, "# ")
		switch {
		case heading:
			name, other := strings.CutSuffix(name, ", unchecked")
			list, unseen = append(list, kind{name: name, checked: !other}), false
		case line == "" || len(list) == 0:
		case line == "--":
			unseen = true
		case unseen:
			list[len(list)-1].unseen = append(list[len(list)-1].unseen, line)
		default:
			list[len(list)-1].known = append(list[len(list)-1].known, line)
		}
	}
	return list
}

// statement is a wording that is filled in.
type statement struct {
	kind   string
	text   string
	unseen bool
	lie    bool
	loose  bool // nothing here shows whether it is true

	path    string // of its document
	line    int
	told    bool     // verify calls it stale or failed
	listed  bool     // verify calls it unverified
	linted  []string // the rules that report it
	because string
}

// values fill in a wording. The name of a member is that of the place.
type values map[string]string

func (v values) fill(text string) string {
	for _, name := range v.names() {
		text = strings.ReplaceAll(text, "{"+name+"}", v[name])
	}
	return text
}

func (v values) names() (names []string) {
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s statement) String() string {
	truth := "true"
	switch {
	case s.loose:
		truth = "unchecked"
	case s.lie:
		truth = "false"
	}
	if s.unseen {
		return fmt.Sprintf("%s, %s (a wording that is kept out)", s.kind, truth) // these are not tuned to
	}
	return fmt.Sprintf("%s, %s: %s", s.kind, truth, s.text)
}
