//go:build !linux

package needs

import "testing"

func asNobody(t *testing.T) {
	t.Helper()
	Missing(t, "nobody", "root has all permissions: run the test as another user")
}
