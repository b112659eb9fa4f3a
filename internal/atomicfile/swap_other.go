//go:build !linux && !darwin

package atomicfile

import (
	"errors"
	"os"
)

func exchangeNames(_, _ string) error { return errors.ErrUnsupported }

func settled(path string) (data []byte, quiet bool, err error) {
	data, err = os.ReadFile(path)
	return data, true, err
}
