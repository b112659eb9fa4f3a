package lint

import (
	"errors"
	"fmt"
	"strconv"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
)

// ParseBaseline reads what [Baseline.Bytes] wrote. It refuses anything unknown,
// because a misread baseline hides findings. Errors begin with
// "name:line:column:", columns in bytes, and are [handoff.ErrInvalid].
func ParseBaseline(name string, src []byte) (*Baseline, error) {
	r := baselineReader{name: name, src: string(src), values: jsontext.Plain.Scan(string(src))}
	if err := r.wellFormed(); err != nil {
		return nil, err
	}
	version, files := false, false
	err := r.object("a baseline", func(key string) error {
		switch key {
		case "version":
			version = true
			return r.version()
		case "files":
			files = true
			return r.files()
		}
		return r.errorf("unknown key %q (version, files)", key)
	})
	switch {
	case err != nil:
		return nil, err
	case !version:
		return nil, r.errorAt(0, "no version: write \"version\": %d", baselineVersion)
	case !files:
		return nil, r.errorAt(0, "no files: write \"files\": {}")
	}
	return &r.out, nil
}

// baselineReader reads JSON that is known to be well-formed, and checks its
// meaning.
type baselineReader struct {
	name   string
	src    string
	values jsontext.Scanner
	at     int // byte at which the last name or value begins
	out    Baseline
}

func (r *baselineReader) wellFormed() error {
	if at := jsontext.FirstInvalid([]byte(r.src)); at >= 0 {
		return r.errorAt(at, "byte %#x is not UTF-8", r.src[at])
	}
	if syntax, ok := errors.AsType[*jsontext.Error](jsontext.Plain.Check(r.src)); ok {
		return r.errorAt(syntax.Offset, "%s", syntax.Text)
	}
	return nil
}

func (r *baselineReader) version() error {
	if n, ok := r.number(); !ok || n != baselineVersion {
		return r.errorf("version is not %d: a newer handoff may read it", baselineVersion)
	}
	return nil
}

func (r *baselineReader) number() (int, bool) {
	r.at = r.values.At()
	n, err := strconv.Atoi(r.values.Skip())
	return n, err == nil
}

func (r *baselineReader) files() error {
	return r.object("files", func(path string) error {
		return r.object("a file", func(rule string) error {
			n, ok := r.number()
			if !ok || n < 1 {
				return r.errorf("count of %q must be a whole number above 0", rule)
			}
			r.out.set(path, rule, n)
			return nil
		})
	})
}

// object reads an object and calls member after each key.
func (r *baselineReader) object(what string, member func(key string) error) error {
	if r.at = r.values.At(); r.values.Kind() != jsontext.KindObject {
		return r.errorf("%s must be an object: write {…}", what)
	}
	seen := map[string]bool{}
	for end := r.values.Open(); r.values.More(end); {
		r.at = r.values.At()
		key := r.values.Name()
		if seen[key] {
			return r.errorf("duplicate key %q", key)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	return nil
}

func (r *baselineReader) errorf(format string, args ...any) error {
	return r.errorAt(r.at, format, args...)
}

func (r *baselineReader) errorAt(at int, format string, args ...any) error {
	line, start := jsontext.Position(r.src, at)
	return fmt.Errorf("%s:%d:%d: %w: %s", r.name, line, at-start+1, handoff.ErrInvalid, fmt.Sprintf(format, args...))
}
