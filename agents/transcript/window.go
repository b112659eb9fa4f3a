package transcript

import (
	"maps"
	"slices"
	"strings"
)

// modelled adds the model of a record and the size of its context. A session that changes its
// model has not reported the size of the new one's.
func (s *Session) modelled(r Record) {
	switch {
	case r.Model == "" || r.Model == withoutSize(s.Model): // the host named it with the size before
	case s.Model != "" && !SameModel(r.Model, s.Model):
		s.Window, s.WindowOf = 0, ""
		fallthrough
	default:
		s.Model = r.Model
	}
	if r.Window != 0 {
		s.Window, s.WindowOf = r.Window, s.Model
	}
	for _, name := range slices.Sorted(maps.Keys(r.Windows)) {
		if name == s.Model || SameModel(name, s.Model) && r.Windows[s.Model] == 0 {
			s.Window, s.WindowOf = r.Windows[name], name
		}
	}
}

// SameModel reports whether two names are of one model, whatever size of its context was
// chosen: some hosts add the size in brackets, which the records of calls leave out, or the
// date of the version.
func SameModel(a, b string) bool {
	return withoutDate(withoutSize(a)) == withoutDate(withoutSize(b))
}

// SameContext is [SameModel] with the same size of the context, too.
func SameContext(a, b string) bool {
	return a[len(withoutSize(a)):] == b[len(withoutSize(b)):] && SameModel(a, b)
}

func withoutSize(model string) string {
	name, _, _ := strings.Cut(model, "[")
	return name
}

// withoutDate cuts the date of a version: -20260801 or @20260801.
func withoutDate(model string) string {
	const date = len("-20260801")
	at := len(model) - date
	if at > 0 && strings.Contains("-@", model[at:at+1]) && strings.Trim(model[at+1:], "0123456789") == "" {
		return model[:at]
	}
	return model
}
