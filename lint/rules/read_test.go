package rules

import (
	"testing"

	"handoff"
)

// read parses the documents of the archives. It stays nil until package parse
// is merged.
var read func([]byte) *handoff.Document

func needParser(t *testing.T) {
	t.Helper()
	if read == nil {
		t.Skip("package parse is not there yet: nothing reads the archives")
	}
}
