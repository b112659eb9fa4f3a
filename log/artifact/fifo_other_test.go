//go:build !unix

package artifact

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
