// Package conformance has the test vectors of the formats in docs/spec, and runs an
// implementation of them against these vectors: ours (measure/own), or any program that
// answers questions on its standard input.
package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
)

//go:embed vectors/*.json
var files embed.FS

// Suite is a file of vectors: questions to one operation.
type Suite struct {
	Operation string `json:"operation"` // "name.read"
	Spec      string `json:"spec"`      // section of docs/spec that decides
	Cases     []Case `json:"cases"`
}

// Case is one vector. The same In always has the same Out.
type Case struct {
	Name string          `json:"name"`
	In   json.RawMessage `json:"in"`
	Out  json.RawMessage `json:"out"`
}

// Suites returns all vectors, by file name.
func Suites() ([]Suite, error) {
	names, err := fs.Glob(files, "vectors/*.json")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var all []Suite
	for _, name := range names {
		src, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var s Suite
		if err := strict(src, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// Operations returns what the suites ask, sorted.
func Operations(suites []Suite) (names []string) {
	for _, s := range suites {
		names = append(names, s.Operation)
	}
	slices.Sort(names)
	return names
}

func strict(src []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(src))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Question is what an implementation is asked.
type Question struct {
	ID        string          `json:"id"` // "name.read/plain"
	Operation string          `json:"operation"`
	In        json.RawMessage `json:"in" doc:"what is asked: depends on the operation"`
}

// Answer is what it answers: Out, or that it does not have the operation.
type Answer struct {
	ID          string          `json:"id"`
	Out         json.RawMessage `json:"out,omitempty"`
	Unsupported bool            `json:"unsupported,omitempty"`
}

// Implementation answers one question after another. An error ends the run.
type Implementation func(Question) (Answer, error)

// Verdict is how a question was answered.
type Verdict string

// The verdicts.
const (
	Passed      Verdict = "passed"
	Failed      Verdict = "failed"
	Unsupported Verdict = "unsupported"
)

// Result is the verdict on one vector.
type Result struct {
	ID      string          `json:"id"`
	Spec    string          `json:"spec"`
	Verdict Verdict         `json:"verdict"`
	In      json.RawMessage `json:"in,omitempty" doc:"what was asked"` // of one that failed, with what follows
	Want    json.RawMessage `json:"want,omitempty" doc:"the right answer"`
	Got     json.RawMessage `json:"got,omitempty" doc:"the answer of the program"`
}

// Question is the question of a case.
func (s Suite) Question(c Case) Question {
	return Question{ID: s.Operation + "/" + c.Name, Operation: s.Operation, In: c.In}
}

// Run asks an implementation the questions that selected accepts, and reports each
// result. It ends with the first error of the implementation or of report.
func Run(suites []Suite, selected func(operation string) bool, ask Implementation, report func(Result) error) error {
	for _, s := range suites {
		if !selected(s.Operation) {
			continue
		}
		for _, c := range s.Cases {
			q := s.Question(c)
			answer, err := ask(q)
			if err != nil {
				return fmt.Errorf("%s: %w", q.ID, err)
			}
			if err := report(judge(s, c, q, answer)); err != nil {
				return err
			}
		}
	}
	return nil
}

func judge(s Suite, c Case, q Question, a Answer) Result {
	r := Result{ID: q.ID, Spec: s.Spec, Verdict: Passed}
	switch {
	case a.Unsupported:
		r.Verdict = Unsupported
	case !Equal(c.Out, a.Out):
		r.Verdict, r.In, r.Want, r.Got = Failed, compact(c.In), compact(c.Out), compact(a.Out)
	}
	return r
}

func compact(src json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, src) != nil {
		return src
	}
	return out.Bytes()
}

// Equal reports whether two texts are the same JSON value. Numbers are equal if they are
// spelled the same: 1 is not 1.0.
func Equal(a, b json.RawMessage) bool {
	x, errA := canonical(a)
	y, errB := canonical(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

func canonical(src json.RawMessage) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}
