package past

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// glob are at most so many files of a pattern, those with the last names first: some hosts put the date
// into names of folders and files, and what is left out is the oldest then.
func glob(pattern string, most int) (paths []string) {
	special := `*?[\`
	if filepath.Separator == '\\' {
		special = `*?[`
	}
	base := pattern
	for strings.ContainsAny(base, special) && filepath.Dir(base) != base {
		base = filepath.Dir(base)
	}
	rest, err := filepath.Rel(base, pattern)
	if err != nil {
		return nil
	}
	below(base, strings.Split(rest, string(filepath.Separator)), most, &paths)
	return paths
}

// below adds the files below a folder whose path has these parts.
func below(dir string, parts []string, most int, paths *[]string) {
	entries, _ := os.ReadDir(dir) // one that cannot be read has none
	for _, e := range slices.Backward(entries) {
		if len(*paths) >= most {
			return
		}
		ok, err := filepath.Match(parts[0], e.Name())
		switch path := filepath.Join(dir, e.Name()); {
		case !ok || err != nil:
		case len(parts) == 1:
			*paths = append(*paths, path)
		case e.IsDir():
			below(path, parts[1:], most, paths)
		}
	}
}
