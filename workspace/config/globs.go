package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"handoff/internal/text/strictyaml"
)

// Alternatives in a glob are tried one combination after the other, and * within them again
// for each: a clone could make each command take minutes. So they are expanded into globs
// without braces, which take a time that grows with their length, and their number is
// limited.
const (
	maxGlobs = 256 // of a list, with all alternatives
	maxStars = 512 // * in all of them: each costs another look at the path
	maxGlob  = 1024
	maxDeep  = 8 // ** of a glob
)

// expandGlobs returns a list of globs without alternatives, and reports what is wrong with
// them. wrong returns what is wrong with a glob for this list, "" for nothing, and whole the
// glob whose meaning does not change if a part of it is taken.
func expandGlobs(r *strictyaml.Reading, at string, globs []string, wrong, whole func(glob string) string) (expanded []string) {
	stars := 0
	for i, glob := range globs {
		place := fmt.Sprintf("%s/%d", at, i)
		if text := wrong(glob); text != "" {
			r.Complain(place, "%s", text)
			continue
		}
		if len(glob) > maxGlob || strings.Count(glob, "**") > maxDeep {
			r.Complain(place, "want a glob of at most %d bytes, with at most %d times **", maxGlob, maxDeep)
			continue
		}
		all := expand(whole(glob), maxGlobs+1-len(expanded))
		all = slices.DeleteFunc(all, func(one string) bool { return strings.Trim(one, "/") == "" }) // {a,} has an empty one
		expanded = append(expanded, all...)
		for _, one := range all {
			stars += strings.Count(one, "*")
		}
		if len(expanded) > maxGlobs || stars > maxStars {
			r.Complain(place, "want at most %d globs with %d * in a list, in which each combination of alternatives such as {a,b} is a glob", maxGlobs, maxStars)
			return nil
		}
	}
	return expanded
}

func unchanged(glob string) string { return glob }

// anchored is a glob of the key ignore. A slash in it means that it starts at the folder of
// the file: that stays so for an alternative without one.
func anchored(glob string) string {
	if strings.Contains(glob, "{") && strings.Contains(strings.TrimSuffix(glob, "/"), "/") && glob[0] != '/' {
		return "/" + glob
	}
	return glob
}

func validGlob(glob string) bool { return doublestar.ValidatePattern(glob) }

// expand returns the combinations of the alternatives of a valid glob, at most some.
func expand(glob string, most int) (all []string) {
	open, parts, end := braces(glob)
	if end < 0 {
		return []string{glob}
	}
	for _, part := range parts {
		if all = append(all, expand(glob[:open]+part+glob[end+1:], most-len(all))...); len(all) >= most {
			return all[:most]
		}
	}
	return all
}

// braces returns the parts of the first alternatives of a glob, and where their braces are;
// end is negative if there are none.
func braces(glob string) (open int, parts []string, end int) {
	deep, from, class := 0, 0, false
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if deep++; deep == 1 {
				open, from = i, i+1
			}
		case c == ',' && deep == 1:
			parts, from = append(parts, glob[from:i]), i+1
		case c == '}' && deep == 1:
			return open, append(parts, glob[from:i]), i
		case c == '}' && deep > 1:
			deep--
		}
	}
	return 0, nil, -1
}
