package receipt

import "testing"

func TestEvidence(t *testing.T) {
	ok, bad := Check{Command: "go vet"}, Check{Command: "go test", Exit: 1, Why: "it ended with exit status 1"}
	for _, c := range []struct {
		evidence Evidence
		want     string
		ok       bool
	}{
		{Evidence{None: "no command checks it", Commit: "0123456789abcdef"}, "no evidence: no command checks it", false},
		{Evidence{Checks: []Check{ok}}, "`go vet` succeeded", true},
		{Evidence{Checks: []Check{ok, bad}, Commit: "0123456789abcdef", Uncommitted: 2}, "`go vet` succeeded, `go test` failed: it ended with exit status 1 at 0123456789 with 2 files not committed", false},
	} {
		if got := c.evidence.String(); got != c.want || c.evidence.OK() != c.ok {
			t.Errorf("%q, %t", got, c.evidence.OK())
		}
	}
}
