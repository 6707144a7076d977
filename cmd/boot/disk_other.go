//go:build !linux && !darwin

package boot

import "errors"

// freeSpace is how many bytes may be written where a folder lies.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
