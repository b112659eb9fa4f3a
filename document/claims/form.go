package claims

import "strings"

// digits are those of a number.
const digits = "0123456789"

// issueForm reports whether a name is the number of an issue or a pull request: #12, !12, ABC-12.
func issueForm(name string) bool {
	if len(name) < 2 {
		return false
	}
	if name[0] == '#' || name[0] == '!' {
		return strings.Trim(name[1:], digits) == ""
	}
	project, number, ok := strings.Cut(name, "-")
	return ok && number != "" && strings.Trim(number, digits) == "" && len(project) > 1 && strings.Trim(project[:1], capitals) == "" && strings.Trim(project, capitals+digits) == ""
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// issueLink reports whether a word has the address of an issue or a pull request.
func issueLink(word string) bool {
	for _, kind := range [...]string{"/pull/", "/issues/", "/merge_requests/"} {
		if _, number, ok := strings.Cut(word, kind); ok && number != "" && '0' <= number[0] && number[0] <= '9' {
			return true
		}
	}
	return false
}

// versionForm reports whether a name is a version: 1.4, v1.4.2.
func versionForm(name string) bool {
	parts := 0
	for part := range strings.SplitSeq(strings.TrimPrefix(name, "v"), ".") {
		if parts++; part == "" || strings.Trim(part, digits) != "" {
			return false
		}
	}
	return parts == 2 || parts == 3
}

// commitForm reports whether a name may be the short or the whole hash of a commit.
func commitForm(name string) bool {
	return 7 <= len(name) && len(name) <= 40 && strings.Trim(name, digits+"abcdef") == ""
}
