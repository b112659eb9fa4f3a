package engine

import (
	"errors"
	"fmt"
)

// ForeignError reports a log that another program has written, or that was damaged: it
// cannot be read, and all other logs can.
type ForeignError struct {
	Log string
	Why string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s: %s: it is skipped; delete it in the store, or restore it", e.Log, e.Why)
}

// Foreign returns err as a ForeignError, nil if it is none.
func Foreign(err error) *ForeignError {
	var f *ForeignError
	errors.As(err, &f)
	return f
}
