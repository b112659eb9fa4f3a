package receipt

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/testing/schematest"
)

// Each kind of step that the package writes is valid by the published schema.
// The schema refuses steps that would lack what a reader needs.
func TestSchema(t *testing.T) {
	schema := schematest.Compile(t, "receipt")
	validate := func(line []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return schema.Validate(v)
	}
	m := Moment{Now: noon, SHA256: strings.Repeat("ab", 32)}
	var life Life
	written := map[Kind][]byte{}
	take := func(d Decision) {
		t.Helper()
		steps, err := d(doc, &life)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			s.Seq, s.Handoff = uint64(len(life.Steps)), doc
			line, err := s.line()
			if err == nil {
				err = validate(line)
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			written[s.Kind] = line
			life.Apply(s)
		}
	}
	take(m.Deliver("codex", ""))
	life = Life{}
	take(m.DeliverOnce(Session{"claude", "0b5e"}))
	take(claim("codex", false, "")(m))
	take(m.Acknowledge("", life.Claim.ID, true))
	take(m.Renew(life.Claim.ID, maxTTL))
	take(m.Release(life.Claim.ID, "it hangs"))
	take(claim("ann", false, "")(m))
	m.Now = life.Claim.Until
	take(claim("ann", false, "")(m))
	take(m.Finish("", life.Claim.ID))
	take(claim("eve", true, "not finished")(m))
	take(m.Supersede(life.Claim.ID, "specs/x.md"))
	for _, kind := range []Kind{StepDelivered, StepAcknowledged, StepClaimed, StepRenewed, StepReleased, StepExpired, StepDone, StepSuperseded} {
		if written[kind] == nil {
			t.Errorf("no step %s was written", kind)
		}
	}
	for old, new := range map[string]string{
		`"handoff"`:          `"document"`,
		`"step":"claimed"`:   `"step":"closed"`,
		`"token":`:           `"number":`,
		`"until":`:           `"end":`,
		`"by":"eve"`:         `"by":""`,
		`"at":"2026-02-12T`:  `"at":"12.2.2026 `,
		`"sha256":"abababab`: `"sha256":"`,
	} {
		line := strings.Replace(string(written[StepClaimed]), old, new, 1)
		if line == string(written[StepClaimed]) || validate([]byte(line)) == nil {
			t.Errorf("%s -> %s: accepted %s", old, new, line)
		}
	}
}
