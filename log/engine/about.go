package engine

import (
	"fmt"
	"strings"
)

// About names the store in an error that does not name it yet. Engines name themselves
// in most of their errors, and not in all: without it callers name a store twice or not
// at all.
func About(name string, err error) error {
	if err == nil || strings.Contains(err.Error(), name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
