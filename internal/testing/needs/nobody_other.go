//go:build !linux

package needs

import "testing"

func asNobody(t *testing.T) {
	t.Helper()
	Missing(t, "nobody", "root may do everything: run the test as another user")
}
